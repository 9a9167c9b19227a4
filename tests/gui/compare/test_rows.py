"""Rows under the timeline, worst frames, recipe and what can be saved, through the window."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from studio.contract.shot import Shot
from studio.core.notices import Notice
from tests.gui.compare.conftest import opened
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel


async def test_curves_grow_while_it_measures(workspace: CompareWorkspace, model: CompareModel, tmp_path: Path) -> None:
    clip = barcode.write(tmp_path / "long.mp4", frames=300)
    seen: list[int] = []
    first: list[bool] = []
    model.measures.grew.connect(lambda: seen.append(int((~np.isnan(model.curve("mad"))).sum())))
    model.measures.grew.connect(lambda: first.append(model.comparison is None and model.measures_at(0).mad == 0))
    await opened(model, clip, clip)
    await until(lambda: model.comparison is not None)
    assert seen == sorted(seen)
    assert seen
    assert all(first), "the figures of a frame are there before the verdict"
    assert not np.isnan(model.curve("mad")).any()


async def test_the_rows_change_place_without_moving_anything(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    await until(lambda: model.comparison is not None)
    rows, height = workspace.transport.rows, workspace.stage.height()
    shown = ("change", rows.change_b), ("sound", rows.wave_b), ("spectrum", rows.spectrum_b), ("difference", rows.ssim)
    for page, row in shown:
        qtbot.mouseClick(rows.pages.buttons[page], Qt.MouseButton.LeftButton)
        assert row.isVisible()
        assert workspace.stage.height() == height
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(round(row.axis().x(17)), 10))
        assert model.playback.position == 17
        model.playback.seek(0)


async def test_the_sound_is_drawn_under_its_frames(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    heard = barcode.write(tmp_path / "heard.mp4", frames=40, sound=True)
    await opened(model, heard, clip)
    await until(lambda: model.hearing.tracks[0])
    assert model.hearing.tracks[1] is None
    rows = workspace.transport.rows
    qtbot.mouseClick(rows.pages.buttons["sound"], Qt.MouseButton.LeftButton)
    wave, axis = rows.wave_a, rows.wave_a.axis()
    image = wave.grab().toImage()
    middle = image.height() // 2

    def inked(frame: float) -> int:
        ground = image.pixelColor(round(axis.x(frame)) + 2, 1)
        column = (image.pixelColor(round(axis.x(frame)) + 2, y) for y in range(middle - 5, middle - 2))
        return sum(colour != ground for colour in column)

    assert inked(20)
    assert "LUFS, peak" in " ".join(label.text() for label in rows.findChildren(QLabel))
    assert rows.silent.isVisible()
    assert not rows.heard.isVisible(), "there is nothing to play sound on"
    model.playback.play()
    await until(lambda: model.playback.position > 0, "the pictures to play without it")
    model.playback.pause()
    model.playback.seek(0)
    qtbot.mouseClick(rows.pages.buttons["spectrum"], Qt.MouseButton.LeftButton)
    image, x = rows.spectrum_a.grab().toImage(), round(axis.x(20)) + 2
    brightness = [image.pixelColor(x, y).lightness() for y in range(6, image.height() - 6)]
    assert max(brightness) > 100
    assert min(brightness) < 40, "one tone, and dark around it"
    assert "LUFS, peak" in " ".join(label.text() for label in rows.findChildren(QLabel))


async def test_the_worst_frames_are_a_press_away(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=40, options={"crf": "10"})
    b = barcode.write(tmp_path / "b.mp4", frames=40, options={"crf": "40"})
    await opened(model, a, b)
    await until(lambda: len(model.worst) >= 2)
    assert model.worst[0].position == int(np.nanargmax(model.curve("mad")))
    positions = [worst.position for worst in model.worst]
    assert min(abs(p - q) for p in positions for q in positions if p != q) >= 17
    button = workspace.panel.worst.buttons[1]
    assert str(positions[1]) in workspace.panel.worst.captions[1].text()
    assert str(positions[1]) in button.accessibleName()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert model.playback.position == positions[1]


@pytest.mark.parametrize(("size", "shown"), [((640, 360), (106, 30)), ((360, 640), (63, 56))])
async def test_the_worst_frames_of_tall_clips_are_no_smaller(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, size: tuple[int, int], shown: tuple[int, int]
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=20, width=size[0], height=size[1], options={"crf": "10"})
    b = barcode.write(tmp_path / "b.mp4", frames=20, width=size[0], height=size[1], options={"crf": "40"})
    await opened(model, a, b)
    await until(lambda: model.worst)
    button = workspace.panel.worst.buttons[0]
    drawn = button.icon().actualSize(button.iconSize())
    assert button.height() >= drawn.height(), "not cut off"
    assert drawn.width() == pytest.approx(shown[0], abs=1) and drawn.height() == pytest.approx(shown[1], abs=1)


async def test_two_changes_at_once_are_warned_of(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path
) -> None:
    for video, seed, prompt in ((clip, 7, "a red kite"), (short_clip, 8, "a blue kite")):
        shot = Shot(seed=seed, prompt=prompt).model_dump(mode="json")
        video.with_suffix(".json").write_text(json.dumps({"shot": shot, "uploads": [], "server": {}}))
    await opened(model, clip, short_clip)
    await until(lambda: model.recipe is not None)
    texts = [label.text() for label in workspace.panel.recipe.findChildren(QLabel)]
    assert "2 things changed at once, so none of them alone explains the difference." in texts
    assert "Seed" in texts
    assert "Prompt" in texts


async def test_without_a_recipe_nothing_is_said(workspace: CompareWorkspace, model: CompareModel, clip: Path) -> None:
    await opened(model, clip, clip)
    await until(lambda: model.comparison is not None)
    assert not workspace.panel.recipe.isVisible()


@pytest.mark.parametrize(("mode", "size"), [("side", (512, 256)), ("stacked", (256, 512)), ("difference", (256, 256))])
async def test_the_picture_is_saved_as_it_is_seen(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, posted: list[Notice], mode: str, size: tuple[int, int]
) -> None:
    await opened(model, clip, clip)
    model.set_mode(mode)
    model.playback.seek(13)
    await until(lambda: model.shown.position == 13 and (mode != "difference" or model.shown.made is not None))
    made = clip.with_name("still.png")
    model.save_picture(made)
    await until(lambda: posted)
    assert posted[0].severity == "good"
    with Image.open(made) as image:
        assert image.size == size
        bgra = np.asarray(image.convert("RGBA"))[:256, :256]
    assert barcode.read(bgra) == (0 if mode == "difference" else 13)


async def test_a_looped_range_is_what_the_clip_holds(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, posted: list[Notice]
) -> None:
    import av

    await opened(model, clip, clip)
    await until(lambda: model.comparison is not None)
    model.playback.set_range(10, 21)
    menu = QMenu()
    workspace.fill_exports(menu)
    assert [action.isEnabled() for action in menu.actions()] == [True, True, False, True, True, True, False]
    assert "looped" in menu.actions()[3].text()
    made = clip.with_name("range.mp4")
    model.export(made)
    await until(made.exists)
    with av.open(str(made)) as box:
        pictures = [frame.to_ndarray(format="bgra") for frame in box.decode(video=0)]
    assert [barcode.read(picture[:256, :256]) for picture in pictures] == list(range(10, 22))


async def test_the_kind_of_difference_can_be_chosen(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    model.set_mode("difference")
    for _ in range(2):
        qtbot.keyClick(workspace.header.kinds, Qt.Key.Key_Down)
    await until(
        lambda: model.shown.made is not None and (model.shown.made[..., :3] == 128).all(), "grey: no difference"
    )
    assert workspace.header.kinds.currentText() == "Signed"
