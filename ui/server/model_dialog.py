"""Getting the model: a folder that holds it already, or else its download."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import mark, tr
from studio.jobs import telling
from studio.server.doctor import Check, Level
from studio.server.model import REPOSITORY, SIZES_GIB, FileState, Partition, page_of
from ui.server.model_fetch import ModelFetch, faults
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from ui.widgets.file_dialogs import ask_folder
from ui.widgets.segmented import Segmented

_GIB, _MIB = 1 << 30, 1 << 20
_PARTITIONS: tuple[tuple[Partition, str], ...] = (
    ("combined", mark("All modes")),
    ("FL2VA", mark("T2VA, FL2VA")),
    ("Ref2VA", mark("Ref2VA")),
)
_SIZE = (640, 600)
_STATE_WIDTH = 150


class ModelDialog(QDialog):
    """`chosen` has the folder (Path). Closed, a download goes on; opened again, it is shown."""

    chosen = Signal(object)

    def __init__(self, fetch: ModelFetch, partition: Partition, folder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fetch = fetch
        self.setWindowTitle(tr("Get the model"))
        self.resize(*_SIZE)
        self.use = QPushButton(tr("Use a folder that is there…"))
        self.use.clicked.connect(self._on_use)
        self.partition = Segmented(_PARTITIONS, mark("What it renders"))
        self.partition.set_current(partition)
        self.partition.chosen.connect(lambda _: self._show())
        self.folder = QLineEdit(folder or str(Path.home() / "MiniMax-H3"))
        self.folder.setAccessibleName(tr("Folder"))
        self.folder.editingFinished.connect(self._show)
        self.ask = QPushButton(tr("Ask whether I may"))
        self.ask.setToolTip(tr("Asks the hub for the head of one small file, with your login"))
        self.ask.clicked.connect(fetch.ask)
        self.answer = QLabel(wordWrap=True)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.start = QPushButton()
        self.start.clicked.connect(self._on_start)
        self.room, self.line, self.trouble = QLabel(wordWrap=True), QLabel(wordWrap=True), QLabel(wordWrap=True)
        set_role(self.room, "dim")
        set_role(self.trouble, "bad")
        self.trouble.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.bar = QProgressBar(textVisible=False, maximum=1000)
        self.bar.setAccessibleName(tr("Download"))
        self.files = QTreeWidget()
        self.files.setRootIsDecorated(False)
        self.files.setUniformRowHeights(True)
        self.files.setAccessibleName(tr("Files"))
        self.files.setHeaderLabels([tr("File"), tr("Size"), tr("State")])
        self.files.header().setStretchLastSection(False)
        self.files.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.files.setColumnWidth(2, _STATE_WIDTH)
        self._spare = QWidget()
        self._rows: dict[str, QTreeWidgetItem] = {}
        self._lay_out()
        fetch.changed.connect(self._show)
        fetch.done.connect(self._on_done)
        fetch.answered.connect(self._on_answer)
        self._show()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_M)
        column.addWidget(_titled(tr("It is here already")))
        column.addWidget(
            _dim(tr("On any disk of this machine, as the hub gives it: the folder that holds FL2VA or Ref2VA."))
        )
        column.addWidget(self.use, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(SPACE_M)
        column.addWidget(_titled(tr("Download it")))
        where = tr(
            "{name} on Hugging Face. Access is granted on its page; then log in here with: hf auth login",
            name=REPOSITORY,
        )
        link = _dim(f"{where.replace(REPOSITORY, f'<a href={page_of()}>{REPOSITORY}</a>')}")
        link.setTextFormat(Qt.TextFormat.RichText)
        link.setOpenExternalLinks(True)
        column.addWidget(link)
        asking = QHBoxLayout()
        asking.setSpacing(SPACE_M)
        asking.addWidget(self.ask, alignment=Qt.AlignmentFlag.AlignTop)
        asking.addWidget(self.answer, 1)
        column.addLayout(asking)
        form = QFormLayout()
        form.setHorizontalSpacing(SPACE_M)
        form.setVerticalSpacing(SPACE_S)
        for name, field in ((tr("For"), self.partition), (tr("Folder"), self.folder)):
            label = _dim(name)
            label.setMinimumHeight(CONTROL_HEIGHT)
            form.addRow(label, field)
        column.addLayout(form)
        column.addWidget(self.room)
        for widget in (self.bar, self.line, self.trouble):
            column.addWidget(widget)
        column.addWidget(self.files, 1)
        column.addWidget(self._spare, 1)
        row = QHBoxLayout()
        row.addStretch()
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.reject)
        row.addWidget(close)
        row.addWidget(self.start)
        column.addLayout(row)

    # Showing.

    def _show(self) -> None:
        fetch, progress = self._fetch, self._fetch.progress
        running = fetch.running
        self.start.setText(tr("Stop") if running else tr("Download"))
        set_role(self.start, "" if running else "primary")
        for field in (self.partition, self.folder, self.use):
            field.setEnabled(not running)
        if not running:
            size, free = SIZES_GIB[self._partition()], ModelFetch.free(self.folder.text()) / _GIB
            self.room.setText(tr("{size} GB in all, {free} GB free there.", size=size, free=f"{free:.0f}"))
        self.room.setVisible(not running)
        shown = running or bool(progress.files)
        self._spare.setVisible(not shown)
        for widget in (self.bar, self.line, self.files):
            widget.setVisible(shown)
        self.bar.setMaximum(1000 if progress.files else 0)
        self.bar.setValue(int(1000 * progress.done / progress.size) if progress.size else 0)
        self.line.setText(self._line())
        self.trouble.setText(fetch.trouble)
        self.trouble.setVisible(bool(fetch.trouble))
        for file in progress.files:
            self._show_file(file)

    def _line(self) -> str:
        progress = self._fetch.progress
        if not progress.files:
            return tr("Asking the hub what there is…")
        parts = [tr("{done} of {size} GB", done=f"{progress.done / _GIB:.1f}", size=f"{progress.size / _GIB:.1f}")]
        if progress.stalled is not None:
            parts.append(tr("nothing came for {seconds} s; trying again", seconds=int(progress.stalled)))
        elif progress.pace > 0 and (left := progress.seconds_left):
            parts.append(tr("{pace} MB/s", pace=f"{progress.pace / _MIB:.1f}"))
            parts.append(tr("{time} left", time=telling.duration(float(int(left))).replace(".00", "")))
        return " · ".join(parts)

    def _show_file(self, file: FileState) -> None:
        row = self._rows.get(file.name)
        if row is None:
            size = f"{file.size / _GIB:.1f} GB" if file.size >= _GIB else f"{max(1, file.size >> 10)} KB"
            row = self._rows[file.name] = QTreeWidgetItem(self.files, [file.name, size, ""])
            row.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
            row.setToolTip(0, file.name)
        if file.why:
            state = tr("broke off, goes on")
        elif file.done >= file.size:
            state = tr("whole")
        else:
            state = f"{100 * file.done / file.size:.0f} %" if file.done else tr("to come")
        if row.text(2) != state:
            row.setText(2, state)
            row.setToolTip(2, file.why)

    # Doing.

    def _partition(self) -> Partition:
        return next(key for key, _ in _PARTITIONS if self.partition.buttons[key].isChecked())

    def _on_answer(self, check: Check | None) -> None:
        self.ask.setEnabled(check is not None)
        words = [] if check is None else [check.message.text(), check.mend.text() if check.mend else ""]
        self.answer.setText(" ".join(filter(None, words)) if words else tr("Asking the hub…"))
        set_role(self.answer, "dim" if check is None else "good" if check.level is Level.PASS else "bad")

    def _on_start(self) -> None:
        if self._fetch.running:
            self._fetch.stop()
            return
        self.files.clear()
        self._rows.clear()
        self._fetch.start(self._partition(), Path(self.folder.text()).expanduser())

    def _on_use(self) -> None:
        ask_folder(self, tr("Choose the model's folder"), self.take, folder=Path(self.folder.text()).expanduser())

    def take(self, folder: Path) -> None:
        """Use a folder that is there, if it holds what is asked for; else say what it lacks."""
        wrong = faults(self._partition(), folder)
        if wrong:
            self.trouble.setText(wrong[0].message.text())
            self.trouble.setVisible(True)
        else:
            self._on_done(folder)

    def _on_done(self, folder: Path) -> None:
        self.chosen.emit(folder)
        self.accept()


def _titled(text: str) -> QLabel:
    label = QLabel(text)
    set_role(label, "title")
    return label


def _dim(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True)
    set_role(label, "dim")
    return label
