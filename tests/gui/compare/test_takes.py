"""Takes of one shot: in step on one clock, kept or rejected by key, two of them opened as a pair."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.contract import Shot
from studio.core import paths
from studio.core.notices import Notice
from studio.jobs.library.marks import Marks, marks_of, read_marks
from tests.gui.compare.conftest import opened
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.takes.stage import columns_for
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel

Key = Qt.Key


def a_take(path: Path, seed: int, **how: object) -> Path:
    """A result with its recipe."""
    barcode.write(path, **({"frames": 24} | how))  # type: ignore[arg-type]
    recipe = {"created": "2026-01-01T12:00:00+00:00", "shot": Shot(seed=seed).model_dump(mode="json")}
    path.with_suffix(".json").write_text(json.dumps(recipe | {"resolved": {"seed": seed}}))
    return path


async def all_read(workspace: CompareWorkspace, files: Sequence[Path]) -> None:
    """Show takes and wait until all of each is read."""
    workspace._model.takes.open(files)
    takes = workspace.takes
    await until(lambda: len(takes.stage.cells) == len(files) and takes._model.ready == 1)
    await until(workspace._model.takes._opening.done, "the pictures that came last")
    await shown(takes._model)


async def shown(model: object) -> None:
    await until(lambda: model.shown == model.playback.position and not model._stale and not model._showing)


def numbers(model: CompareModel) -> list[int | None]:
    """The frame numbers that can be read off the takes."""
    return [None if take.picture is None else barcode.read(take.picture) for take in model.takes.takes]


async def test_takes_play_by_one_clock_whatever_their_rate_and_length(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    usual, slow = a_take(tmp_path / "a.mp4", 1), a_take(tmp_path / "b.mp4", 2, frames=12, fps=12)
    short, large = a_take(tmp_path / "c.mp4", 3, frames=15), a_take(tmp_path / "d.mp4", 4, width=1024, height=768)
    await all_read(workspace, [usual, slow, short, large])
    takes, stage = model.takes, workspace.takes.stage
    assert (takes.positions, takes.fps) == (24, 24)
    assert numbers(model) == [0, 0, 0, 0]
    assert max(takes.takes[3].picture.shape[:2]) == 720, "decoded at the size at which it is seen"
    assert stage.cells[0].hasFocus()
    for key, modifier, expected in (
        (Key.Key_Right, Qt.KeyboardModifier.NoModifier, [1, 0, 1, 1]),
        (Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, [18, 9, None, 18]),
        (Key.Key_End, Qt.KeyboardModifier.NoModifier, [23, 11, None, 23]),
        (Key.Key_Home, Qt.KeyboardModifier.NoModifier, [0, 0, 0, 0]),
    ):
        qtbot.keyClick(workspace.focusWidget(), key, modifier)
        await shown(takes)
        assert numbers(model) == expected, key
        assert ("ended" in stage.cells[2].said()) == (expected[2] is None)
    seen: list[list[int | None]] = []
    takes.shown_changed.connect(lambda: seen.append(numbers(model)))
    takes.playback.set_range(0, 11)
    qtbot.keyClick(workspace.focusWidget(), Key.Key_Space)
    await until(lambda: len(seen) > 8)
    qtbot.keyClick(workspace.focusWidget(), Key.Key_K)
    assert all(a == c == d and b == a // 2 for a, b, c, d in seen), "whatever was dropped, all are in step"


async def test_keys_keep_reject_and_open_a_pair(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    files = [a_take(tmp_path / f"{seed}.mp4", seed, frames=8) for seed in range(9)]
    await all_read(workspace, files)
    page, takes = workspace.takes, model.takes

    def press(key: Key) -> None:
        qtbot.keyClick(workspace.focusWidget(), key)

    press(Key.Key_3)
    assert takes.current == 2
    press(Key.Key_S)
    press(Key.Key_Down)
    press(Key.Key_X)
    await until(lambda: read_marks(files[2]) == Marks(star=True) and read_marks(files[3]) == Marks(reject=True))
    assert page._facts.text() == "1 starred · 1 rejected"
    assert "starred" in page.stage.cells[2].accessibleName() and "Seed 2" in page.stage.cells[2].accessibleName()
    press(Key.Key_S)
    await until(lambda: read_marks(files[3]) == Marks(star=True))
    press(Key.Key_S)
    await until(lambda: not marks_of(files[3]).exists())

    controls = [w for w in page.findChildren(QWidget) if w.focusPolicy() != Qt.FocusPolicy.NoFocus and w.isVisible()]
    assert len(controls) > 18
    for widget in controls:
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget

    press(Key.Key_9)
    press(Key.Key_3)
    assert page.buttons["library.compare"].text() == "Compare 9 with 3"
    press(Key.Key_C)
    await until(lambda: model.pair is not None)
    assert model.titles == ("Seed 8", "Seed 2")
    assert workspace.stage.isVisible() and not page.isVisible()
    workspace.stage.first.setFocus()
    press(Key.Key_9)
    assert page.isVisible() and page.stage.cells[2].hasFocus()
    press(Key.Key_Escape)
    assert workspace.stage.isVisible()


async def test_a_press_looks_at_a_take_and_two_compare_it(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    await all_read(workspace, [a_take(tmp_path / f"{seed}.mp4", seed, frames=8) for seed in range(2)])
    second = workspace.takes.stage.cells[1]
    qtbot.mouseClick(second, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    assert model.takes.current == 1 and second.hasFocus()
    qtbot.mouseClick(workspace.takes.buttons["library.reject"], Qt.MouseButton.LeftButton)
    await until(lambda: read_marks(model.takes.takes[1].path).reject)
    qtbot.mouseDClick(second, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    await until(lambda: model.pair is not None)


async def test_what_cannot_be_read_says_why_in_its_place(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, posted: list[Notice], qtbot: QtBot
) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"\0" * 4096)
    good = a_take(tmp_path / "good.mp4", 7, frames=8)
    model.takes.open([good, broken, tmp_path / "gone.mp4"])
    await until(lambda: model.takes.ready == 1)
    first, second, third = workspace.takes.stage.cells
    await until(lambda: "Seed 7" in first.said())
    assert "broken" in second.said() and "gone" in third.said()
    assert model.takes.takes[1].trouble is not None and model.takes.takes[2].trouble is not None
    assert model.takes.positions == 8
    qtbot.keyClick(workspace.focusWidget(), Key.Key_C)
    assert posted[-1].message.code == "ui.compare.one_take"
    qtbot.keyClick(workspace.focusWidget(), Key.Key_Escape)
    await until(lambda: workspace.empty.isVisible())


async def test_without_room_for_pictures_every_take_says_so(
    workspace: CompareWorkspace, model: CompareModel, clip: Path
) -> None:
    paths.cache_dir().mkdir(parents=True, exist_ok=True)
    (paths.cache_dir() / "frames").write_text("a file where a folder is wanted")
    model.takes.open([clip, clip])
    await until(lambda: len(model.takes.takes) == 2 and all(take.trouble for take in model.takes.takes))
    assert "Reading" not in workspace.takes.stage.cells[0].said()


async def test_more_than_four_files_are_takes_and_a_pair_takes_their_place(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path
) -> None:
    workspace.take([clip, short_clip] * 3)
    await until(lambda: len(model.takes.takes) == 6 and model.takes.ready == 1)
    assert workspace.takes.isVisible()
    await opened(model, clip, short_clip)
    assert workspace.stage.isVisible()
    model.takes.open([clip])
    await until(lambda: len(model.takes.takes) == 1 and model.takes.ready == 1)
    assert workspace.takes.isVisible() and len(workspace.takes.stage.cells) == 1


@pytest.mark.parametrize(
    ("count", "shape", "columns"), [(1, 1.78, 1), (2, 1.78, 2), (4, 1.78, 2), (9, 1.78, 3), (9, 0.57, 5), (6, 1.0, 3)]
)
def test_takes_stand_in_as_many_columns_as_make_them_largest(count: int, shape: float, columns: int) -> None:
    assert columns_for(count, shape, 1200, 600, 24) == columns
