"""What a file is by its first bytes, where FFmpeg and Pillow have no word for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

_FIRST_BOXES: Final = (b"ftyp", b"wide", b"mdat", b"free")
_MARKS: Final = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "a database"),
    (b"#EXTM3U", "a playlist"),
    (b"\x00\x00\x00\x01", "a bare stream without a container"),
)


def kind_of_bytes(head: bytes) -> str | None:
    """A few English words for what is certainly no media ("a web page"), or None."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    for mark, what in _MARKS:
        if start.startswith(mark):
            return what
    if start[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if start.startswith((b"<?xml", b"<svg")):
        return "an XML or SVG document"
    return "a text file" if _is_text(head) else None


def _is_text(head: bytes) -> bool:
    try:
        text = head[: len(head) - 3 if len(head) > 64 else len(head)].decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return all(c.isprintable() or c in "\t\r\n\f" for c in text)


def incomplete_mp4(path: Path) -> bool:
    """Whether the file is an MP4 or MOV whose boxes can be walked to the end without meeting an index (moov)."""
    kinds = [kind for kind, _ in _boxes(path)]
    return bool(kinds) and kinds[0] in _FIRST_BOXES and not {b"moov", b"moof"} & set(kinds)


def torn_boxes(path: Path) -> bool:
    """Whether the last box of an ISO media file (HEIF, AVIF) says that it ends after the file does."""
    ends = [end for _, end in _boxes(path)]
    return bool(ends) and ends[-1] > path.stat().st_size


def _boxes(path: Path) -> Iterator[tuple[bytes, int]]:
    """(kind, end) of the boxes at the top of an ISO media file (ISO/IEC 14496-12, 4.2)."""
    size = path.stat().st_size
    at = 0
    with path.open("rb") as fp:
        while at + 8 <= size:
            fp.seek(at)
            head = fp.read(16)
            length, kind = int.from_bytes(head[:4]), head[4:8]
            if length == 1:
                length = int.from_bytes(head[8:16])
            elif length == 0:
                length = size - at
            if length < 8:
                return
            at += length
            yield kind, at
