"""Where a chosen profile runs: model folder, port, plain process or quadlet; or which user unit is started."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QToolButton,
    QWidget,
)

from studio.core.words import mark, tr
from ui.server.cards_row import CardsRow
from ui.server.launch_model import LaunchModel
from ui.server.model_dialog import ModelDialog
from ui.server.places_form import PlacesForm
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, ICON, SPACE_M, SPACE_S
from ui.widgets.dropdown import Dropdown
from ui.widgets.file_dialogs import ask_folder
from ui.widgets.number_field import inset
from ui.widgets.segmented import Segmented

_WAYS = (
    ("process", mark("Plain process")),
    ("quadlet", mark("Container (quadlet)")),
    ("podman", mark("Container (podman)")),
    ("docker", mark("Container (docker)")),
    ("ssh", mark("Over SSH")),
)


class LaunchForm(QWidget):
    """Edits a LaunchModel's place."""

    def __init__(self, model: LaunchModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.folder, self.unit, self.unit_url, self.conflicts = QLineEdit(), QLineEdit(), QLineEdit(), QLineEdit()
        self.browse = QToolButton()
        self.browse.setIcon(icon("folder"))
        self.browse.setIconSize(QSize(ICON, ICON))
        self.browse.clicked.connect(self._on_browse)
        self.get = QToolButton()
        self.get.setIcon(icon("download"))
        self.get.setIconSize(QSize(ICON, ICON))
        self.get.clicked.connect(self._on_get)
        self.port = QSpinBox(minimum=0, maximum=65535)
        self.port.setGroupSeparatorShown(False)
        self.port.setKeyboardTracking(False)
        inset(self.port)
        self.way = Dropdown()
        self.host, self.cards = QLineEdit(), CardsRow(model)
        managers = (("systemd", mark("systemd")), ("podman", mark("podman")), ("docker", mark("docker")))
        self.unit_in = Segmented(managers, mark("Kept by"))
        self.folder.editingFinished.connect(lambda: model.change(model_root=self.folder.text().strip()))
        self.unit.editingFinished.connect(lambda: model.change(unit=self.unit.text().strip()))
        self.unit_url.editingFinished.connect(lambda: model.change(unit_url=self.unit_url.text().strip()))
        self.port.valueChanged.connect(lambda port: model.change(port=port or None))
        self.way.activated.connect(lambda row: model.change(run_as=_WAYS[row][0]))
        self.host.editingFinished.connect(lambda: model.change(host=self.host.text().strip()))
        self.unit_in.chosen.connect(lambda manager: model.change(unit_in=manager))
        self.conflicts.editingFinished.connect(lambda: model.change(conflicts=tuple(self.conflicts.text().split())))
        fields = ("way", "host", "folder", "port", "cards", "conflicts", "unit_in", "unit", "unit_url")
        self._names = {name: QLabel() for name in fields}
        for label in self._names.values():
            set_role(label, "dim")
            label.setMinimumHeight(CONTROL_HEIGHT)
        self._lay_out()
        model.profiles_changed.connect(self.show_kind)
        model.place_changed.connect(self.show_kind)
        self._retranslate()

    def show_kind(self) -> None:
        """Show the fields of the chosen kind with their values."""
        server, profile = self._model.server, self._model.profile
        own = server.kind == "profile"
        for field in (self._folder_row, self.port, self.way, self.cards):
            self._form.setRowVisible(field, own)
        self.places.show_profile(own=own)
        self._show_why()
        self._form.setRowVisible(self.host, own and server.run_as == "ssh")
        self.browse.setVisible(server.run_as != "ssh")
        self.get.setVisible(server.run_as != "ssh")
        self._form.setRowVisible(self.conflicts, own and server.run_as == "quadlet")
        for field in (self.unit_in, self.unit, self.unit_url):
            self._form.setRowVisible(field, server.kind == "unit")
        self.conflicts.setText(" ".join(server.conflicts))
        self.unit_in.set_current(server.unit_in)
        self.unit.setPlaceholderText("minimax-h3.service" if server.unit_in == "systemd" else "minimax-h3")
        self.folder.setText(server.model_root)
        self.unit.setText(server.unit)
        self.unit_url.setText(server.unit_url)
        self.port.blockSignals(True)
        self.port.setValue(server.port or 0)
        self.port.blockSignals(False)
        self.port.setSpecialValueText(str(profile.port_default) if profile is not None else "8000")
        self.way.setCurrentIndex([way for way, _ in _WAYS].index(server.run_as))
        self.host.setText(server.host)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        self._folder_row = QWidget()
        row = QHBoxLayout(self._folder_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_S)
        row.addWidget(self.folder, 1)
        row.addWidget(self.browse)
        row.addWidget(self.get)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(SPACE_M)
        self._form.setVerticalSpacing(SPACE_S)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        own = (self.way, self.host, self._folder_row, self.port, self.cards, self.conflicts)
        fields = (*own, self.unit_in, self.unit, self.unit_url)
        for name, field in zip(self._names, fields, strict=True):
            self._form.addRow(self._names[name], field)
            if field is self.cards:
                self._form.addRow(QLabel(), self.cards.why)
        self.places = PlacesForm(self._model, self._form, self._folder_row, self)
        self.cards.explained.connect(self._show_why)

    def _retranslate(self) -> None:
        words = {
            "folder": tr("Model"),
            "port": tr("Port"),
            "way": tr("Runs as"),
            "host": tr("Machine"),
            "cards": tr("Cards"),
            "conflicts": tr("Ends first"),
            "unit_in": tr("Kept by"),
            "unit": tr("Name"),
            "unit_url": tr("Address"),
        }
        for name, text in words.items():
            self._names[name].setText(text)
        named = (
            (self.folder, "folder"),
            (self.port, "port"),
            (self.conflicts, "conflicts"),
            (self.way, "way"),
            (self.host, "host"),
            (self.unit, "unit"),
            (self.unit_url, "unit_url"),
        )
        for field, name in named:
            field.setAccessibleName(words[name])
        self.port.lineEdit().setAccessibleName(words["port"])
        self.folder.setPlaceholderText(tr("the folder that holds FL2VA"))
        self.conflicts.setPlaceholderText(tr("other units that use the cards"))
        self.conflicts.setToolTip(tr("User units that must not run beside it, separated by blanks (Conflicts=)"))
        self.browse.setToolTip(tr("Choose the model's folder"))
        self.browse.setAccessibleName(tr("Choose the model's folder"))
        self.get.setToolTip(tr("Get the model…"))
        self.get.setAccessibleName(tr("Get the model…"))
        self.host.setPlaceholderText(tr("as in: ssh NAME"))
        if self.way.count() == 0:
            self.way.addItems([""] * len(_WAYS))
        for row, (_, name) in enumerate(_WAYS):
            self.way.setItemText(row, tr(name))
        self.show_kind()

    def _show_why(self) -> None:
        shown = bool(self.cards.why.text()) and self._model.server.kind == "profile"
        self._form.setRowVisible(self.cards.why, shown)

    def _on_get(self) -> None:
        server, profile = self._model.server, self._model.profile
        partition = profile.partition if profile is not None else "combined"
        dialog = ModelDialog(self._model.fetch, partition, server.model_root, self.window())
        dialog.chosen.connect(lambda folder: self._model.change(model_root=str(folder)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_browse(self) -> None:
        def take(folder: Path) -> None:
            self._model.change(model_root=str(folder))

        start = Path(self.folder.text()).expanduser() if self.folder.text() else Path.home()
        ask_folder(self, tr("Choose the model's folder"), take, folder=start)
