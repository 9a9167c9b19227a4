"""A card of the tray: one reference with its picture, its facts, what will change, what is wrong, what can be done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QDrag, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.contract import MediaFacts, Reference, Unreadable
from studio.core.words import language, mark, tr
from ui.compose.card_menu import fill_card_menu
from ui.compose.describe import change_line, facts_line, plain_tag
from ui.compose.finding_list import FindingList
from ui.compose.picture import CardPicture
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import FOCUS_RING, RADIUS_CARD, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel
from ui.widgets.popup_button import PopupButton

REFERENCE_MIME = "application/x-h3studio-reference"
"""A card that is dragged: the reference's id as UTF-8."""

_SAID_BY_THE_ROW = frozenset({"ref.set_aside", "ref.other_task"})


class ReferenceCard(QFrame):
    """Shows one reference of the model; every act goes to the model, or up as a signal."""

    mention_requested = Signal(str)
    preview_requested = Signal()
    """The keyboard goes to this reference's preview."""
    locate_requested = Signal(str)

    def __init__(self, model: ComposeModel, reference: Reference, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.reference = reference
        self._pressed_at: QPoint | None = None
        self._shown: object = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_role(self, "card")
        self._picture = CardPicture(reference.kind)
        self._title = ElidedLabel()
        set_role(self._title, "heading")
        self._name = ElidedLabel()
        self.facts, self.changes = _wrapped(), _wrapped()
        set_role(self._name, "dim")
        set_role(self.facts, "faint")
        set_role(self.changes, "faint")
        self.mention = self._tool("@", self._on_mention)
        self.edit = self._tool("", self._on_edit)
        self.edit.setIcon(icon("trim" if reference.kind != "image" else "crop"))
        self.sound = self._tool("", self._on_sound)
        self.bring_back = self._tool("", self._on_bring_back)
        self.more = PopupButton("", self._fill_menu)
        self.removal = self._tool("", self._on_remove)
        self.removal.setIcon(icon("close"))
        self.findings = FindingList(model, self)
        self._lay_out()
        self.refresh()

    def _tool(self, text: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        set_role(button, "quiet")
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(0)
        for button in (self.mention, self.edit, self.sound, self.bring_back, self.more):
            tools.addWidget(button)
        tools.addStretch()
        tools.addWidget(self.removal)
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (self._title, self._name, self.facts, self.changes):
            words.addWidget(label)
        words.addStretch()
        words.addLayout(tools)
        top = QHBoxLayout()
        top.setSpacing(SPACE_M)
        top.addWidget(self._picture, alignment=Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(SPACE_S, SPACE_S, SPACE_XS, SPACE_S)
        self._column.setSpacing(SPACE_XS)
        self._column.addLayout(top)
        self._column.addWidget(self.findings)

    # Showing.

    def show_reference(self, reference: Reference) -> None:
        """Show another state of the same reference."""
        self.reference = reference
        self.refresh()

    def refresh(self) -> None:
        """Show what the model knows now; nothing is touched when that is what stands there already."""
        reference = self.reference
        known = self._model.facts.get(reference.id)
        image, peaks = self._model.thumbnail(reference), self._model.waveform(reference)
        findings = tuple(f for f in self._model.findings_of(reference.id) if f.code not in _SAID_BY_THE_ROW)
        own = self._model.tags.get(reference.id)
        drawn = (image and image.cacheKey(), peaks is None, reference.path in self._model.reading.glances)
        state = (reference, known, own, findings, self.is_sent, drawn, self._model.shot.frames, language())
        if state == self._shown:
            return
        self._shown = state
        self._picture.show_media(image, peaks, waits=known is None)
        self._show_facts(known)
        self._show_names()
        self._show_tools(known)
        self.findings.show_findings(findings)
        self.retranslate()

    def _show_facts(self, known: MediaFacts | Unreadable | None) -> None:
        facts = known if isinstance(known, MediaFacts) and known.kind == self.reference.kind else None
        glance = self._model.reading.glances.get(self.reference.path)
        reading = [facts_line(glance)] if glance else []
        line = facts_line(facts) if facts else "" if known else " · ".join([*reading, tr("Reading…")])
        self.facts.setText(_unbroken(line))
        self.changes.setText(_unbroken(change_line(self.reference, facts)) if facts else "")
        self.changes.setVisible(bool(self.changes.text()))

    def _show_tools(self, known: MediaFacts | Unreadable | None) -> None:
        has_sound = isinstance(known, MediaFacts) and known.video is not None and known.audio is not None
        self.sound.setVisible(has_sound)
        self.sound.setIcon(icon("sound" if self.reference.keep_sound else "sound-off"))
        self.edit.setVisible(isinstance(known, MediaFacts) and known.kind == self.reference.kind)
        self.bring_back.setVisible(self.reference.set_aside)
        self.mention.setVisible(bool(self._model.tags.get(self.reference.id)))  # what has no tag cannot be named

    def _show_names(self) -> None:
        file_name = self.reference.path.name
        if not self.is_sent:
            self._title.setText(file_name)
            self._name.setText(tr("set aside") if self.reference.set_aside else tr("not used by this task"))
            return
        roles = {"first": tr("First frame"), "last": tr("Last frame"), "driving": tr("Sound of the result")}
        words = [plain_tag(tag) for tag in reversed(self._model.tags.get(self.reference.id, ()))]
        words += [roles[self.reference.role]] if self.reference.role in roles else []
        self._title.setText(" · ".join(words) or tr("Source of the edit"))
        self._name.setText(file_name)

    @property
    def is_sent(self) -> bool:
        """Whether this reference counts."""
        return any(r.id == self.reference.id for r in self._model.shot.sent())

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        name = self.title
        self.setAccessibleName(f"{name}, {self.reference.path.name}")
        self.bring_back.setText(tr("Bring back"))
        sound = mark("Drop the sound of {name}") if self.reference.keep_sound else mark("Use the sound of {name}")
        edit = mark("Crop {name}") if self.reference.kind == "image" else mark("Trim {name} and look at it closely")
        for button, text in (
            (self.mention, tr("Mention {name} in the prompt", name=name)),
            (self.edit, tr(edit, name=name)),
            (self.sound, tr(sound, name=name)),
            (self.bring_back, tr("Bring {name} back", name=name)),
            (self.removal, tr("Remove {name} (Delete)", name=name)),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.more.set_name(tr("More for {name}", name=name))

    @property
    def title(self) -> str:
        """How the reference is called: its main tag, or its file's name."""
        own = self._model.tags.get(self.reference.id, ())
        return plain_tag(own[-1]) if own else self.reference.path.name

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    # Acting.

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._model.select(self.reference.id)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
        match event.key():
            case Qt.Key.Key_Up if alt:
                self._model.move_by(self.reference.id, -1)
            case Qt.Key.Key_Down if alt:
                self._model.move_by(self.reference.id, 1)
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self._on_remove()
            case Qt.Key.Key_Space if not event.modifiers():
                self._on_edit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not event.modifiers() and self.is_sent:
                self._on_mention()
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()
            self._model.select(self.reference.id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if self._pressed_at is None or (at - self._pressed_at).manhattanLength() < QApplication.startDragDistance():
            return
        drag = QDrag(self)
        mime = QMimeData()
        mime.setData(REFERENCE_MIME, self.reference.id.encode())
        drag.setMimeData(mime)
        drag.setPixmap(self.grab().scaledToWidth(self.width() // 2, Qt.TransformationMode.SmoothTransformation))
        self._pressed_at = None
        drag.exec(Qt.DropAction.MoveAction)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._pressed_at = None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        ring = bool(self.property("ring"))  # the keyboard is here (ui.theme.palette)
        if ring or self._model.selected == self.reference:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens().accent), FOCUS_RING if ring else 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS_CARD, RADIUS_CARD)
            painter.end()

    def sizeHint(self) -> QSize:
        return QSize(320, super().sizeHint().height())

    def _on_mention(self) -> None:
        self.mention_requested.emit(self.reference.id)

    def _on_edit(self) -> None:
        self._model.select(self.reference.id)
        self.preview_requested.emit()

    def _on_sound(self) -> None:
        self._model.keep_sound(self.reference.id, not self.reference.keep_sound)

    def _on_bring_back(self) -> None:
        self._model.set_aside(self.reference.id, False)

    def _on_remove(self) -> None:
        self._model.remove(self.reference.id)

    def _on_locate(self) -> None:
        self.locate_requested.emit(self.reference.id)

    def _fill_menu(self, menu: QMenu) -> None:
        fill_card_menu(menu, self._model, self.reference, self.title, self._on_locate)


def _wrapped() -> QLabel:
    """A label of as many lines as its text needs."""
    label = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label


def _unbroken(line: str) -> str:
    """The line with spaces that do not break, but for those after its dots."""
    return line.replace(" ", "\N{NO-BREAK SPACE}").replace(
        "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}· "
    )
