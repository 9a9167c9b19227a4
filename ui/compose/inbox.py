"""What comes in by drop, paste or file dialog, as a list of files: folders opened, order kept."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QImage, QImageWriter

from studio.contract.shot import Kind

FOLDER_LIMIT: Final = 200
"""Files that are looked at in one dropped folder."""

_VIDEO: Final = ".mp4 .mov .m4v .mkv .webm .avi .mpg .mpeg .mts .m2ts .ts .wmv .flv .ogv .3gp .mxf .gif"
_IMAGE: Final = ".png .jpg .jpeg .jpe .jfif .webp .heic .heif .avif .bmp .tif .tiff"
_AUDIO: Final = ".wav .mp3 .flac .m4a .aac .ogg .oga .opus .aif .aiff .wma"
_REMOTE: Final = ("http", "https", "ftp")
_KINDS: Final[dict[Kind, tuple[str, ...]]] = {
    "video": tuple(_VIDEO.split()),
    "image": tuple(_IMAGE.split()),
    "audio": tuple(_AUDIO.split()),
}


@dataclass(frozen=True, slots=True)
class Found:
    """Files to look at: `named` ones the user pointed at, `inside` ones that were in a folder of theirs."""

    named: tuple[Path, ...] = ()
    inside: tuple[Path, ...] = ()
    left_out: int = 0
    """Files inside the folders whose names are no media names."""
    cut_off: Path | None = None
    """A folder that holds more than `FOLDER_LIMIT` media files."""


def kind_by_name(path: Path) -> Kind | None:
    """The kind that a file's suffix promises; its content decides in the end."""
    suffix = path.suffix.lower()
    return next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), None)


def name_filter() -> str:
    """All media suffixes, as a file dialog wants them ("*.mp4 *.mov …")."""
    return " ".join(f"*{suffix}" for suffixes in _KINDS.values() for suffix in suffixes)


def expand(paths: Iterable[Path]) -> Found:
    """Files among `paths` and media files in the folders among them, in name order. Blocking: use a thread.

    Hidden entries are skipped and links to folders are not followed, so that a loop of links ends.
    """
    named: list[Path] = []
    inside: list[Path] = []
    left_out = 0
    cut_off: Path | None = None
    for path in paths:
        if not path.is_dir():
            named.append(path)
            continue
        count = 0
        for file in _walk(path):
            if kind_by_name(file) is None:
                left_out += 1
            elif count == FOLDER_LIMIT:
                cut_off = path
                break
            else:
                count += 1
                inside.append(file)
    return Found(tuple(dict.fromkeys(named)), tuple(dict.fromkeys(inside)), left_out, cut_off)


def _walk(folder: Path) -> Iterator[Path]:
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(at, name) for name in sorted(files) if not name.startswith("."))


def local_paths(mime: QMimeData) -> list[Path]:
    """The local files and folders in a drop or on the clipboard."""
    return [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()] if mime.hasUrls() else []


def remote_names(mime: QMimeData) -> list[str]:
    """What a drop only points at on the web, by name."""
    urls = [url for url in mime.urls() if url.scheme() in _REMOTE] if mime.hasUrls() else []
    return [url.fileName() or url.host() for url in urls]


def takes(mime: QMimeData) -> bool:
    """Whether a drop holds something for the tray: files, folders, a picture, or at least says where one is."""
    return bool(local_paths(mime)) or mime.hasImage() or _inline(mime) is not None or bool(remote_names(mime))


def is_media(mime: QMimeData) -> bool:
    """Whether what is pasted into the prompt is for the tray. Office programs add a picture to text."""
    return bool(local_paths(mime)) or (mime.hasImage() and not mime.hasText())


def picture(mime: QMimeData) -> QImage | None:
    """The bitmap on the clipboard or in a drop; None without one."""
    image = mime.imageData() if mime.hasImage() else _inline(mime)
    return image if isinstance(image, QImage) and not image.isNull() else None


def _inline(mime: QMimeData) -> QImage | None:
    """The picture that a browser wrote into the address itself (`data:image/png;base64,…`)."""
    for url in mime.urls() if mime.hasUrls() else ():
        head, _, body = url.path().partition(",")
        if url.scheme() == "data" and head.startswith("image/") and head.endswith(";base64"):
            try:
                return QImage.fromData(base64.b64decode(body))
            except binascii.Error:
                return None
    return None


def png_bytes(image: QImage) -> bytes:
    """A bitmap as PNG. Takes its time with large ones: use a thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data())
