"""Which vLLM-Omni a program belongs to: read from the packages beside its interpreter.

`vllm --version` imports everything and takes up to a minute; the packages' own metadata say the same at once.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from studio.core.children import clean_environment
from studio.server.doctor.check import Check, Level, passed, trouble

CHECKED: Final = "0.30"
"""The release that profiles, flags and failure lines are checked with."""
ASK: Final = (
    "from importlib import metadata\n"
    "for name in ('vllm', 'vllm-omni'):\n"
    "    try: print(name, metadata.version(name))\n"
    "    except metadata.PackageNotFoundError: print(name, '-')\n"
)
"""For a Python: prints `vllm VERSION` and `vllm-omni VERSION`, `-` where a package is not there."""
_LIMIT: Final = 10.0


def check_version(program: str) -> Iterator[Check]:
    """The version behind a `vllm` on this machine; nothing when there is no such program. Blocking, some 0.1 s."""
    path = shutil.which(program)
    if path is None:
        return
    python = interpreter(Path(path))
    said = ""
    if python is not None:
        argv = (python, "-I", "-c", ASK)
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, timeout=_LIMIT, check=False, env=clean_environment()
            )
            said = done.stdout
        except (OSError, subprocess.SubprocessError):
            said = ""
    yield judge(said, program)


def judge(said: str, program: str) -> Check:
    """What the lines of `ASK` mean; UNKNOWN when there are none."""
    found = dict(line.split(maxsplit=1) for line in said.splitlines() if len(line.split()) == 2)
    vllm, omni = found.get("vllm", "-"), found.get("vllm-omni", "-")
    if not found or (vllm, omni) == ("-", "-"):
        return trouble(Level.UNKNOWN, "version_untold", f"{shlex.quote(program)} --version", program=program)
    if omni == "-":
        return trouble(Level.FAIL, "no_omni", f"pip install vllm-omni=={CHECKED}.0", version=vllm)
    if _release(omni) != CHECKED:
        return trouble(Level.WARN, "version_other", version=omni, checked=CHECKED)
    return passed("version", version=omni, vllm=vllm)


def interpreter(script: Path) -> str | None:
    """The Python of a script that pip made, from its first lines; None when it is no such script.

    Long paths and paths with blanks stand behind `/bin/sh` in the second line (pip's own way).
    """
    try:
        with script.open("rb") as fp:
            first, second = (fp.readline(4096).decode("utf-8", "replace").strip() for _ in range(2))
    except OSError:
        return None
    if first == "#!/bin/sh" and (found := re.match(r"'''exec' (?:\"([^\"]+)\"|(\S+))", second)):
        return found[1] or found[2]
    words = first[2:].split(maxsplit=1) if first.startswith("#!") else []
    if words and Path(words[0]).name == "env":
        return shutil.which(words[1]) if len(words) > 1 else None
    return words[0] if words and "python" in Path(words[0]).name else None


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])
