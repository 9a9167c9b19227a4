"""The Compose workspace: tray, prompt and output side by side; what is dropped or pasted anywhere finds its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSplitter, QVBoxLayout, QWidget

from studio.contract import Finding
from studio.core.files import safe_stem
from studio.core.words import tr
from studio.presets import SUFFIX as PRESET_SUFFIX
from ui.compose import dialogs, inbox
from ui.compose.cost import CostPanel
from ui.compose.document import SUFFIX
from ui.compose.drop_hint import DropHint
from ui.compose.output import OutputPanel
from ui.compose.preview import Preview
from ui.compose.prompt import PromptPanel
from ui.compose.render_box import RenderBox
from ui.compose.tab_order import follow_layout
from ui.compose.tabs import document_name
from ui.compose.topbar import TopBar
from ui.compose.tray import Tray
from ui.compose.viewmodel import ComposeModel
from ui.theme.actions import make
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M
from ui.widgets.file_dialogs import ask_file

_TRAY_WIDTH, _PROMPT_WIDTH, _SIDE_WIDTH = 372, 520, 316


class ComposeWorkspace(QWidget):
    """Shows a `ComposeModel`. Holds nothing that the model does not know."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.shot_actions = self._actions()
        self.topbar = TopBar(model, self.shot_actions, model.open)
        self.tray = Tray(model)
        self.prompt = PromptPanel(model)
        self.preview = Preview(model)
        self.output = OutputPanel(model)
        self.cost = CostPanel(model)
        self.render_box = RenderBox(model)
        self._drop_hint = DropHint(self.tray)
        self._lay_out()
        self._connect()
        self.setAcceptDrops(True)

    def _actions(self) -> dict[str, QAction]:
        table: dict[str, Callable[[], object]] = {
            "edit.undo": self._model.undo,
            "edit.redo": self._model.redo,
            "shot.new": self._model.new,
            "shot.close": self.close_shot,
            "shot.next": partial(self._model.documents.step, 1),
            "shot.previous": partial(self._model.documents.step, -1),
            "shot.open": self.ask_open,
            "shot.save": self.save,
            "shot.save_as": self.save_as,
            "shot.add_media": self.ask_media,
            "shot.render": self._model.request_render,
        }
        return {name: make(name, self, act) for name, act in table.items()}

    def _lay_out(self) -> None:
        fields = QWidget()
        inner = QVBoxLayout(fields)
        inner.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        inner.setSpacing(SPACE_M)
        inner.addWidget(self.output)
        inner.addWidget(_line())
        inner.addWidget(self.cost)
        inner.addStretch()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(fields)
        foot = QWidget()
        foot_row = QVBoxLayout(foot)
        foot_row.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_L)
        foot_row.addWidget(self.render_box)
        side = QFrame()
        set_role(side, "panel")
        side.setFixedWidth(_SIDE_WIDTH)
        side_column = QVBoxLayout(side)
        side_column.setContentsMargins(0, 0, 0, 0)
        side_column.setSpacing(0)
        side_column.addWidget(scroll, 1)
        side_column.addWidget(_line())
        side_column.addWidget(foot)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._splitter.addWidget(self.tray)
        self._splitter.addWidget(self._middle())
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([_TRAY_WIDTH, _PROMPT_WIDTH])
        self.tray.setMinimumWidth(348)
        self.prompt.setMinimumWidth(280)
        columns = QHBoxLayout()
        columns.setSpacing(0)
        columns.addWidget(self._splitter, 1)
        columns.addWidget(side)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(self.topbar)
        page.addWidget(_line())
        page.addLayout(columns, 1)

    def _middle(self) -> QSplitter:
        middle = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        middle.addWidget(self.prompt)
        middle.addWidget(self.preview)
        middle.setStretchFactor(0, 1)
        middle.setStretchFactor(1, 1)
        return middle

    def _connect(self) -> None:
        self.topbar.tabs.close_requested.connect(self.close_shot)
        self.tray.add_requested.connect(self.ask_media)
        self.tray.mention_requested.connect(lambda ref_id: self._prompt_at_hand().insert_mention(ref_id))
        self.tray.locate_requested.connect(self.ask_where)
        self.tray.preview_requested.connect(self.preview.show_now)
        self.preview.wide_changed.connect(self.prompt.setHidden)
        self.prompt.media_pasted.connect(self.take)
        self.render_box.show_requested.connect(self.reveal)
        self._tab_order = QTimer(self, interval=0, singleShot=True)
        self._tab_order.timeout.connect(self._on_laid_out)
        self._model.findings_changed.connect(self._tab_order.start)
        self._model.estimate.changed.connect(self._tab_order.start)
        self._model.presets.changed.connect(self._tab_order.start)
        self._tab_order.start()

    def _prompt_at_hand(self) -> PromptPanel:
        """The prompt, shown again if the preview had its room."""
        self.preview.make_room()
        return self.prompt

    def _on_laid_out(self) -> None:
        follow_layout(self)

    # Files and shots.

    def take(self, mime: QMimeData) -> bool:
        """Take dropped or pasted files, folders or a picture into the tray; False when there is none of these."""
        if paths := inbox.local_paths(mime):
            self._take_files(paths)
            return True
        if (image := inbox.picture(mime)) is not None:
            self._model.add_image(image)
            return True
        if names := inbox.remote_names(mime):
            self._model.say_remote(names)
            return True
        return False

    def _take_files(self, paths: list[Path]) -> None:
        shots = [path for path in paths if path.suffix.lower() == SUFFIX]
        for path in shots:
            self._model.open(path)
        presets = [path for path in paths if path.suffix.lower() == PRESET_SUFFIX]
        self._model.presets.take_in(presets)
        if media := [path for path in paths if path not in (*shots, *presets)]:
            self._model.add_paths(media)

    def ask_media(self) -> None:
        """Ask for files to add."""
        dialogs.ask_media(self, self._model.recent.folder, self._take_files)

    def ask_where(self, ref_id: str) -> None:
        """Ask where a reference's file is now."""
        reference = self._model.shot.reference(ref_id)
        if reference is not None:
            title = tr("Where is {name}?", name=reference.path.name)
            ask_file(self, title, partial(self._model.locate, ref_id))

    def ask_open(self) -> None:
        """Ask for a shot to open."""
        dialogs.ask_shot(self, self._model.open)

    def close_shot(self, key: int | None = None) -> None:
        """Close an open shot (None: the one on the table); ask first when no file holds it as it is."""
        documents = self._model.documents
        document = documents.current if key is None else documents.get(key)
        if document is None:
            return
        close = partial(documents.close, document.key)
        if document.is_worth_saving:
            documents.select(document.key)
            dialogs.ask_before_losing(self, document_name(document), partial(self.save, close), close)
        else:
            close()

    def save(self, then: Callable[[], object] | None = None) -> None:
        """Save the shot to its file; ask for one when it has none. `then` is called once it is saved."""
        if self._model.path is None:
            self.save_as(then)
        else:
            self._model.save(self._model.path, then)

    def save_as(self, then: Callable[[], object] | None = None) -> None:
        """Ask where to save the shot."""
        path = self._model.path
        words = " ".join(self._model.prompt_shown().split()[:6])
        suggested = path or Path(safe_stem(words, limit=40) + SUFFIX)
        dialogs.ask_save_name(self, suggested, lambda name: self._model.save(name, then))

    def reveal(self, finding: Finding) -> None:
        """Put the focus where a finding belongs."""
        if finding.subject in self.tray.cards:
            self.tray.reveal(finding.subject)
        elif finding.code == "prompt.place":
            self._prompt_at_hand().begin_filling()
        elif finding.subject == "prompt":
            self._prompt_at_hand().editor.setFocus(Qt.FocusReason.OtherFocusReason)
        elif finding.subject == "references":
            self.tray.add_button.setFocus(Qt.FocusReason.OtherFocusReason)
        elif finding.subject == "quality":
            self.cost.choices.reveal()
        else:
            self.output.reveal(finding.subject)

    # Drop and paste.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if inbox.takes(event.mimeData()):
            self._drop_hint.appear()
            event.acceptProposedAction()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._drop_hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_hint.hide()
        if self.take(event.mimeData()):
            event.acceptProposedAction()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            mime = QGuiApplication.clipboard().mimeData()
            if not self.take(mime) and mime.hasText():
                self._prompt_at_hand().insert_text(mime.text())
        else:
            super().keyPressEvent(event)


def _line() -> QFrame:
    line = QFrame()
    set_role(line, "line")
    return line
