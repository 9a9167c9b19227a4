"""Above the list of jobs: how much there is to do, pause, what the queue does beside; and why it is paused."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from ui.queue.control import QueueControl
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.icon_label import IconLabel
from ui.widgets.popup_button import PopupButton


class QueueBar(QWidget):
    """Follows a QueueControl."""

    def __init__(self, control: QueueControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._control = control
        self.summary = QLabel(textFormat=Qt.TextFormat.PlainText)
        set_role(self.summary, "dim")
        self.pause_button = QToolButton()
        set_role(self.pause_button, "quiet")
        self.pause_button.clicked.connect(self._on_pause)
        self.options = PopupButton("", self._fill, icon_name="more")
        self.banner = self._make_banner()
        row = QHBoxLayout()
        row.setContentsMargins(SPACE_M, SPACE_XS, SPACE_XS, SPACE_XS)
        row.setSpacing(SPACE_XS)
        row.addWidget(self.summary, 1)
        row.addWidget(self.pause_button)
        row.addWidget(self.options)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        around = QHBoxLayout()
        around.setContentsMargins(SPACE_S, 0, SPACE_S, SPACE_XS)
        around.addWidget(self.banner)
        column.addLayout(around)
        control.changed.connect(self.refresh)
        self._retranslate()

    def refresh(self) -> None:
        """Show the present state: called when something changed, and every second for the time."""
        said = self._control.summary()
        self.summary.setText(said or tr("Nothing to render"))
        self.summary.setToolTip(said)
        paused = self._control.paused
        self.pause_button.setIcon(icon("play" if paused else "pause"))
        name = tr("Go on with the queue") if paused else tr("Pause after the present render")
        self.pause_button.setAccessibleName(name)
        self.pause_button.setToolTip(name)
        self.banner.setVisible(paused)
        self._why.setText(self._control.why_paused())
        self.restart_button.setVisible(self._control.restart_helps is not None)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _make_banner(self) -> QFrame:
        banner = QFrame()
        set_role(banner, "notice")
        self._why = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._why.setWordWrap(True)
        self.restart_button, self.go_on_button = QPushButton(), QPushButton()
        self.restart_button.clicked.connect(self._control.restart)
        self.go_on_button.clicked.connect(self._control.go_on)
        said = QHBoxLayout()
        said.setSpacing(SPACE_S)
        said.addWidget(IconLabel("pause", "warn"), alignment=Qt.AlignmentFlag.AlignTop)
        said.addWidget(self._why, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_S)
        buttons.addStretch()
        buttons.addWidget(self.restart_button)
        buttons.addWidget(self.go_on_button)
        column = QVBoxLayout(banner)
        column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(said)
        column.addLayout(buttons)
        return banner

    def _retranslate(self) -> None:
        self.options.set_name(tr("Queue options"))
        self.restart_button.setText(tr("Restart server"))
        self.go_on_button.setText(tr("Go on"))
        self.refresh()

    def _on_pause(self) -> None:
        if self._control.paused:
            self._control.go_on()
        else:
            self._control.pause()

    def _fill(self, menu: QMenu) -> None:
        options = self._control.options
        for name, text, on in (
            ("keep_awake", tr("Keep the machine awake while rendering"), options.keep_awake),
            ("stop_server_when_empty", tr("Stop the server when the queue is empty"), options.stop_server_when_empty),
            ("notify", tr("Tell the desktop when a render has ended"), options.notify),
        ):
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(on)
            action.toggled.connect(lambda checked, name=name: self._control.set_option(**{name: checked}))
        menu.addSeparator()
        post: QAction = menu.addAction(tr("Tell an address when a render has ended…"))
        post.setCheckable(True)
        post.setChecked(options.post_url is not None)
        post.triggered.connect(lambda _checked=False: self._ask_for_address())

    def _ask_for_address(self) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle(tr("H3 Studio"))
        dialog.setLabelText(
            tr(
                "Each render's end is sent there as JSON: job, seed, outcome and where the video lies; no key and no"
                " prompt. Leave it empty to tell nobody."
            )
        )
        dialog.setTextValue(self._control.options.post_url or "")
        dialog.textValueSelected.connect(self._control.set_post_address)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
