"""The request as a shell command, for those who like to look: files by name, the key by its variable."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from studio.contract import WireForm, WirePart

KEY = "$H3_API_KEY"


def curl_command(form: WireForm, files: Mapping[str, Path], url: str) -> str:
    """The `curl` command that sends a form to the server at `url`, with `files` by reference id.

    Every text is quoted for a POSIX shell; the key stands as `$H3_API_KEY` in double quotes, never as itself.
    """
    parts = [f"curl {shlex.quote(url.rstrip('/') + '/v1/videos')}", f'-H "Authorization: Bearer {KEY}"']
    # --form-string takes a value as it is: -F would read a file behind a leading @ or <.
    parts += [f"--form-string {shlex.quote(f'{name}={value}')}" for name, value in form.fields]
    parts += [f"-F {shlex.quote(f'{part.field}=@{_escaped(file_of(part, files))}')}" for part in form.parts]
    return " \\\n  ".join(parts)


def file_of(part: WirePart, files: Mapping[str, Path]) -> Path:
    """What a part is made of: a reference's file; a mask is a JSON file that is only made when it is sent."""
    is_mask = part.field in ("video_noise_mask", "audio_noise_mask")
    return Path(f"{part.field}.json") if is_mask else files[part.ref_id]


def _escaped(path: Path) -> str:
    # Inside curl's own quotes, where commas and semicolons mean nothing.
    name = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{name}"'
