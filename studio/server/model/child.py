"""The download itself, in a process of its own so that it can be ended at any moment: one JSON object a line.

`{"files": [[name, bytes, bytes there], …]}`, then `{"name", "done"}` while they come, `{"name", "retry", "why"}` when
one broke off, and last `{"ended": null}` or `{"ended": code, "params": {…}}`. A file that was broken off goes on where
it stopped, whatever ended it: it grows as `NAME.COMMIT.part`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from studio.server.model.wanted import PATTERNS, REPOSITORY, Partition, chosen, page_of, unmatched

if TYPE_CHECKING:
    from huggingface_hub import HfApi

GIB: Final = 1 << 30
_REPORT_EVERY: Final = 0.25
_TRIES: Final = 6
"""How often a file may break off without a byte more."""


class _Ended(Exception):
    """The download cannot go on: a sentence's code and its values."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code, self.params = code, params


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the repository; `sha256` is "" for those that git holds itself."""

    name: str
    size: int
    sha256: str

    def there(self, folder: Path, commit: str) -> int:
        """Bytes that are there: of the whole file, or of its part."""
        for path in (folder / self.name, self.part(folder, commit)):
            with contextlib.suppress(OSError):
                return min(self.size, path.stat().st_size)
        return 0

    def is_whole(self, folder: Path) -> bool:
        """Whether it has its place and its size: a part gets its name only when it was checked."""
        with contextlib.suppress(OSError):
            return (folder / self.name).stat().st_size == self.size
        return False

    def part(self, folder: Path, commit: str) -> Path:
        """Where it grows. Another commit's part is another file."""
        return folder / f"{self.name}.{commit[:8]}.part"


def run(partition: Partition, folder: Path, revision: str) -> int:
    """Fetch everything; the exit code. Blocking, hours."""
    # Read at the library's import: Xet was seen to give broken files and endless 401s.
    os.environ["HF_HUB_DISABLE_XET"] = "1"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import HfApi

    try:
        files, commit = _listed(HfApi(), PATTERNS[partition], revision)
        _check_room(files, folder, commit)
        for file in files:
            if not file.is_whole(folder):
                _fetch(file, folder, commit)
    except _Ended as ended:
        _say(ended=ended.code, params=ended.params)
        return 1
    _say(ended=None)
    return 0


def ask() -> int:
    """Whether the hub gives the smallest file; the exit code. Blocking, a second."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    try:
        get_hf_file_metadata(hf_hub_url(REPOSITORY, "model_index.json"), headers=build_hf_headers())
    except Exception as error:
        ended = _explained(error)
        _say(ended=ended.code, params=ended.params)
        return 1
    _say(ended=None)
    return 0


def _listed(api: HfApi, patterns: Iterable[str], revision: str) -> tuple[list[_File], str]:
    """The wanted files, and the commit that all of them are taken from. Small ones first: they are easily forgotten."""
    try:
        info = api.model_info(REPOSITORY, revision=revision, files_metadata=True)
    except Exception as error:
        raise _explained(error) from error
    known = {one.rfilename: one for one in info.siblings or ()}
    if lacking := unmatched(known, patterns):
        raise _Ended("model.hub_lacks", repository=REPOSITORY, names=", ".join(lacking))
    wanted = [known[name] for name in chosen(known, patterns)]
    files = [_File(one.rfilename, int(one.size or 0), one.lfs.sha256 if one.lfs else "") for one in wanted]
    return sorted(files, key=lambda file: (file.size, file.name)), info.sha or revision


def _check_room(files: Iterable[_File], folder: Path, commit: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        rows = [(file.name, file.size, file.there(folder, commit)) for file in files]
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise _Ended("model.disk", path=str(folder), why=error.strerror or str(error)) from error
    missing = sum(size - there for _, size, there in rows)
    if missing > free:
        params = {"free": round(free / GIB, 1), "wanted": round(missing / GIB, 1)}
        raise _Ended("model.no_room", path=str(folder), **params)
    _say(files=rows)


def _fetch(file: _File, folder: Path, commit: str) -> None:
    """One file, over as many breaks as it takes, as long as each try brings something."""
    part, tries = file.part(folder, commit), 0
    part.parent.mkdir(parents=True, exist_ok=True)
    while not file.is_whole(folder):
        before = file.there(folder, commit)
        try:
            _fetch_rest(file, part, commit)
            part.replace(folder / file.name)
        except Exception as error:
            ended = error if isinstance(error, _Ended) else _explained(error)
            if ended.code != "model.unreachable":
                raise ended from error
            tries = tries + 1 if file.there(folder, commit) <= before else 1
            why = ended.params["why"]
            if tries >= _TRIES:
                raise _Ended("model.gave_up", name=file.name, times=tries, why=why) from error
            _say(name=file.name, retry=tries, why=why)
            time.sleep(min(30.0, 0.5 * 2**tries))
    _say(name=file.name, done=file.size)


def _fetch_rest(file: _File, part: Path, commit: str) -> None:
    """What a part lacks. The library's own download to a folder begins every file anew in a new process (1.33)."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    url, headers = hf_hub_url(REPOSITORY, file.name, revision=commit), build_hf_headers()
    # Asked anew at each try: the address that a large file lies at is signed, and for an hour only.
    there = get_hf_file_metadata(url, headers=headers).location
    if urlsplit(there).netloc != urlsplit(url).netloc:
        headers.pop("authorization", None)
    with part.open("ab") as fp:
        http_get(
            there, fp, resume_size=fp.tell(), headers=headers, expected_size=file.size, tqdm_class=_meter(file.name)
        )
    if file.sha256 and _sha256(part) != file.sha256:
        part.unlink()
        raise _Ended("model.unreachable", why=f"{file.name}: SHA-256")


def _sha256(path: Path) -> str:
    with path.open("rb") as fp:
        return hashlib.file_digest(fp, "sha256").hexdigest()


def _meter(name: str) -> Any:
    """A class of tqdm's face that tells how much of one file is there."""
    from tqdm import tqdm

    class Meter(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, initial: int = 0, **options: Any) -> None:
            super().__init__(*args, initial=initial, **{**options, "disable": True})
            self._done, self._told = initial, 0.0

        def update(self, n: float | None = 1) -> bool | None:
            self._done += int(n or 0)
            if (now := time.monotonic()) - self._told >= _REPORT_EVERY:
                self._told = now
                _say(name=name, done=self._done)
            return None

    return Meter


def _explained(error: Exception) -> _Ended:
    """What a failure of the library means; `model.unreachable` is what a later try may mend."""
    import httpx
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    where = {"repository": REPOSITORY, "page": page_of()}
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT):
        return _Ended("model.disk", path=str(error.filename or ""), why=error.strerror or str(error))
    # The library wraps what a file's head was refused with.
    cause = error if isinstance(error, HfHubHTTPError) else error.__cause__
    if isinstance(cause, HfHubHTTPError):
        status = cause.response.status_code
        if isinstance(cause, GatedRepoError):
            return _Ended("model.gated" if status == 401 else "model.refused", **where)
        if isinstance(cause, RepositoryNotFoundError) or status == 401:
            return _Ended("model.login", **where)
        if status == 403:
            return _Ended("model.refused", **where)
        return _Ended("model.unreachable", why=f"HTTP {status}")
    if isinstance(error, httpx.HTTPError):
        return _Ended("model.unreachable", why=str(error) or type(error).__name__)
    return _Ended("model.unreachable", why=str(error).partition("\n")[0][:200] or type(error).__name__)


def _say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
