"""Reads and writes `.h3shot` files: atomically, paths relative to the file, newer versions refused in words."""

from __future__ import annotations

from pathlib import Path

from studio.contract import ContractError, Shot, dump_shot, parse_shot
from studio.core.files import write_atomic
from studio.core.words import sentences

MAX_BYTES = 16 << 20

sentences(
    {
        "shot.unreadable": "The shot file {path} cannot be read: {reason}.",
        "shot.unwritable": "The shot cannot be written to {path}: {reason}. Choose another folder.",
        "shot.too_large": "{path} is {size:mib}, far too large for a shot file.",
    }
)


def load_shot(path: Path) -> Shot:
    """The shot in a file. Raises ContractError (`shot.unreadable`, `shot.damaged`, `shot.newer`, `shot.too_large`)."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ContractError("shot.too_large", path=str(path), size=size)
        data = path.read_bytes()
    except OSError as error:
        raise ContractError("shot.unreadable", path=str(path), reason=error.strerror or str(error)) from error
    return parse_shot(data, path.absolute().parent)


def save_shot(shot: Shot, path: Path) -> None:
    """Write a shot. Raises ContractError `shot.unwritable` when the place refuses."""
    try:
        write_atomic(path, dump_shot(shot, path.absolute().parent))
    except OSError as error:
        raise ContractError("shot.unwritable", path=str(path), reason=error.strerror or str(error)) from error
