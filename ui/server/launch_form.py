"""Where a chosen profile runs: model folder, port, plain process or quadlet; or which user unit is started."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QFileDialog, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QSpinBox, QToolButton, QWidget

from studio.core.words import mark, tr
from ui.server.launch_model import LaunchModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, ICON, SPACE_M, SPACE_S
from ui.widgets.segmented import Segmented


class LaunchForm(QWidget):
    """Edits a LaunchModel's place."""

    def __init__(self, model: LaunchModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.folder, self.unit, self.unit_url = QLineEdit(), QLineEdit(), QLineEdit()
        self.browse = QToolButton()
        self.browse.setIcon(icon("folder"))
        self.browse.setIconSize(QSize(ICON, ICON))
        self.browse.clicked.connect(self._on_browse)
        self.port = QSpinBox(minimum=0, maximum=65535)
        self.port.setGroupSeparatorShown(False)
        self.port.setKeyboardTracking(False)
        ways = (("process", mark("Plain process")), ("quadlet", mark("Quadlet")))
        self.way = Segmented(ways, mark("How it runs"))
        self.folder.editingFinished.connect(lambda: model.change(model_root=self.folder.text().strip()))
        self.unit.editingFinished.connect(lambda: model.change(unit=self.unit.text().strip()))
        self.unit_url.editingFinished.connect(lambda: model.change(unit_url=self.unit_url.text().strip()))
        self.port.valueChanged.connect(lambda port: model.change(port=port or None))
        self.way.chosen.connect(lambda way: model.change(run_as=way))
        self._names = {name: QLabel() for name in ("folder", "port", "way", "unit", "unit_url")}
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
        for field in (self._folder_row, self.port, self.way):
            self._form.setRowVisible(field, own)
        for field in (self.unit, self.unit_url):
            self._form.setRowVisible(field, server.kind == "unit")
        self.folder.setText(server.model_root)
        self.unit.setText(server.unit)
        self.unit_url.setText(server.unit_url)
        self.port.blockSignals(True)
        self.port.setValue(server.port or 0)
        self.port.blockSignals(False)
        self.port.setSpecialValueText(str(profile.port_default) if profile is not None else "8000")
        self.way.set_current(server.run_as)

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
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(SPACE_M)
        self._form.setVerticalSpacing(SPACE_S)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        fields = (self._folder_row, self.port, self.way, self.unit, self.unit_url)
        for name, field in zip(self._names, fields, strict=True):
            self._form.addRow(self._names[name], field)

    def _retranslate(self) -> None:
        words = {
            "folder": tr("Model"),
            "port": tr("Port"),
            "way": tr("Runs as"),
            "unit": tr("Unit"),
            "unit_url": tr("Address"),
        }
        for name, text in words.items():
            self._names[name].setText(text)
        named = ((self.folder, "folder"), (self.port, "port"), (self.unit, "unit"), (self.unit_url, "unit_url"))
        for field, name in named:
            field.setAccessibleName(words[name])
        self.port.lineEdit().setAccessibleName(words["port"])
        self.folder.setPlaceholderText(tr("the folder that holds FL2VA"))
        self.unit.setPlaceholderText("minimax-h3.service")
        self.browse.setToolTip(tr("Choose the model's folder"))
        self.browse.setAccessibleName(tr("Choose the model's folder"))
        self.show_kind()

    def _on_browse(self) -> None:
        start = self.folder.text() or str(Path.home())
        chosen = QFileDialog.getExistingDirectory(self, tr("Choose the model's folder"), start)
        if chosen:
            self._model.change(model_root=chosen)
