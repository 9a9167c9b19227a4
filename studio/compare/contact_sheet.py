"""A contact sheet: frames of A, of B and a picture of both (their difference, most often) in rows under the verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from studio.compare.drawing import (
    DIFFERENCE_COLOUR,
    GROUND,
    INK,
    SIDE_COLOURS,
    Drawn,
    View,
    drawn_pairs,
    font,
    same_orientation,
    tab,
)
from studio.compare.result import Comparison

PANEL = 280
"""Longest side of a picture in pixels."""
COLUMNS = 6
GAP = 12
CAPTION = 20
LINE = 24
TITLE_SIZE, TEXT_SIZE, CAPTION_SIZE = 18, 15, 13


def write_contact_sheet(found: Comparison, path: Path, at: Sequence[int] = (), view: View | None = None) -> None:
    """Write the sheet as PNG: the pairs with these frames of A, or else `COLUMNS` evenly spread ones. Blocking.

    The third row is the picture of both that `view` has. Raises CompareError `compare.no_frame`.
    """
    view = (view or View()).beside_both
    if at:
        pairs = np.unique([found.pair_of(frame) for frame in at])
    else:
        even = np.linspace(0, found.frames_compared - 1, min(COLUMNS, found.frames_compared))
        pairs = np.unique(even.astype(np.int64))
    scale = PANEL / max(found.width, found.height)
    size = max(2, round(found.width * scale)), max(2, round(found.height * scale))
    width = max(3 * PANEL, GAP + len(pairs) * (size[0] + GAP))
    head = _head(found, width)
    rows = 3 * (size[1] + CAPTION + GAP)
    sheet = Image.new("RGB", (width, head.height + rows), GROUND)
    sheet.paste(head, (0, 0))
    for column, drawn in enumerate(drawn_pairs(found, pairs, size, view)):
        _paste_column(sheet, found, drawn, GAP + column * (size[0] + GAP), head.height)
    for number, label in enumerate(view.labels):
        stamp = tab(label, SIDE_COLOURS.get(label, DIFFERENCE_COLOUR))
        sheet.paste(stamp, (GAP, head.height + number * (size[1] + CAPTION + GAP)))
    sheet.save(path, format="PNG")


def _head(found: Comparison, width: int) -> Image.Image:
    lines = textwrap.wrap(found.verdict_text(), (width - 2 * GAP) * 2 // TEXT_SIZE)
    lines += [fault.message.text() for fault in found.faults]
    lines.append(
        f"MAD {found.mad:.2f}   PSNR {found.psnr:.2f} dB   SSIM {found.ssim:.4f}   {found.frames_compared} frames   "
        f"offset {found.alignment.offset_frames:+d}"
    )
    head = Image.new("RGB", (width, 2 * GAP + LINE * (1 + len(lines))), GROUND)
    draw = ImageDraw.Draw(head)
    draw.text((GAP, GAP), found.verdict, fill=INK, font=font(TITLE_SIZE))
    names = f"A {found.a.name}    B {found.b.name}"
    draw.text((width - GAP, GAP), names, fill=DIFFERENCE_COLOUR, font=font(TEXT_SIZE), anchor="ra")
    for number, line in enumerate(lines, 1):
        draw.text((GAP, GAP + number * LINE), line, fill=INK, font=font(TEXT_SIZE))
    return head


def _paste_column(sheet: Image.Image, found: Comparison, drawn: Drawn, left: int, top: int) -> None:
    draw = ImageDraw.Draw(sheet)
    frames, pair = found.frames, drawn.pair
    difference = f"MAD {frames.mad[pair]:.1f}" if same_orientation(found) else "other orientation"
    captions = (f"A {frames.a[pair]}", f"B {frames.b[pair]}", difference)
    colours = (SIDE_COLOURS["A"], SIDE_COLOURS["B"], DIFFERENCE_COLOUR)
    for picture, caption, colour in zip(drawn.panels, captions, colours, strict=True):
        sheet.paste(Image.fromarray(picture), (left, top))
        draw.text((left, top + picture.shape[0] + 3), caption, fill=colour, font=font(CAPTION_SIZE))
        top += picture.shape[0] + CAPTION + GAP
