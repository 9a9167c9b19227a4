"""Three and four clips: all of them on one clock, and any of them against A."""

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.compare.conftest import opened
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel


async def test_a_grid_of_four_shows_the_same_moment_and_any_of_them_is_measured(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    a, b = barcode.write(tmp_path / "a.mp4", frames=24), barcode.write(tmp_path / "b.mp4", frames=24)
    slow, fast = barcode.write(tmp_path / "c.mp4", frames=12, fps=12), barcode.write(tmp_path / "d.mp4", frames=20)
    workspace.take([a, b, slow, fast])
    await until(lambda: model.comparison is not None)
    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_7)
    model.playback.seek(18)
    await until(lambda: model.shown.position == 18 and model.shown.pictures.beside is not None)
    pictures = (model.shown.pictures.a, model.shown.pictures.b, *model.shown.pictures.beside)
    assert [barcode.read(picture) for picture in pictures] == [18, 18, 9, 18]
    assert all(view.isVisible() for view in workspace.stage.views)
    assert workspace.stage.beside[0].y() > workspace.stage.first.y()
    model.playback.seek(22)
    await until(lambda: model.shown.position == 22)
    assert model.shown.pictures.beside[1] is None, "D has ended"

    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
    await until(lambda: model.titles == ("a.mp4", "c.mp4", "b.mp4", "d.mp4") and model.comparison is not None)
    assert model.pair.b.info.path == slow
    assert model.comparison.frames_compared == 12
    assert model.playback.position == 11, "the same moment on the slower clock"
    assert workspace.header.beside[0].isVisible()


async def test_one_more_clip_goes_beside_a_pair(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, short_clip)
    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_7)
    assert model.mode == "side", "there is no third clip to be seen"
    assert not workspace.header.modes.buttons["grid"].isVisible()
    model.add(clip)
    await until(lambda: not model.opening and len(model.pair.clips) == 3)
    assert workspace.header.modes.buttons["grid"].isVisible()
    await until(lambda: model.comparison is not None)


async def test_the_probe_reads_every_clip_and_a_kept_offset_of_c_comes_back(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, short_clip)
    await until(lambda: model.comparison is not None)
    model.measure(5)
    await until(lambda: model.comparison is not None)
    workspace.take([clip, clip, short_clip])
    await until(lambda: not model.opening and len(model.pair.clips) == 3 and model.shown is not None)
    assert model.pair.beside[0].offset == 5
    qtbot.keyClick(workspace.stage.first, Qt.Key.Key_7)
    model.playback.seek(12)
    await until(lambda: model.shown.position == 12 and model.shown.pictures.beside is not None)
    assert barcode.read(model.shown.pictures.beside[0]) == 7
    of_a, of_b, of_c = model.colours_at(0.5, 0.5)
    assert of_a == of_b
    assert of_c is not None
    assert model.measures_at(12) is not None or model.is_measuring


async def test_a_b_of_another_shape_is_not_stretched_unasked(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, tmp_path: Path
) -> None:
    wide = barcode.write(tmp_path / "wide.mp4", frames=12, width=512, height=128)
    await opened(model, clip, wide)
    assert not workspace.header.fits.isVisible(), "side by side each has its own shape"
    model.set_mode("overlay")
    model.display.set_opacity(1.0)
    await until(lambda: model.shown.made is not None and not model.shown.made[0, :, :3].any())
    assert workspace.header.fits.isVisible()
    assert model.colours_at(0.5, 0.01)[1] is None, "a bar"
    model.display.set_fit("stretch")
    await until(lambda: model.shown.made[0, :, :3].any())
    assert model.colours_at(0.5, 0.01)[1] is not None
