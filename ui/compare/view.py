"""The comparison on the screen: header, stage, panel and transport; keys, drops and dialogs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QHideEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QStackedLayout, QVBoxLayout, QWidget

from studio.compare.compositing import MODES
from studio.core import paths
from studio.core.words import mark, tr
from ui.compare.header import Header
from ui.compare.opening import Opening
from ui.compare.panel import Panel
from ui.compare.play_row import play_actions
from ui.compare.stage import Stage
from ui.compare.takes.page import TakesPage
from ui.compare.transport import Transport
from ui.compare.viewmodel import CompareModel
from ui.theme import actions
from ui.theme.palette import set_role
from ui.widgets.empty import EmptyState
from ui.widgets.file_dialogs import ask_file, ask_files, ask_where_to

_EMPTY = mark("Open two clips to compare them frame by frame, or drop them here.")
_SECOND = mark("The first clip is chosen. Open or drop the second one.")
_SUFFIXES = "*.mp4 *.mov *.mkv *.webm *.avi *.m4v *.png *.jpg *.jpeg *.webp"


class CompareWorkspace(QWidget):
    """Shows a CompareModel; closing the model is its owner's business."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._first: Path | None = None
        self.setAcceptDrops(True)
        self.stage = Stage(model)
        self.actions_by_id = self._make_actions()
        self.header = Header(model, self.actions_by_id)
        self.panel = Panel(model)
        self.transport = Transport(model, self.actions_by_id)
        self.transport.uses.follow(actions.make("view.use", self.stage))
        # Keys without Ctrl act on pictures and timeline only: a button keeps its Space, a text field its letters.
        self.transport.timeline.addActions(self.stage.actions())
        self.empty = EmptyState("compare", _EMPTY, mark("Open two clips…"))
        self._opening, self._work = Opening(model), self._lay_out()
        self.takes = TakesPage(model.takes)
        self._pages = QStackedLayout(self)
        for page in (self.empty, self._opening, self._work, self.takes):
            self._pages.addWidget(page)
        self.empty.pressed.connect(self.choose)
        self.stage.probed.connect(self.panel.set_probe)
        self.stage.probe_left.connect(self.panel.clear_probe)
        self.stage.first.zoom_changed.connect(lambda zoom: self.header.show_zoom(zoom, self.stage.first.viewpoint))
        self.header.zooms.chosen.connect(self.stage.look)
        self.panel.export_button.clicked.connect(self._open_exports)
        model.pair_changed.connect(self._on_pair_changed)
        model.opening_changed.connect(self._show_page)
        model.takes.takes_changed.connect(self._show_page)
        model.takes.front_changed.connect(self._show_page)
        self.takes.left.connect(self._leave_takes)
        self._on_pair_changed()

    def choose(self) -> None:
        """Ask for the clips."""
        ask_files(self, tr("Open two to nine clips"), self.take, names=_names())

    def take(self, files: list[Path]) -> None:
        """Compare two to four files; more are takes.

        A single one replaces B, or is the first of two when nothing is open.
        """
        if len(files) >= 2:
            self._open(*files)
        elif files and self._model.pair is not None:
            self._open(self._model.pair.a.info.path, files[0])
        elif files and self._first is not None:
            self._open(self._first, files[0])
        elif files:
            self._first = files[0]
            self.empty.set_sentence(_SECOND)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.stage.retranslate()
        super().changeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._model.playback.pause()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.take([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])
        event.acceptProposedAction()

    def add(self) -> None:
        """Ask for one more clip."""
        if self._model.pair is None:
            self.choose()
            return
        ask_file(self, tr("Add a clip"), self._model.add, names=_names())

    def _open(self, *files: Path) -> None:
        self._first = None
        self.empty.set_sentence(_EMPTY)
        self._model.open_all(files)

    def _lay_out(self) -> QWidget:
        work, line = QFrame(), QFrame()
        set_role(line, "vline")
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.header)
        middle.addWidget(self.stage, 1)
        middle.addWidget(self.transport)
        row = QHBoxLayout(work)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(middle, 1)
        row.addWidget(line)
        row.addWidget(self.panel)
        return work

    def _make_actions(self) -> dict[str, QAction]:
        model = self._model
        does: dict[str, Callable[[], object]] = {
            **play_actions(model.playback),
            **self.stage.zoom_actions(),
            **{f"compare.{mode}": partial(model.set_mode, mode) for mode in MODES},
            "compare.gain_up": partial(model.display.change, 1),
            "compare.gain_down": partial(model.display.change, -1),
            "compare.toggle": model.display.toggle_solo,
            "compare.offset_back": partial(model.shift, -1),
            "compare.offset_forward": partial(model.shift, 1),
            "compare.offset_zero": partial(model.set_offset, 0),
            "compare.worst": model.go_to_worst,
            "compare.open": self.choose,
            "compare.add": self.add,
            "compare.promote_c": partial(model.promote, 0),
            "compare.promote_d": partial(model.promote, 1),
            "compare.swap": model.swap,
            "compare.export": self._open_exports,
            "compare.takes": model.takes.come,
        }
        owner = {"picture": self.stage, "window": self}
        made = {id_: actions.make(id_, owner[actions.ACTIONS[id_].scope], do) for id_, do in does.items()}
        made["play.loop"].setCheckable(True)
        return made

    def _on_pair_changed(self) -> None:
        self._show_page()
        if self._model.pair is not None and self.isVisible():
            self.stage.first.setFocus()

    def _show_page(self) -> None:
        takes = self._model.takes
        there = bool(takes.takes)
        self.actions_by_id["compare.takes"].setVisible(there)
        before = self._pages.currentWidget()
        if takes.in_front and there:
            self._pages.setCurrentWidget(self.takes)
            if before is not self.takes and self.isVisible():
                self.takes.stage.focus_current()
        elif self._model.opening:
            self._pages.setCurrentWidget(self._opening)
        else:
            self._pages.setCurrentWidget(self._work if self._model.pair is not None else self.empty)

    def _leave_takes(self) -> None:
        """Back to the pair, with the takes at hand; without a pair they are closed."""
        if self._model.pair is None:
            self._model.takes.close()
        self._model.takes.come(False)
        self._on_pair_changed()

    def _open_exports(self) -> None:
        menu = QMenu(self)
        self.fill_exports(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.panel.export_button.mapToGlobal(self.panel.export_button.rect().bottomLeft()))

    def fill_exports(self, menu: QMenu) -> None:
        """Put in what can be saved now."""
        model = self._model
        measured, looped = model.comparison is not None, model.playback.range_ is not None
        stem = Path(model.titles[1]).stem
        clip = tr("Clip of the looped range…") if looped else tr("Clip as it is shown…")
        # Frames are counted from 0 in names as on the screen.
        picture = f"{stem} frame {model.playback.position}.png"
        for text, name, save, possible in (
            (tr("This picture…"), picture, model.save_picture, model.shown is not None),
            (tr("Contact sheet…"), f"{stem} compared.png", model.export, measured),
            (tr("Contact sheet of the worst frames…"), f"{stem} worst.png", model.export_worst, bool(model.worst)),
            (clip, f"{stem} compared.mp4", model.export, measured),
            (tr("Measures of every frame…"), f"{stem} compared.csv", model.export, measured),
            (tr("All as JSON…"), f"{stem} compared.json", model.export, measured),
            (tr("B with the sound of A…"), f"{stem} with sound.mp4", model.put_sound_under, model.can_put_sound_under),
        ):
            action = menu.addAction(text)
            action.setEnabled(possible)
            action.triggered.connect(partial(self._choose_file, text, name, save))

    def _choose_file(self, title: str, name: str, save: Callable[[Path], None], _checked: bool = False) -> None:
        suggested = paths.results_dir() / name
        ask_where_to(self, title.removesuffix("…"), save, suggested=suggested, names=f"*{suggested.suffix}")


def _names() -> str:
    return f"{tr('Videos and pictures')} ({_SUFFIXES});;{tr('All files')} (*)"
