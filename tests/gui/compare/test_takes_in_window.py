"""Takes come from the library, from the queue and from the command line, and their marks go to the library."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.core import paths
from studio.jobs import Job, JobState
from studio.jobs.library.marks import read_marks
from tests.helpers import barcode
from tests.helpers.jobs import small_shot
from tests.helpers.results import write_result
from tests.helpers.waiting import until
from tests.helpers.window import a_window
from ui.app import make_parser
from ui.library.grid import ResultGrid
from ui.queue.menu import fill

Key = Qt.Key


def three_results() -> list[Path]:
    """Of one shot with three seeds, the oldest first."""
    folder = paths.results_dir() / "2026-11-28"
    folder.mkdir(parents=True)
    made = []
    for n in range(3):
        video = barcode.write(folder / f"1200{n:02d}_kite_s{n}.mp4", frames=8)
        made.append(write_result(video, created=1_790_000_000.0 + n, resolved={"seed": n}, job=f"j{n}"))
    return made


async def test_results_selected_in_the_library_are_chosen_among(qtbot: QtBot) -> None:
    videos = three_results()
    async with a_window() as studio:
        studio.window.go("go.library")
        library, takes = studio.library, studio.compare.takes
        await until(lambda: library.results.rowCount() == 3 and library.results.entry(library.results.page(0)[2]))
        grid = studio.window.findChild(ResultGrid)
        assert grid is not None
        for row in range(3):
            grid.selectionModel().setCurrentIndex(library.results.index(row), QItemSelectionModel.SelectionFlag.Select)
        await until(lambda: len(library.selected) == 3)
        grid.setFocus()
        qtbot.keyClick(grid, Key.Key_C)
        await until(lambda: takes.ready == 1)
        assert studio.window.workspace == "go.compare"
        assert [take.path for take in takes.takes] == videos
        assert [take.title for take in takes.takes] == ["Seed 0", "Seed 1", "Seed 2"]

        qtbot.keyClick(studio.window.focusWidget(), Key.Key_2)
        qtbot.keyClick(studio.window.focusWidget(), Key.Key_S)
        await until(lambda: read_marks(videos[1]).star)
        ids = library.results.page(0)
        await until(lambda: [library.results.entry(i).marks.star for i in ids] == [False, True, False])
        starred = next(i for i in ids if library.results.entry(i).marks.star)
        await studio.results.mark([starred], lambda marks: marks.but(reject=True))
        await until(lambda: takes.takes[1].marks.reject)
        assert not takes.takes[1].marks.star, "what the library says now"


async def test_the_seeds_of_one_batch_are_offered_in_the_queue(qtbot: QtBot) -> None:
    videos = three_results()
    async with a_window() as studio:
        studio.window.go("go.queue")
        for n, video in enumerate(videos):
            plain = {"id": f"j{n}", "created": time.time() + n, "shot": small_shot(seed=n), "state": JobState.DONE}
            batch = None if n == 0 else "j0"
            studio.jobs.changed.emit(Job.model_validate({**plain, "video": video, "batch": batch}))
        await until(lambda: studio.queue.jobs.rowCount() == 3)
        job = studio.queue.jobs.get("j1")
        assert job is not None
        menu = QMenu(studio.window)
        fill(menu, studio.queue, job)
        action = next(action for action in menu.actions() if "takes" in action.text())
        assert action.text() == "Choose among its 3 takes"
        action.trigger()
        await until(lambda: studio.compare.takes.ready == 1)
        assert studio.window.workspace == "go.compare"
        assert [take.path for take in studio.compare.takes.takes] == videos


def test_the_command_line_names_clips_to_compare() -> None:
    assert make_parser().parse_args(["--compare", "a.mp4", "b.mp4"]).compare == [Path("a.mp4"), Path("b.mp4")]
