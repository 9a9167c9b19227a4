"""The tray: cards of what is sent, cards of what is set aside, and how full it is."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.contract import Reference
from studio.core.words import mark, ntr, tr
from ui.compose.card import REFERENCE_MIME, ReferenceCard
from ui.compose.describe import budgets_line
from ui.compose.finding_list import FindingList
from ui.compose.modes import ModePicker
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel
from ui.widgets.empty import EmptyState
from ui.widgets.layouts import widgets_of
from ui.widgets.popup_button import PopupButton


class Tray(QWidget):
    """All references of the shot, in order. Takes dropped cards (reordering); files are the workspace's to take."""

    add_requested = Signal()
    mention_requested = Signal(str)
    locate_requested = Signal(str)
    preview_requested = Signal()

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.cards: dict[str, ReferenceCard] = {}
        self._title, self._meter, self._seconds, self._aside_title = QLabel(), QLabel(), ElidedLabel(), QLabel()
        set_role(self._title, "caption")
        self._title.setMinimumHeight(CONTROL_HEIGHT)
        set_role(self._aside_title, "caption")
        set_role(self._meter, "dim")
        set_role(self._seconds, "dim")
        self.add_button = QToolButton()
        self.add_button.setIcon(icon("add"))
        set_role(self.add_button, "quiet")
        self.add_button.clicked.connect(self.add_requested)
        self.recent = PopupButton("", self._fill_recent, icon_name="chevron-down")
        self.modes = ModePicker(model)
        self.empty = EmptyState("add", mark("Drop pictures, clips or sounds here"), mark("Add files…"))
        set_role(self.empty.button, "secondary")  # Render is the one primary action
        self.empty.pressed.connect(self.add_requested)
        self.findings = FindingList(model, self)
        self._sent, self._aside = QVBoxLayout(), QVBoxLayout()
        self._mark = QWidget(self, autoFillBackground=True)
        self._mark.setBackgroundRole(QPalette.ColorRole.Highlight)
        self._mark.hide()
        self._lay_out()
        self.setAcceptDrops(True)
        model.findings_changed.connect(self.refresh)
        model.reading_changed.connect(self._show_seconds)
        model.thumbnail_changed.connect(self._on_thumbnail_changed)
        model.selected_changed.connect(self._on_selected_changed)
        self.refresh()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self._meter)
        head.addWidget(self.add_button)
        head.addWidget(self.recent)
        inside = QWidget()
        cards = QVBoxLayout(inside)
        cards.setContentsMargins(0, 0, SPACE_XS, 0)
        cards.setSpacing(SPACE_S)
        for box in (self._sent, self._aside):
            box.setSpacing(SPACE_S)
        cards.addWidget(self.findings)
        cards.addWidget(self.empty, 100)
        cards.addLayout(self._sent)
        cards.addWidget(self._aside_title)
        cards.addLayout(self._aside)
        cards.addStretch(1)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_S, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addWidget(self.modes)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)
        column.addWidget(self._seconds)

    # Showing.

    def refresh(self) -> None:
        """Show the model's references, keeping the cards that are there already."""
        references = self._model.shot.references
        sent = {r.id for r in self._model.shot.sent()}
        gone = [ref_id for ref_id in self.cards if self._model.shot.reference(ref_id) is None]
        for ref_id in gone:
            self._drop_card(ref_id)
        for reference in references:
            self._show_card(reference)
        _arrange(self._sent, [self.cards[r.id] for r in references if r.id in sent])
        _arrange(self._aside, [self.cards[r.id] for r in references if r.id not in sent])
        self._aside_title.setVisible(len(sent) < len(references))
        self.empty.setVisible(not references)
        self.findings.show_findings(self._model.findings_of("references"))
        self.retranslate()

    def reveal(self, ref_id: str) -> None:
        """Scroll to a card and put the focus on it."""
        if (card := self.cards.get(ref_id)) is not None:
            self._scroll.ensureWidgetVisible(card)
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._title.setText(tr("REFERENCES"))
        self._aside_title.setText(tr("SET ASIDE · not sent"))
        self.add_button.setToolTip(tr("Add files…"))
        self.add_button.setAccessibleName(tr("Add files…"))
        self.recent.set_name(tr("Add what was used lately"))
        self._show_meter()
        self._show_seconds()

    def _show_card(self, reference: Reference) -> None:
        card = self.cards.get(reference.id)
        if card is not None:
            card.show_reference(reference)
            return
        card = self.cards[reference.id] = ReferenceCard(self._model, reference, self)
        card.mention_requested.connect(self.mention_requested)
        card.locate_requested.connect(self.locate_requested)
        card.preview_requested.connect(self.preview_requested)

    def _drop_card(self, ref_id: str) -> None:
        card = self.cards.pop(ref_id)
        if card.hasFocus() or card.isAncestorOf(self.focusWidget() or card):
            self.setFocus()
        card.hide()
        card.deleteLater()

    def _show_meter(self) -> None:
        limits, sent = self._model.limits, self._model.shot.sent()
        counts = {kind: sum(r.kind == kind for r in sent) for kind in ("image", "video", "audio")}
        most = {"image": limits.images_max, "video": limits.videos_max, "audio": limits.audios_max}
        if self._model.shot.task == "fl2va":
            most = {"image": limits.keyframes_max}
        self._meter.setText(" · ".join(f"{counts[kind]}/{most[kind]}" for kind in most))
        words = {"image": tr("pictures"), "video": tr("clips"), "audio": tr("sounds")}
        spelled = ", ".join(tr("{count} of {most} {what}", count=counts[k], most=most[k], what=words[k]) for k in most)
        self._meter.setToolTip(spelled)
        self._meter.setAccessibleName(spelled)

    def _show_seconds(self) -> None:
        if pending := self._model.pending:
            self._seconds.setText(ntr("Reading {count} file…", "Reading {count} files…", pending))
            return
        self._seconds.setText(budgets_line(self._model.request))

    def _on_thumbnail_changed(self, ref_id: str) -> None:
        if (card := self.cards.get(ref_id)) is not None:
            card.refresh()

    def _fill_recent(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        for path in self._model.recent.media:
            menu.addAction(path.name, partial(self._model.add_paths, [path])).setToolTip(str(path))
        if menu.isEmpty():
            menu.addAction(tr("No file was added yet")).setEnabled(False)

    def _on_selected_changed(self) -> None:
        for card in self.cards.values():
            card.update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # Reordering by drag.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(event.mimeData().hasFormat(REFERENCE_MIME))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._show_mark(self._row_at(event.position().toPoint().y()))
        event.acceptProposedAction()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._mark.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._mark.hide()
        ref_id = bytes(event.mimeData().data(REFERENCE_MIME).data()).decode()
        others = [r.id for r in self._model.shot.references if r.id != ref_id]
        before = self._row_at(event.position().toPoint().y())
        at = others.index(before.reference.id) if before and before.reference.id in others else len(others)
        self._model.move(ref_id, at)
        event.acceptProposedAction()

    def _row_at(self, y: int) -> ReferenceCard | None:
        """The card before which something dropped at height `y` goes; None: after the last."""
        ordered = [self.cards[r.id] for r in self._model.shot.references]
        return next((c for c in ordered if y < c.mapTo(self, c.rect().center()).y()), None)

    def _show_mark(self, before: ReferenceCard | None) -> None:
        last = self.cards[self._model.shot.references[-1].id]
        card = before or last
        corner = card.mapTo(self, card.rect().topLeft() if before else card.rect().bottomLeft())
        self._mark.setGeometry(corner.x(), corner.y() - (SPACE_XS if before else -SPACE_XS), card.width(), 2)
        self._mark.raise_()
        self._mark.show()


def _arrange(box: QVBoxLayout, cards: list[ReferenceCard]) -> None:
    """Put just these cards into a layout, in this order, moving none that lies right."""
    for other in widgets_of(box):
        if other not in cards:
            box.removeWidget(other)
    for index, card in enumerate(cards):
        if box.indexOf(card) != index:
            box.insertWidget(index, card)
