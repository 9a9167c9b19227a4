"""The file that describes a server in stages (`--deploy-config`): a path, or a name inside the vllm_omni package."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

FLAG: Final = "--deploy-config"


def located(argv: Sequence[str]) -> Path | None:
    """The deploy file that a launch names, found beside its program when it is a part of the package; None: not there.

    Blocking, some ms. Only for a program of this machine.
    """
    words = list(argv)
    name = Path(words[words.index(FLAG) + 1])
    if name.is_absolute():
        return name if name.is_file() else None
    program = shutil.which(next(word for word in words[_after_numactl(words) :]))
    if program is None:
        return None
    # An environment's programs lie in bin, its packages in lib beside that.
    for folder in (Path(program).parent.parent, Path(program).resolve().parent.parent):
        for packages in (
            "lib/python3*/site-packages",
            "lib/python3*/dist-packages",
            "local/lib/python3*/dist-packages",
        ):
            for found in folder.glob(f"{packages}/{name}"):
                return found
    return None


def with_deploy_file(argv: Sequence[str]) -> tuple[str, ...]:
    """The launch with that file's whole path, where it was found; a server of ours has no folder to look from."""
    if FLAG not in argv or (path := located(argv)) is None:
        return tuple(argv)
    at = list(argv).index(FLAG) + 1
    return (*argv[:at], str(path), *argv[at + 1 :])


def _after_numactl(words: Sequence[str]) -> int:
    if Path(words[0]).name != "numactl":
        return 0
    return next(n for n, word in enumerate(words) if n and not word.startswith("--"))
