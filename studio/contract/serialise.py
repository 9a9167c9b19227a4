"""Shot files: stable JSON with paths relative to the file where they can be. Bytes in, bytes out, no disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from studio.contract.findings import ContractError
from studio.contract.shot import SHOT_VERSION, Shot

_SURROGATE = re.compile("[\ud800-\udfff]")


def dump_shot(shot: Shot, base: Path | None) -> bytes:
    """The shot as UTF-8 JSON, keys sorted. Paths inside `base` (the file's folder) are stored relative to it.

    File names that are not UTF-8 survive as lone surrogates, escaped.
    """
    text = json.dumps(_plain(shot.model_dump(), base), indent=2, sort_keys=True, ensure_ascii=False)
    escaped = _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
    return escaped.encode() + b"\n"


def parse_shot(data: bytes, base: Path | None) -> Shot:
    """The shot in a file's bytes; relative paths start at `base`. Fields that are not known here are kept.

    Raises ContractError: "shot.newer" for a later version of the format, "shot.damaged" for what is no shot.
    """
    try:
        document = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ContractError("shot.damaged", reason=str(error)) from error
    if not isinstance(document, dict):
        raise ContractError("shot.damaged", reason=f"a {type(document).__name__} instead of an object")
    version = document.get("version", SHOT_VERSION)
    if isinstance(version, int) and version > SHOT_VERSION:
        raise ContractError("shot.newer", version=version, known=SHOT_VERSION)
    try:
        return Shot.model_validate(_with_paths(document, base))
    except ValidationError as error:
        raise ContractError("shot.damaged", reason=_first_problem(error), detail=str(error)) from error


def _plain(value: Any, base: Path | None) -> Any:
    match value:
        case Path():
            return _stored(value, base)
        case dict():
            return {key: _plain(inner, base) for key, inner in value.items()}
        case frozenset():
            return sorted(value)
        case list() | tuple():
            return [_plain(inner, base) for inner in value]
        case _:
            return value


def _stored(path: Path, base: Path | None) -> str:
    inside = base is not None and path.is_relative_to(base)
    return (path.relative_to(base) if inside and base else path).as_posix()


def _with_paths(document: dict[str, Any], base: Path | None) -> dict[str, Any]:
    # Handed over as Path, since pydantic takes no text with lone surrogates.
    references = document.get("references")
    if not isinstance(references, list):
        return document
    return {**document, "references": [_with_path(r, base) for r in references]}


def _with_path(reference: Any, base: Path | None) -> Any:
    if not isinstance(reference, dict) or not isinstance(reference.get("path"), str):
        return reference
    path = Path(reference["path"])
    return {**reference, "path": path if base is None else base / path}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
