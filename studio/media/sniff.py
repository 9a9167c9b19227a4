"""What a file is by its first bytes, where FFmpeg and Pillow have no word for it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

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
    kinds = [kind for kind, _, _ in _top_boxes(path)]
    return bool(kinds) and kinds[0] in _FIRST_BOXES and not {b"moov", b"moof"} & set(kinds)


def torn_boxes(path: Path) -> bool:
    """Whether the last box of an ISO media file (HEIF, AVIF) says that it ends after the file does."""
    ends = [end for _, _, end in _top_boxes(path)]
    return bool(ends) and ends[-1] > path.stat().st_size


def display_matrices(path: Path) -> dict[int, tuple[int, ...]]:
    """By track id, the nine numbers of each track's display matrix in an MP4 or MOV (ISO/IEC 14496-12, 8.3.2)."""
    found = {}
    with path.open("rb") as fp:
        for moov in _boxes(fp, b"moov", 0, path.stat().st_size):
            for trak in _boxes(fp, b"trak", *moov):
                for start, _ in _boxes(fp, b"tkhd", *trak):
                    fp.seek(start)
                    head = fp.read(96)
                    ident, matrix = (20, 52) if head[:1] == b"\x01" else (12, 40)
                    numbers = head[matrix : matrix + 36]
                    if len(numbers) == 36:
                        found[int.from_bytes(head[ident : ident + 4])] = struct.unpack(">9i", numbers)
    return found


def _boxes(fp: BinaryIO, kind: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """Where the contents of the boxes of one kind are, between two places of a file."""
    return [(inside, after) for name, inside, after in _walk(fp, start, end) if name == kind]


def _top_boxes(path: Path) -> list[tuple[bytes, int, int]]:
    with path.open("rb") as fp:
        return list(_walk(fp, 0, path.stat().st_size))


def _walk(fp: BinaryIO, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """(kind, start of its contents, end) of the boxes of an ISO media file from `at` on (ISO/IEC 14496-12, 4.2)."""
    while at + 8 <= end:
        fp.seek(at)
        head = fp.read(16)
        length, kind, inside = int.from_bytes(head[:4]), head[4:8], at + 8
        if length == 1:
            length, inside = int.from_bytes(head[8:16]), at + 16
        elif length == 0:
            length = end - at
        if length < 8:
            return
        at += length
        yield kind, inside, at
