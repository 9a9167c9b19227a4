"""The small shared parts: findings, notices, empty states, segments, flow, elided labels."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.contract.findings import Finding, Mend, Severity
from studio.core.notices import Notice
from studio.core.words import Message, sentences
from ui.widgets import finding as finding_module
from ui.widgets.elided import ElidedLabel, FactsLabel
from ui.widgets.empty import EmptyState
from ui.widgets.finding import FindingRow
from ui.widgets.flow import Flow
from ui.widgets.notice import NoticeBar
from ui.widgets.segmented import Segmented

sentences(
    {
        "test.too_long": "Video 1 is {is_:sec} s long; 15.00 s is the limit.",
        "test.trim": "Trim to {seconds:sec} s",
        "test.try_again": "Try again.",
    }
)


def test_a_finding_says_what_is_wrong_and_offers_its_mends(qtbot: QtBot) -> None:
    mend = Mend("test.trim", {"seconds": 14.375})
    row = FindingRow(Finding("test.too_long", Severity.ERROR, "r1", {"is_": 15.0833}, (mend,)))
    qtbot.addWidget(row)
    assert row.accessibleName() == "Error: Video 1 is 15.08 s long; 15.00 s is the limit."
    assert row.buttons[0].text() == "Trim to 14.37 s"
    with qtbot.waitSignal(row.mend_requested) as heard:
        row.buttons[0].click()
    assert heard.args == [mend]


def test_a_finding_follows_the_language(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    row = FindingRow(Finding("test.too_long", Severity.WARNING, "r1", {"is_": 15.0833}))
    qtbot.addWidget(row)
    monkeypatch.setattr(finding_module, "tr", lambda text: f"«{text}»")
    QApplication.sendEvent(row, QEvent(QEvent.Type.LanguageChange))
    assert row.accessibleName().startswith("«Warning»: ")


def test_a_notice_shows_copies_and_goes(qtbot: QtBot) -> None:
    window = QWidget()
    bar = NoticeBar(window)
    qtbot.addWidget(window)
    window.show()
    assert not bar.isVisible()
    bar.show_notice(Notice("bad", Message("test.too_long", {"is_": 16}), Message("test.try_again"), "errno 5"))
    assert bar.isVisible()
    qtbot.mouseClick(bar.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied == "Video 1 is 16.00 s long; 15.00 s is the limit. Try again.\n\nerrno 5"
    with qtbot.waitSignal(bar.dismissed):
        qtbot.mouseClick(bar.dismiss_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    bar.show_notice(Notice("info", Message("test.try_again")))
    assert not bar.copy_button.isVisible()


def test_an_empty_state_has_its_button_or_none(qtbot: QtBot) -> None:
    state = EmptyState("compare", "Open two clips.", "Open…")
    bare = EmptyState("compare", "Nothing yet.")
    for widget in (state, bare):
        qtbot.addWidget(widget)
        widget.show()
    assert not bare.button.isVisible()
    with qtbot.waitSignal(state.pressed):
        qtbot.mouseClick(state.button, Qt.MouseButton.LeftButton)


def test_exactly_one_segment_is_down(qtbot: QtBot) -> None:
    row = Segmented([("side", "Side by side"), ("wipe", "Wipe")], "Mode")
    qtbot.addWidget(row)
    assert row.current() == "side"
    with qtbot.waitSignal(row.chosen) as heard:
        row.buttons["wipe"].click()
    assert heard.args == ["wipe"]
    with qtbot.assertNotEmitted(row.chosen):
        row.set_current("side")
    assert row.current() == "side"
    assert row.buttons["wipe"].accessibleName() == "Mode: Wipe"


def test_a_flow_wraps_and_leaves_hidden_widgets_out(qtbot: QtBot) -> None:
    flow = Flow(spacing=4)
    buttons = [QPushButton(f"Button {n}") for n in range(6)]
    for button in buttons:
        button.setFixedSize(100, 28)
        flow.add(button)
    qtbot.addWidget(flow)
    flow.resize(320, 200)
    flow.show()
    assert [b.pos().toTuple() for b in buttons[:4]] == [(0, 0), (104, 0), (208, 0), (0, 32)]
    assert flow.heightForWidth(320) == 60
    assert flow.heightForWidth(100) == 6 * 28 + 5 * 4
    buttons[1].hide()
    qtbot.waitUntil(lambda: buttons[2].pos().toTuple() == (104, 0))
    flow.clear()
    qtbot.waitUntil(lambda: not flow.findChildren(QPushButton))
    assert flow.heightForWidth(320) == 0


def test_a_long_name_loses_its_middle_only_on_the_screen(qtbot: QtBot) -> None:
    label = ElidedLabel("a very long name of a file that nobody can read in full.mp4")
    plain = QLabel(label.text())
    for widget in (label, plain):
        qtbot.addWidget(widget)
    assert label.minimumSizeHint().width() < plain.minimumSizeHint().width()
    assert label.toolTip() == label.text()
    label.resize(80, 20)
    label.grab()


def test_facts_go_whole_and_the_last_first(qtbot: QtBot) -> None:
    label = FactsLabel("640 × 360 · 30 fps · h264")
    qtbot.addWidget(label)
    wide = label.fontMetrics().horizontalAdvance
    assert label.fitting(wide(label.text())) == label.text() == label.toolTip()
    assert label.fitting(wide(label.text()) - 1) == "640 × 360 · 30 fps · …"
    assert label.fitting(wide("640 × 360 · …")) == "640 × 360 · …"
    assert label.fitting(wide("640 × 360 · …") - 1) == ""
