"""What will be sent: the fields and files of the request, tags resolved, as a list, as JSON and as a command."""

from __future__ import annotations

import json

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from studio.contract import WireForm, planned, wire_form
from studio.core.words import tr
from ui.compose.curl import curl_command, file_of
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S

_SIZE = (760, 560)
_FORMS = ("form", "json", "curl")


class SentView(QDialog):
    """A look at the request as it is now; nothing in it can be changed."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.tabs = QTabWidget()
        self.texts: dict[str, QPlainTextEdit] = {}
        self._note = QLabel()
        self._note.setWordWrap(True)
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        set_role(self._note, "dim")
        self.copy_button, self.close_button = QPushButton(), QPushButton()
        self.copy_button.setIcon(icon("copy"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        for name in _FORMS:
            text = self.texts[name] = QPlainTextEdit(readOnly=True)
            text.setFont(fixed)
            text.setTabChangesFocus(True)
            self.tabs.addTab(text, "")
        buttons = QHBoxLayout()
        buttons.addWidget(self._note, 1)
        buttons.addWidget(self.copy_button)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addWidget(self.tabs, 1)
        column.addLayout(buttons)
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.accept)
        model.findings_changed.connect(self.refresh)
        self.resize(*_SIZE)
        self.retranslate()
        self.refresh()

    def refresh(self) -> None:
        """Show the request of the model's shot."""
        form = wire_form(self._model.request)
        contents = {"form": _listed(self._model, form), "json": _json(self._model, form), "curl": curl_of(self._model)}
        for name, text in contents.items():
            if self.texts[name].toPlainText() != text:
                self.texts[name].setPlainText(text)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setWindowTitle(tr("What will be sent"))
        titles = {"form": tr("Form"), "json": tr("JSON"), "curl": tr("curl")}
        for index, name in enumerate(_FORMS):
            self.tabs.setTabText(index, titles[name])
            self.texts[name].setAccessibleName(f"{tr('What will be sent')}: {titles[name]}")
        self.copy_button.setText(tr("Copy"))
        self.close_button.setText(tr("Close"))
        self._note.setText(tr("Files are prepared before they are sent; the command names the originals."))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.texts[_FORMS[self.tabs.currentIndex()]].toPlainText())


def curl_of(model: ComposeModel) -> str:
    """The command that would send the model's shot to its server."""
    files = {reference.id: reference.path for reference in model.shot.references}
    return curl_command(wire_form(model.request), files, model.around.server_url())


def _listed(model: ComposeModel, form: WireForm) -> str:
    lines = [f"{name}: {value}" for name, value in form.fields]
    files = {reference.id: reference.path for reference in model.shot.references}
    for part in form.parts:
        own = " ".join(model.tags.get(part.ref_id, ())) if part.field == "input_references" else ""
        lines.append(f"{part.field}: {file_of(part, files).name}  {own}".rstrip())
    return "\n\n".join(lines)


def _json(model: ComposeModel, form: WireForm) -> str:
    fields: dict[str, object] = {}
    for name, value in form.fields:
        fields[name] = json.loads(value) if name in ("extra_params", "lora") else value
    files = {reference.id: reference.path for reference in model.shot.references}
    fields["input_references"] = [_file(model, part.ref_id) for part in form.parts if part.field == "input_references"]
    fields |= {part.field: file_of(part, files).name for part in form.parts if part.field != "input_references"}
    return json.dumps(fields, indent=2, ensure_ascii=False)


def _file(model: ComposeModel, ref_id: str) -> dict[str, object]:
    request = model.request
    reference = request.shot.reference(ref_id)
    if reference is None:
        return {}
    facts = request.facts_of(reference)
    known: dict[str, object] = {"file": reference.path.name, "tags": list(model.tags.get(ref_id, ()))}
    if facts is not None and facts.kind == reference.kind:
        plan = planned(reference, facts)
        known |= {"seconds": plan.seconds, "frames": plan.frames, "width": plan.width, "height": plan.height}
        if plan.sound_seconds:
            known["sound_seconds"] = plan.sound_seconds
    return {name: value for name, value in known.items() if value not in (0, 0.0)}
