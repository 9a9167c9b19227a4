"""The checkpoint on disk, held against what vllm-omni 0.30.0 reads of it (pipeline_minimax_h3.py, checkpoint.py).

Total bytes prove nothing: the small files are looked for by name, the shards by their index.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.model.wanted import PATTERNS, REPOSITORY
from studio.server.profiles import TASKS, Profile

_LFS: Final = b"version https://git-lfs"
_SHARDED: Final = ("transformer", "text_encoder")
_SMALL: Final = (
    "transformer/config.json",
    "text_encoder/config.json",
    "tokenizer/tokenizer_config.json",
    "processor/chat_template.json",
    "processor/merges.txt",
    "processor/preprocessor_config.json",
    "processor/tokenizer_config.json",
    "processor/tokenizer.json",
    "processor/video_preprocessor_config.json",
    "processor/vocab.json",
    "video_vae/config.json",
    "audio_vae/config.json",
    "audio_vae/config.yaml",
    "audio_vae/metadata.json",
    "audio_vae/minimax_h3_audio_vae.py",
    "audio_vae/model.safetensors",
)


def download_command(profile: Profile, root: str) -> str:
    """The download, with one `--include` a pattern: words after the first are taken for file names by `hf`."""
    includes = " ".join(f'--include "{pattern}"' for pattern in PATTERNS[profile.partition])
    folder = root or "MiniMax-H3"
    return f"HF_HUB_DISABLE_XET=1 hf download {REPOSITORY} {includes} --local-dir {shlex.quote(folder)}"


def check_checkpoint(profile: Profile, root: str) -> Iterator[Check]:
    """Everything that can be known of a checkpoint without loading it. Blocking, some ms."""
    command = download_command(profile, root)
    if not root:
        yield trouble(Level.FAIL, "model.unset", command)
        return
    folder = Path(root)
    if not folder.is_dir():
        yield trouble(Level.FAIL, "model.no_folder", command, path=root)
        return
    if folder.name in ("FL2VA", "Ref2VA") and profile.model_path_suffix != "":
        yield trouble(Level.FAIL, "model.partition_given", path=root, parent=str(folder.parent))
        return
    problems = [*_root(profile, folder), *_parts(profile, folder, command)]
    yield from problems or [passed("model.whole", partition=profile.partition)]


def _root(profile: Profile, root: Path) -> Iterator[Check]:
    if (root / "modular_model_index.json").exists() and not (root / "fastvideo_inference.json").exists():
        yield trouble(Level.WARN, "model.modular_index", path=str(root / "modular_model_index.json"))
    if profile.model_path_suffix:
        return
    index = _json(root / "model_index.json")
    if index is None or not {"_class_name", "_diffusers_version"} <= index.keys():
        yield trouble(Level.FAIL, "model.root_index", download_command(profile, str(root)), path=str(root))


def _parts(profile: Profile, root: Path, command: str) -> Iterator[Check]:
    wanted = ("FL2VA", "Ref2VA") if profile.partition == "combined" else (profile.partition,)
    for part in wanted:
        folder = root / part
        if not folder.is_dir():
            other = next((p.name for p in root.iterdir() if p.name.lower() == part.lower()), None)
            code = "model.part_misnamed" if other else "model.no_part"
            yield trouble(Level.FAIL, code, "" if other else command, part=part, found=other, path=str(root))
            continue
        # Served by itself it needs an encoder and VAEs of its own.
        minimal = profile.partition == "combined" and part == "Ref2VA" and profile.tasks != TASKS[2:]
        yield from _part(folder, minimal, command)


def _part(folder: Path, minimal: bool, command: str) -> Iterator[Check]:
    """One partition; a minimal Ref2VA (beside a full FL2VA) needs its index and its transformer alone."""
    index = _json(folder / "model_index.json")
    named = (index or {}).get("_minimax_h3")
    if index is None or not isinstance(named, dict) or named.get("partition") != folder.name.lower():
        yield trouble(Level.FAIL, "model.part_index", command, path=str(folder / "model_index.json"), part=folder.name)
    small = [name for name in _SMALL if not minimal or name.startswith("transformer/")]
    missing = [name for name in small if _is_missing(folder / name)]
    for part in _SHARDED[:1] if minimal else _SHARDED:
        missing += _missing_shards(folder, part)
    if not minimal and not missing and not any((folder / "video_vae").glob("*.safetensors")):
        missing.append("video_vae/*.safetensors")
    if missing:
        names = ", ".join(missing[:6]) + (" …" if len(missing) > 6 else "")
        yield trouble(Level.FAIL, "model.missing", command, part=folder.name, count=len(missing), names=names)
    pointers = [name for name in small if _is_pointer(folder / name)]
    if pointers:
        yield trouble(Level.FAIL, "model.pointers", command, part=folder.name, names=", ".join(pointers[:6]))


def _missing_shards(folder: Path, part: str) -> list[str]:
    index = _json(folder / part / "model.safetensors.index.json")
    if index is None or not isinstance(index.get("weight_map"), dict):
        return [f"{part}/model.safetensors.index.json"]
    files = sorted({str(name) for name in index["weight_map"].values()})
    return [
        f"{part}/{name}" for name in files if _is_missing(folder / part / name) or _is_pointer(folder / part / name)
    ]


def _is_missing(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return True


def _is_pointer(path: Path) -> bool:
    try:
        if path.stat().st_size > 1024:
            return False
        with path.open("rb") as fp:
            return fp.read(len(_LFS)) == _LFS
    except OSError:
        return False


def _json(path: Path) -> dict[str, Any] | None:
    try:
        plain = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return plain if isinstance(plain, dict) else None
