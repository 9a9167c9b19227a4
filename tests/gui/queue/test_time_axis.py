"""The time axis of a render: what it says is what was recorded; pan, zoom, follow, read out; on any screen."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.core.words import Message
from studio.telemetry import Card, GpuReading, HostReading, Recording, Sample
from ui.queue.monitor import MonitorPanel
from ui.queue.series_colours import colour
from ui.queue.stages import Stage
from ui.queue.time_axis import TimeAxisView
from ui.queue.timeline import Timeline
from ui.theme.palette import apply
from ui.theme.tokens import ThemeName, tokens_of
from ui.widgets.plot import apart

GIB = 1 << 30
BEGAN = 1_000_000.0


def recording(cards: int = 2, seconds: int = 120, *, peak_at: int = 80, steps: int = 20) -> Recording:
    """A plateau with a peak of one sample, and a step every few seconds."""
    made = Recording(BEGAN)
    made.add_stage(0.0, "prepare")
    made.add_stage(10.0, "denoise")
    known = tuple(Card(index, "H200", f"GPU-{index}", total=96 * GIB) for index in range(cards))
    for second in range(seconds):
        used = 68 if second == peak_at else 56
        readings = tuple(GpuReading((used - index) * GIB, 99, 650, 57) for index in range(cards))
        made.add_sample(Sample(BEGAN + second, known, readings, HostReading(10 * GIB, 64 * GIB)))
        if second >= 10 and (second - 10) % 5 == 0 and (second - 10) // 5 <= steps:
            n = (second - 10) // 5
            made.add_step(float(second), n, steps, 5.0 if n else None)
    return made


def timeline(made: Recording | None = None, **more: object) -> Timeline:
    stages = [Stage("uploading", BEGAN - 10, BEGAN), Stage("prepare", BEGAN, BEGAN + 10)]
    stages.append(Stage("denoise", BEGAN + 10, BEGAN + 120))
    return Timeline(stages, now=BEGAN + 120, recording=made or recording(), **more)  # type: ignore[arg-type]


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[TimeAxisView]:
    shown = TimeAxisView()
    qtbot.addWidget(shown)
    shown.set_timeline(timeline())
    shown.resize(900, shown.sizeHint().height())
    shown.show()
    yield shown


def place(view: TimeAxisView, at: float) -> int:
    """The pixel of a wall time."""
    return round(view.place(at - view.timeline.start))


def span(view: TimeAxisView) -> float:
    start, end = view.shown
    return end - start


def wheel(view: TimeAxisView, x: float, turns: int) -> None:
    at = QPointF(x, 100)
    event = QWheelEvent(
        at,
        QPointF(view.viewport().mapToGlobal(QPoint(int(x), 100))),
        QPoint(),
        QPoint(0, 120 * turns),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_it_says_its_stages_and_its_peak(view: TimeAxisView) -> None:
    said = view.accessibleDescription()
    assert "denoising 1 min 50 s" in said and "GPU 0: peak 68.0 GB of 96.0" in said


def test_the_pointer_reads_out_everything_of_its_moment(view: TimeAxisView, qtbot: QtBot) -> None:
    qtbot.mouseMove(view.viewport(), QPoint(place(view, BEGAN + 80.5), 40))
    said = view.said()
    assert said[0].startswith("1:30 · ") and said[0].endswith("denoising")
    assert "step 14/20 · 5.0 s/step" in said
    assert "GPU 0  68.0 GB · 99 % · 650 W · 57 °C" in said and "GPU 1  67.0 GB · 99 % · 650 W · 57 °C" in said
    assert "main memory 10.0 of 64.0 GB" in said


def test_the_wheel_zooms_where_the_pointer_is_and_a_drag_pans(view: TimeAxisView, qtbot: QtBot) -> None:
    at, before = BEGAN + 40, span(view)
    x = place(view, at)
    wheel(view, x, 4)
    assert span(view) < 0.5 * before and place(view, at) == pytest.approx(x, abs=2)
    start = view.shown[0]
    drag(view, qtbot, 400, 300)
    assert view.shown[0] > start
    wheel(view, x, -40)
    assert view.is_whole


def drag(view: TimeAxisView, qtbot: QtBot, start: int, end: int) -> None:
    """Over the second plot, so that the others must follow it; until the view has moved."""
    port, before, held = view.viewport(), view.shown, Qt.MouseButton.LeftButton
    places = itertools.chain(range(start, end, 10 if end > start else -10), itertools.repeat(end))

    def moved() -> bool:
        there = QPointF(next(places), 100)
        where = there, port.mapToGlobal(there)
        event = QMouseEvent(QEvent.Type.MouseMove, *where, held, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(port, event)
        return abs(view.shown[0] - before[0]) > 5

    qtbot.mouseMove(port, QPoint(start, 100))
    qtbot.mousePress(port, held, pos=QPoint(start, 100))
    qtbot.waitUntil(moved)
    qtbot.mouseRelease(port, held, pos=QPoint(end, 100))


def test_all_plots_show_the_same_time(view: TimeAxisView, qtbot: QtBot) -> None:
    wheel(view, 300, 6)
    view.set_lane("power", True)
    ranges = [plot.viewRange()[0] for plot in view.plots]
    assert len(ranges) == 4 and all(one == pytest.approx(ranges[0]) for one in ranges)
    assert len({plot.vb.sceneBoundingRect().left() for plot in view.plots}) == 1
    assert len({plot.vb.sceneBoundingRect().width() for plot in view.plots}) == 1


def test_everything_can_be_done_by_keys(view: TimeAxisView, qtbot: QtBot) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    middle = view.said()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert middle and view.said() != middle, "with nothing to pan the moment moves"
    assert view.accessibleDescription() == "\n".join(view.said())
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert not view.is_whole
    start = view.shown[0]
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.shown[0] == pytest.approx(start - 0.1 * span(view))
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.shown[1] == pytest.approx(BEGAN + 120)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.shown[0] == pytest.approx(BEGAN - 10) and view.said()[0].startswith("0:00")
    for _ in range(130):
        qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.shown[1] == pytest.approx(BEGAN + 120, abs=2), "the view comes along with the moment"
    qtbot.keyClick(view, Qt.Key.Key_0)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.is_whole and view.said() == []


def test_following_keeps_the_newest_in_view(qtbot: QtBot) -> None:
    panel = MonitorPanel()
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show()
    panel.set_timeline(timeline(running=True, left=(60.0, 90.0)))
    qtbot.mouseClick(panel.follow_button, Qt.MouseButton.LeftButton)
    width = span(panel.axis)
    later = Timeline(timeline().stages, now=BEGAN + 150, recording=recording(), running=True, left=(30.0, 60.0))
    panel.set_timeline(later)
    start, end = panel.axis.shown
    assert start < BEGAN + 150 < end and end - start == pytest.approx(width)
    qtbot.keyClick(panel.axis, Qt.Key.Key_F)
    assert not panel.axis.follows and not panel.follow_button.isChecked()
    qtbot.keyClick(panel.axis, Qt.Key.Key_F)
    assert panel.axis.follows and panel.follow_button.isChecked()
    panel.set_timeline(timeline(running=False))
    assert panel.axis.is_whole and not panel.follow_button.isVisible()


def test_further_curves_come_on_demand(qtbot: QtBot) -> None:
    panel = MonitorPanel()
    qtbot.addWidget(panel)
    panel.set_timeline(timeline())
    height = panel.axis.sizeHint().height()
    for button in panel.lane_buttons.values():
        button.click()
    assert panel.axis.sizeHint().height() > height + 120
    panel.lane_buttons["power"].click()
    assert panel.axis.sizeHint().height() < height + 160


def ink(view: TimeAxisView, shade: str) -> int:
    """How many pixels have a colour."""
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    wanted = int(shade[1:], 16)
    return sum(image.pixel(x, y) & 0xFFFFFF == wanted for x in range(image.width()) for y in range(image.height()))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_card_is_drawn_and_labelled_in_its_own_colour(qtbot: QtBot, theme: ThemeName) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    look = apply(app, theme)
    try:
        view = TimeAxisView()
        qtbot.addWidget(view)
        view.set_timeline(timeline(recording(cards=3)))
        view.resize(500, view.sizeHint().height())
        for position in range(3):
            assert ink(view, colour(position, tokens_of(theme))) > 100, position
    finally:
        look.set_scheme("dark")


def luminance(shade: str) -> float:
    parts = [int(shade[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_line_stands_out_from_its_ground(theme: ThemeName) -> None:
    t = tokens_of(theme)
    for position in range(8):
        for ground in (t.ground, t.surface):
            light, dark = sorted((luminance(colour(position, t)), luminance(ground)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, (position, ground)


def seen_without_red_or_green(shade: str, kind: str) -> tuple[float, float, float]:
    """A colour as somebody with deuteranopia or protanopia sees it (Viénot, Brettel and Mollon 1999)."""
    r, g, b = ((int(shade[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5))
    if kind == "protan":
        both, blue = 0.1124 * r + 0.8876 * g, 0.0040 * r - 0.0040 * g + b
    else:
        both, blue = 0.2927 * r + 0.7073 * g, -0.0223 * r + 0.0223 * g + b
    return max(both, 0.0) ** (1 / 2.2), max(both, 0.0) ** (1 / 2.2), max(blue, 0.0) ** (1 / 2.2)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("kind", ["protan", "deutan"])
def test_neighbours_differ_for_those_who_see_red_and_green_alike(theme: ThemeName, kind: str) -> None:
    seen = [seen_without_red_or_green(colour(position, tokens_of(theme)), kind) for position in range(4)]
    for one in range(4):
        for other in range(one):
            assert math.dist(seen[one], seen[other]) > 0.10, (one, other)


def test_the_last_run_lies_behind_from_where_denoising_began(qtbot: QtBot) -> None:
    ghost = recording()
    ghost.stages = [(0.0, "prepare"), (30.0, "denoise")]
    assert timeline(ghost=ghost).ghost_zero() == BEGAN + 10 - 30
    assert timeline(ghost=Recording(0.0)).ghost_zero() is None


def test_a_server_that_tells_nothing_says_why(qtbot: QtBot) -> None:
    silent = Recording(BEGAN)
    silent.trouble = Message("gpu.elsewhere")
    silent.add_step(1.0, 0, 20)
    view = TimeAxisView()
    qtbot.addWidget(view)
    view.set_timeline(timeline(silent, unseen=True))
    view.resize(900, view.sizeHint().height())
    assert view.sizeHint().height() > 100, "lanes with a sentence each"
    assert [bool(plot.note) for plot in view.plots] == [False, True, True]
    assert not view.grab().isNull()


def test_gaps_and_absurd_values_leave_the_rest(qtbot: QtBot) -> None:
    made = Recording(BEGAN)
    card = (Card(0, "H200", total=96 * GIB),)
    for second, used in enumerate((None, 50 * GIB, 10**27, None, 51 * GIB, 52 * GIB)):
        made.add_sample(Sample(BEGAN + second, card, (GpuReading(used),)))
    view = TimeAxisView()
    qtbot.addWidget(view)
    view.set_timeline(timeline(made))
    view.resize(600, view.sizeHint().height())
    assert "peak 52.0 GB of 96.0" in view.accessibleDescription()
    assert ink(view, colour(0, tokens_of("dark"))) > 5


def test_steps_that_take_no_time_are_drawn_as_well(qtbot: QtBot) -> None:
    quick = Recording(BEGAN)
    for n in range(4):
        quick.add_step(10.0, n, 3, 0.0 if n else None)
    view = TimeAxisView()
    qtbot.addWidget(view)
    view.set_timeline(timeline(quick))
    view.resize(600, view.sizeHint().height())
    assert not view.grab().isNull()


def test_labels_never_cover_each_other() -> None:
    places = apart([50, 50, 50, 51], 14, 10, 100)
    assert all(b - a >= 14 for a, b in itertools.pairwise(places)) and places[-1] <= 100
    assert apart([200, 300], 14, 10, 100) == [86, 100]


def test_the_picture_goes_into_a_file(view: TimeAxisView, tmp_path: Path) -> None:
    picture = view.picture(1200, "a red kite")
    assert picture.save(str(tmp_path / "p.png")) and picture.width() > 2400
    middle = picture.width() // 2
    assert len({picture.pixel(middle, y) for y in range(picture.height())}) > 4


def test_a_state_in_which_only_time_has_passed_is_not_drawn_every_time(view: TimeAxisView, qtbot: QtBot) -> None:
    before = view.viewport().grab().toImage()
    soon = timeline(view.timeline.recording, left=None)
    view.set_timeline(replace(soon, now=BEGAN + 120.2))
    assert view.viewport().grab().toImage() == before
    view.set_timeline(replace(soon, now=BEGAN + 120.3, broke=True))
    assert view.viewport().grab().toImage() != before, "what has happened is seen at once"


def test_lanes_come_and_go_and_the_colours_change_while_it_is_shown(view: TimeAxisView, qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    look = apply(app, "dark")
    try:
        for theme in ("light", "dark"):
            for on in (True, False):
                view.set_lane("load", on)
                view.set_lane("heat", on)
            look.set_scheme(theme)  # type: ignore[arg-type]
            assert ink(view, colour(0, tokens_of(theme))) > 100  # type: ignore[arg-type]
            assert view.backgroundBrush().color().name().upper() == tokens_of(theme).ground.upper()  # type: ignore[arg-type]
    finally:
        look.set_scheme("dark")


def test_the_window_comes_without_the_plotting_library() -> None:
    asked = "import sys, ui.studio; print([name for name in sys.modules if 'pyqtgraph' in name])"
    answer = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout.strip() == "[]"
