"""The grid of results: pictures, selection, keys, menu, drag."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from studio.core.words import tr
from studio.jobs.library import Query
from ui.library.delegate import PICTURE, ResultDelegate, card_size
from ui.library.viewmodel import LibraryModel
from ui.theme.tokens import FOCUS_RING

_BATCH = 120
"""Items that are laid out at once: more would hold up the next key."""


class ResultGrid(QListView):
    """Shows `model.results`. What can be done with a result are this widget's actions, in its menu too."""

    def __init__(self, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown = Query()
        self._row = 0
        """Where the current result stood: what comes there next becomes current when it goes."""
        self._menu_actions: list[QAction | None] = []
        self.setModel(model.results)
        self._delegate = ResultDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setBatchSize(_BATCH)
        self.setMovement(QListView.Movement.Static)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self._telling = QTimer(self, interval=0, singleShot=True)
        self._telling.timeout.connect(self._tell_selection)
        self.selectionModel().currentChanged.connect(lambda *_: self._telling.start())
        self.selectionModel().selectionChanged.connect(lambda *_: self._telling.start())
        model.results.modelReset.connect(self._on_reset)
        self.retranslate()

    def set_menu(self, actions: list[QAction | None]) -> None:
        """The actions of the menu; None is a line."""
        self._menu_actions = actions

    def retranslate(self) -> None:
        """Name it in the current language and have the cards painted again."""
        self.setAccessibleName(tr("Results"))
        self._model.results.refresh()

    def keyboardSearch(self, _text: str) -> None:
        """Letters are keys here; to search is what the search field is for."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self._model.selected:
            return
        menu = QMenu(self)
        for action in self._menu_actions:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        at = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center())
        menu.popup(at)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.pictures.set_size(PICTURE * self.devicePixelRatioF())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        card = card_size(self.font())
        # As if scroll bar and focus ring were always there: the cards must not move when they come or go.
        room = self.width() - self.verticalScrollBar().sizeHint().width() - 4 * FOCUS_RING
        cell = QSize(room // max(1, room // card.width()), card.height())
        if cell != self._delegate.cell:
            self._delegate.cell = cell
            self.setGridSize(cell)

    def _on_reset(self) -> None:
        """Keep the current result current where it is still shown; else the one that took its place.

        After another query the grid begins at its top, and goes on laying itself out while the user types.
        """
        results, before = self._model.results, self._model.selected
        same, self._shown = self._model.query == self._shown, self._model.query
        self.setLayoutMode(QListView.LayoutMode.SinglePass if same else QListView.LayoutMode.Batched)
        rows = [row for entry_id in before if (row := results.row_of(entry_id)) is not None]
        if same and before and not rows:
            rows = [min(self._row, results.rowCount() - 1)]
        if not same:
            rows = [row for row in rows if row < _BATCH]
        selection = self.selectionModel()
        for row in reversed(rows):
            selection.setCurrentIndex(results.index(row), QItemSelectionModel.SelectionFlag.Select)
        self._telling.start()

    def _tell_selection(self) -> None:
        results = self._model.results
        rows = sorted(index.row() for index in self.selectedIndexes())
        ids = [entry_id for row in rows if (entry_id := results.id_at(row)) is not None]
        current = self.currentIndex()
        self._row = max(0, current.row())
        looked_at = results.id_at(current.row()) if current.isValid() and current.row() in rows else None
        self._model.select(ids, looked_at if looked_at is not None else next(iter(ids), None))
