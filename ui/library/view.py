"""The Library workspace: search and filters above, the grid below, the result that is looked at on the right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from studio.core.words import mark, tr
from ui.library.details import Details
from ui.library.filters import Filters
from ui.library.grid import ResultGrid
from ui.library.storage_line import StorageLine
from ui.library.telling import bytes_text
from ui.library.viewmodel import LibraryModel
from ui.theme.actions import make
from ui.theme.palette import set_role
from ui.widgets.ask import ask_before
from ui.widgets.empty import EmptyState
from ui.widgets.file_dialogs import ask_folder


class LibraryWorkspace(QWidget):
    """Shows a LibraryModel."""

    compose_requested = Signal()
    """There are no results, and the user wants to make a shot."""

    def __init__(self, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setAcceptDrops(True)
        self.filters, self.grid = Filters(model), ResultGrid(model)
        self.library_actions = self._make_actions()
        self.details, self.storage = Details(model, self.library_actions), StorageLine(model)
        self.empty = EmptyState("library", mark("Finished renders are kept here"), mark("Compose a shot"))
        self.nothing = EmptyState("search", mark("No result fits"), mark("Clear the filters"))
        self.no_trash = EmptyState("remove", mark("The trash is empty"), mark("Back to the results"))
        self._stack = QStackedWidget()
        for page in (QWidget(), self.grid, self.empty, self.nothing, self.no_trash):
            self._stack.addWidget(page)
        self._lay_out()
        self._connect()
        self._retranslate()
        if model.loaded:
            self._on_results()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.measure_storage()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # A result that is let go where it came from stays; the window around would take it as a reference.
        if event.source() is self.grid:
            event.setDropAction(Qt.DropAction.IgnoreAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        event.accept()

    def ask_folder(self) -> None:
        """Ask for a folder of results to read into the library."""
        ask_folder(self, tr("Read a folder of results"), self._model.scan, folder=self._model.results_dir)

    def ask_emptying(self) -> None:
        """Ask, then delete for good what is in the trash."""
        if self._model.usage is not None:
            size = bytes_text(self._model.usage.trash)
            lost = tr("{size} of results are deleted for good, with their recipes and notes.", size=size)
            act, keep = tr("Empty the trash"), tr("Keep them")
            ask_before(self, tr("Empty the trash?"), lost, act, self._model.empty_trash, keep=keep)

    def _make_actions(self) -> dict[str, QAction]:
        model = self._model
        table: dict[str, Callable[[], object]] = {
            "library.compare": model.compare,
            "library.recipe": model.open_recipe,
            "library.reference": model.use_as_reference,
            "library.sound": model.put_sound_under,
            "library.star": model.toggle_star,
            "library.reject": model.toggle_reject,
            "library.tags": partial(self._edit, "tags"),
            "library.notes": partial(self._edit, "notes"),
            "library.play": model.play_outside,
            "library.folder": model.show_folder,
            "library.trash": model.trash,
        }
        actions = {name: make(name, self.grid, act) for name, act in table.items()}
        names = list(actions)
        menu: list[QAction | None] = [actions[name] for name in names]
        for at in (10, 8, 4):
            menu.insert(at, None)
        self.grid.set_menu(menu)
        actions["edit.undo"] = make("edit.undo", self, model.undo)
        actions["library.search"] = make("library.search", self, self._search)
        return actions

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(self.filters)
        left.addWidget(_line("line"))
        left.addWidget(self._stack, 1)
        left.addWidget(_line("line"))
        left.addWidget(self.storage)
        self._side = QFrame()
        set_role(self._side, "panel")
        self._edge = _line("vline")
        inner = QVBoxLayout(self._side)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.details)
        page = QHBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addLayout(left, 1)
        page.addWidget(self._edge)
        page.addWidget(self._side)

    def _connect(self) -> None:
        self.grid.doubleClicked.connect(lambda _index: self._model.compare())
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            enter = QShortcut(key, self.grid, context=Qt.ShortcutContext.WidgetShortcut)
            enter.activated.connect(self._model.compare)
        self.filters.folder_wanted.connect(self.ask_folder)
        self.filters.emptying_wanted.connect(self.ask_emptying)
        self.filters.to_grid.connect(self._to_grid)
        self.empty.pressed.connect(self.compose_requested)
        self.nothing.pressed.connect(self._model.clear)
        self.no_trash.pressed.connect(lambda: self._model.ask(trashed=False))
        self._model.results_changed.connect(self._on_results)

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Library"))
        self.grid.retranslate()

    def _on_results(self) -> None:
        query, any_ = self._model.query, self._model.results.rowCount() > 0
        if any_:
            page: QWidget = self.grid
        elif query.narrows:
            page = self.nothing
        else:
            page = self.no_trash if query.trashed else self.empty
        self._stack.setCurrentWidget(page)
        for part in (self._edge, self._side):  # there is nothing to tell of no result
            part.setVisible(any_)

    def _search(self) -> None:
        self.filters.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.search.selectAll()

    def _to_grid(self) -> None:
        self.grid.setFocus(Qt.FocusReason.TabFocusReason)
        if not self.grid.currentIndex().isValid() and self._model.results.rowCount():
            self.grid.setCurrentIndex(self._model.results.index(0))

    def _edit(self, what: str) -> None:
        field = self.details.marks.tags if what == "tags" else self.details.marks.notes
        self.details.ensureWidgetVisible(field)
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _line(role: str) -> QFrame:
    line = QFrame()
    set_role(line, role)
    return line
