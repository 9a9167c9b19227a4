"""Every shown frame is the right one, in every mode, of any file; and what a pair says where clips differ."""

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from studio.compare.compositing import LAID_OVER, MODES, Look, compose
from studio.core.notices import Notice
from tests.gui.compare.conftest import opened
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.pair import ClipPair
from ui.compare.still import as_seen
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel

N = 30
UNEVEN = [0, 20, 90, 120, 180, 230, 300, 310, 390, 420, 500, 540, 600, 640, 690, 760, 800, 850, 900, 910]
UPRIGHT = ["red", "green", "blue", "yellow"]

FILES: dict[str, dict[str, Any]] = {
    "23.976": {"fps": Fraction(24000, 1001)},
    "25 with B-frames": {"fps": 25, "b_frames": 3, "gop": 250},
    "59.94": {"fps": Fraction(60000, 1001), "gop": 250},
    "rotated": {"rotation": 90, "width": 320},
    "starts late": {"times": [250 + round(n * 1000 / 24) for n in range(N)]},
    "variable": {"times": UNEVEN, "frames": len(UNEVEN)},
}


def reading(picture: np.ndarray) -> int:
    """The number of a picture, however it is turned."""
    return next(barcode.read(p) for k in range(4) if barcode.corner_names(p := np.rot90(picture, k)) == UPRIGHT)


@pytest.mark.parametrize("name", FILES)
async def test_forwards_back_and_at_random(no_children_left: None, tmp_path: Path, name: str) -> None:
    path = barcode.write(tmp_path / "a.mp4", **{"frames": N, **FILES[name]})
    pair = await ClipPair.open(path, path)
    try:
        last = pair.positions - 1
        walk = [0, 1, 2, 1, last, last - 1, 0, *random.Random(name).choices(range(last + 1), k=10)]
        for position in walk:
            a, b = await pair.fetch(position), pair.numbers(position)[1]
            expected = pair.numbers(position)[0]
            if pair.by_time:
                due = position / pair.fps + UNEVEN[0] / 1000 + 1e-3
                assert expected == sum(moment / 1000 <= due for moment in UNEVEN) - 1
            else:
                assert expected == position
            for mode in MODES:
                made = compose(a.a, a.b, mode, Look())
                seen = as_seen(a.a, a.b, made, mode, "")
                if mode == "difference":
                    assert not seen[..., :3].any()
                elif mode in LAID_OVER:
                    assert reading(seen) == expected == b, (position, mode)
                else:
                    halves = np.array_split(seen, 2, axis=0 if mode == "stacked" else 1)
                    assert [reading(half) for half in halves] == [expected, b], (position, mode)
    finally:
        await pair.aclose()


async def test_other_rates_pair_by_time_say_so_and_never_slip(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=24)
    await opened(model, a, barcode.write(tmp_path / "b.mp4", frames=30, fps=30))
    assert "paired by time" in " ".join(label.text() for label in workspace.header.findChildren(QLabel))
    for _ in range(10):
        model.playback.play()
        model.playback.pause()
        qtbot.keyClick(workspace.stage.first, Qt.Key.Key_Right)
    await until(lambda: model.shown.position == model.playback.position)
    position = model.playback.position
    pictures = model.shown.pictures
    numbers = barcode.read(pictures.a), barcode.read(pictures.b)
    assert numbers == (position, position * 30 // 24)
    caption = f"Frame {numbers[0]} of A, {numbers[1]} of B"
    assert caption in [label.text() for label in workspace.panel.findChildren(QLabel)]


async def test_a_frame_without_a_partner_says_so(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=24)
    await opened(model, a, barcode.write(tmp_path / "b.mp4", frames=23))
    await until(lambda: model.comparison is not None)
    assert model.comparison.frames_compared == 23
    model.playback.seek(23)
    await until(lambda: model.shown.position == 23)
    assert model.shown.pictures.b is None
    assert "Frame 23 of A, – of B" in [label.text() for label in workspace.panel.findChildren(QLabel)]
    assert model.measures_at(23) is None


async def test_a_later_first_picture_is_said(workspace: CompareWorkspace, model: CompareModel, tmp_path: Path) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=24, sound=True)
    late = [250 + round(n * 1000 / 24) for n in range(24)]
    await opened(model, a, barcode.write(tmp_path / "b.mp4", frames=24, times=late, sound=True))
    said = " ".join(label.text() for label in workspace.header.findChildren(QLabel))
    assert "first picture at 0.25 s · 6 frames late · paired by number" in said
    assert model.pair.numbers(7) == (7, 7)


async def test_a_portrait_is_not_laid_over_a_landscape(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, posted: list[Notice], qtbot: QtBot
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=12, width=320)
    await opened(model, a, a)
    model.set_mode("difference")
    await opened(model, a, barcode.write(tmp_path / "b.mp4", frames=12, height=320))
    assert model.mode == "side"
    assert not workspace.header.modes.buttons["difference"].isEnabled()
    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_3)
    assert model.mode == "side"
    assert [notice.message.code for notice in posted] == ["ui.compare.other_orientation"]
    await until(lambda: model.comparison is not None)


async def test_a_b_of_another_size_is_scaled_for_one_picture_of_both_and_that_is_said(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=12)
    await opened(model, a, barcode.write(tmp_path / "b.mp4", frames=12, width=512, height=512))
    said = workspace.header._scaled
    assert "512×512" in " ".join(label.text() for label in workspace.header.findChildren(QLabel))
    assert not said.isVisible() and model.shown.pictures.b.shape[:2] == (512, 512), "each in its own pixels"
    model.set_mode("difference")
    await until(lambda: model.shown.made is not None)
    assert said.isVisible() and said.text() == "· scaled to A's size"
    assert model.shown.made.shape[:2] == (256, 256)


async def test_frames_are_counted_from_0_everywhere(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(model, clip, clip)
    await until(lambda: model.comparison is not None)
    assert barcode.read(model.shown.pictures.a) == 0
    assert "0 / 39" in [label.text() for label in workspace.transport.findChildren(QLabel)]
    assert model.comparison.frames.a[0] == model.comparison.frames.b[0] == 0
    made = clip.with_name("measures.csv")
    model.export(made)
    await until(made.exists)
    assert made.read_text().splitlines()[1].startswith("0,0,")
    asked: list[str] = []
    monkeypatch.setattr(workspace, "_choose_file", lambda _title, name, *_: asked.append(name))
    menu = QMenu(workspace)
    workspace.fill_exports(menu)
    menu.actions()[0].trigger()
    assert asked == ["a frame 0.png"]
    assert any("counted from 0" in label.toolTip() for label in workspace.transport.findChildren(QLabel))
