"""What a profile leaves open beside the model, such as the file of a LoRA: a row of the form for each."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QWidget

from studio.core.words import tr
from ui.server.launch_model import LaunchModel
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT


class PlacesForm(QObject):
    """Edits `values` of a LaunchModel's server in rows of `form` below `above`; most profiles have none."""

    def __init__(self, model: LaunchModel, form: QFormLayout, above: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._form, self._above = model, form, above
        self.fields: dict[str, QLineEdit] = {}

    def show_profile(self, *, own: bool) -> None:
        """Show the fields of the chosen profile with their values; none when no profile is started (`own`)."""
        profile, values = self._model.profile, self._model.server.values
        wanted = sorted(profile.placeholders) if profile is not None and own else []
        if wanted != list(self.fields):
            self._lay_out(wanted)
        for name, field in self.fields.items():
            field.setText(values.get(name, ""))
            field.setPlaceholderText(tr("needed by this profile: {name}", name=f"{{{name}}}"))

    def _lay_out(self, names: list[str]) -> None:
        for field in self.fields.values():
            self._form.removeRow(field)
        self.fields = {name: QLineEdit() for name in names}
        row = self._form.getWidgetPosition(self._above)[0]  # type: ignore[index]
        for below, (name, field) in enumerate(self.fields.items(), 1):
            label = QLabel(name.replace("_", " "))
            set_role(label, "dim")
            label.setMinimumHeight(CONTROL_HEIGHT)
            field.setAccessibleName(label.text())
            field.editingFinished.connect(partial(self._on_edited, name))
            self._form.insertRow(row + below, label, field)

    def _on_edited(self, name: str) -> None:
        self._model.change(values={**self._model.server.values, name: self.fields[name].text().strip()})
