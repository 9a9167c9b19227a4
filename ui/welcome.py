"""The first start: one question, three answers, each with a picture. Once answered it is not asked again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.core.words import Message, mark, tr
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from ui.welcome_drawing import Way, WayPicture
from ui.widgets.layouts import empty, widgets_of

if TYPE_CHECKING:
    from studio.server.discovery import Found

_WIDEST = 1020
_WAYS: tuple[tuple[Way, str, str], ...] = (
    (
        "rehearsal",
        mark("Try it without a GPU"),
        mark("A rehearsal server of our own takes your requests and gives back real videos made from your references."),
    ),
    (
        "connect",
        mark("Connect to a running server"),
        mark("A vLLM-Omni server with MiniMax-H3 that runs already, on this machine or another."),
    ),
    (
        "set_up",
        mark("Set one up on this machine"),
        mark("A profile for your GPUs, a doctor that says what is missing, and a button that starts it."),
    ),
)


class WelcomePage(QScrollArea):
    """Asks how to render. Says what the user chose; does nothing itself."""

    rehearsal_chosen = Signal()
    address_chosen = Signal(str, str)
    """An address and an API key, which may be empty."""
    unit_chosen = Signal(str)
    set_up_chosen = Signal()
    put_off = Signal()
    """The user wants to look around first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._trouble: Message | None = None
        self._found: tuple[Found, ...] = ()
        self._title, self._question, self.trouble = QLabel(), QLabel(), QLabel(wordWrap=True)
        set_role(self._title, "title")
        set_role(self._question, "dim")
        set_role(self.trouble, "bad")
        self._headings = {way: QLabel(wordWrap=True) for way, _, _ in _WAYS}
        self._texts = {way: QLabel(wordWrap=True) for way, _, _ in _WAYS}
        self.buttons = {way: QPushButton() for way, _, _ in _WAYS}
        self.later = QPushButton()
        set_role(self.later, "quiet")
        self.address = QLineEdit(placeholderText="http://192.168.1.20:8000")
        self.key = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self._found_box = QVBoxLayout()
        self._lay_out()
        self.buttons["rehearsal"].clicked.connect(lambda _checked=False: self.rehearsal_chosen.emit())
        self.buttons["connect"].clicked.connect(lambda _checked=False: self._connect())
        self.buttons["set_up"].clicked.connect(lambda _checked=False: self.set_up_chosen.emit())
        self.later.clicked.connect(lambda _checked=False: self.put_off.emit())
        for field in (self.address, self.key):
            field.returnPressed.connect(self._connect)
        self.show_trouble(None)

    def show_found(self, found: Sequence[Found]) -> None:
        """Offer servers that run here already."""
        self._found = tuple(found)
        empty(self._found_box)
        for server in self._found:
            button = QPushButton()
            button.clicked.connect(partial(self._take, server))
            self._found_box.addWidget(button)
        self._retranslate()

    def show_trouble(self, trouble: Message | None) -> None:
        """Say why the connection did not come about; None: nothing is wrong."""
        self._trouble = trouble
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        cards = QHBoxLayout()
        cards.setSpacing(SPACE_L)
        for way, _, _ in _WAYS:
            cards.addWidget(self._card(way), 1)
        page = QWidget(maximumWidth=_WIDEST)
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        column.setSpacing(SPACE_S)
        column.addStretch(1)
        column.addWidget(self._title)
        column.addWidget(self._question)
        column.addSpacing(SPACE_L)
        column.addLayout(cards)
        column.addSpacing(SPACE_S)
        column.addWidget(self.later, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addStretch(2)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.addStretch()
        row.addWidget(page, 100)
        row.addStretch()
        self.setWidget(whole)

    def _card(self, way: Way) -> QFrame:
        card = QFrame()
        set_role(card, "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_M)
        column.addWidget(WayPicture(way))
        set_role(self._headings[way], "heading")
        set_role(self._texts[way], "dim")
        column.addWidget(self._headings[way])
        column.addWidget(self._texts[way])
        if way == "connect":
            column.addLayout(self._found_box)
            for widget in (self.address, self.key, self.trouble):
                column.addWidget(widget)
        column.addStretch(1)
        set_role(self.buttons[way], "primary" if way == "rehearsal" else "")
        column.addWidget(self.buttons[way])
        return card

    def _retranslate(self) -> None:
        self._title.setText(tr("Welcome to H3 Studio"))
        self._question.setText(tr("Where shall it render? You can change this at any time under Server."))
        self.later.setText(tr("Look around first"))
        for way, heading, text in _WAYS:
            self._headings[way].setText(tr(heading))
            self._texts[way].setText(tr(text))
        for way, label in (("rehearsal", tr("Try it")), ("connect", tr("Connect")), ("set_up", tr("Set up…"))):
            self.buttons[way].setText(label)
        for way, heading, _ in _WAYS:
            self.buttons[way].setAccessibleName(tr(heading))
        self.address.setAccessibleName(tr("Address of the server"))
        self.key.setAccessibleName(tr("API key"))
        self.key.setPlaceholderText(tr("API key, if it wants one"))
        for button, server in zip(widgets_of(self._found_box), self._found, strict=True):
            if isinstance(button, QPushButton):
                button.setText(_found_text(server))
        self.trouble.setText(self._trouble.text() if self._trouble else "")
        self.trouble.setVisible(self._trouble is not None)

    def _connect(self) -> None:
        self.show_trouble(None)
        if not self.address.text().strip():
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)
        self.address_chosen.emit(self.address.text(), self.key.text())

    def _take(self, server: Found, _checked: bool = False) -> None:
        if server.unit:
            self.unit_chosen.emit(server.unit)
            return
        self.address.setText(server.url)
        if server.model is None and not self.key.text():
            self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._connect()


def _found_text(server: Found) -> str:
    if server.unit:
        return tr("Running unit {name}", name=server.unit)
    if server.model is None:
        return tr("{url} (wants an API key)", url=server.url)
    return f"{server.url} · {server.model}"
