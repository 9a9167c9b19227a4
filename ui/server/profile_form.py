"""The form that a profile is edited in: each flag with the control that its kind of value asks for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import mark, tr
from studio.server.flag_table import Given, known, known_flags
from ui.server.doctor_list import DoctorList
from ui.server.launch_model import LaunchModel
from ui.server.profile_draft import ProfileDraft
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.empty import EmptyState
from ui.widgets.layouts import empty
from ui.widgets.number_field import inset

_FLAG_COLUMN = 220


class ProfileForm(QWidget):
    """Edits the chosen profile; a built-in one is kept as a copy of the user's own."""

    def __init__(self, model: LaunchModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.draft = ProfileDraft(self)
        self.title, self.program = QLineEdit(), QLineEdit()
        self.title.textEdited.connect(self.draft.set_title)
        self.program.textEdited.connect(self.draft.set_program)
        self.grace = QSpinBox(minimum=0, maximum=3600)
        inset(self.grace)
        self.grace.valueChanged.connect(self.draft.set_grace)
        self.new_flag, self.new_variable = QComboBox(editable=True), QLineEdit()
        self.new_flag.addItems(["", *known_flags()])
        self.new_flag.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        completer, field = self.new_flag.completer(), self.new_flag.lineEdit()
        assert completer is not None and field is not None  # it is editable
        self._flag_field = field
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.new_flag.textActivated.connect(self._on_new_flag)
        # Names with dots are not in the list, and a list tells nothing of them.
        field.returnPressed.connect(lambda: self._on_new_flag(self.new_flag.currentText()))
        self.new_variable.returnPressed.connect(self._on_new_variable)
        self.problems = DoctorList(mark("WHAT IS WRONG"))
        self.keep_button, self.reset_button = QPushButton(), QPushButton()
        self.keep_button.clicked.connect(self._on_keep)
        self.reset_button.clicked.connect(self.draft.reset)
        self._names = {name: QLabel() for name in ("title", "program", "grace", "flags", "env")}
        for name in ("flags", "env"):
            set_role(self._names[name], "caption")
        self._note = QLabel(wordWrap=True)
        set_role(self._note, "dim")
        self._empty = EmptyState("server", mark("Choose a profile on the left to see and change its flags."))
        self._rows = QGridLayout()
        self._lay_out()
        self.draft.rebuilt.connect(self._rebuild)
        self.draft.edited.connect(self._judge)
        model.profiles_changed.connect(self._take)
        self._retranslate()
        self._take()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._rebuild()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        column.setSpacing(SPACE_S)
        self._rows.setHorizontalSpacing(SPACE_S)
        self._rows.setVerticalSpacing(SPACE_XS)
        self._rows.setColumnStretch(1, 1)
        self._rows.setColumnMinimumWidth(0, _FLAG_COLUMN)
        column.addWidget(self._note)
        column.addLayout(self._rows)
        column.addStretch()
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inner)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_M)
        buttons.setSpacing(SPACE_S)
        buttons.addWidget(self.keep_button)
        buttons.addWidget(self.reset_button)
        buttons.addStretch()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._empty)
        whole.addWidget(self._scroll, 1)
        wrong = QVBoxLayout()
        wrong.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, 0)
        wrong.addWidget(self.problems)
        whole.addLayout(wrong)
        whole.addLayout(buttons)

    def _take(self) -> None:
        profile = self._model.profile
        self.draft.take(profile)
        for widget in (self._scroll, self.keep_button, self.reset_button):
            widget.setVisible(profile is not None)
        self._empty.setVisible(profile is None)

    def _retranslate(self) -> None:
        words = {
            "title": tr("Name"),
            "program": tr("Program"),
            "grace": tr("Time to end by itself"),
            "flags": tr("FLAGS"),
            "env": tr("VARIABLES"),
        }
        self.grace.setSuffix(" s")
        self.grace.setAccessibleName(words["grace"])
        self.grace.lineEdit().setAccessibleName(words["grace"])
        for name, text in words.items():
            self._names[name].setText(text)
        self.title.setAccessibleName(words["title"])
        self.program.setAccessibleName(words["program"])
        self.new_flag.setAccessibleName(tr("Add a flag"))
        self._flag_field.setAccessibleName(tr("Add a flag"))
        self._flag_field.setPlaceholderText(tr("Add a flag"))
        self.new_variable.setAccessibleName(tr("Add a variable"))
        self.new_variable.setPlaceholderText(tr("Add a variable: its name, then Enter"))
        self.reset_button.setText(tr("Discard changes"))
        self._note.setText(
            tr("Time limits, the step bar and the storage folder are added by the studio to whatever stands here.")
        )
        self._judge()

    # Rows.

    def _rebuild(self) -> None:
        kept = (self.title, self.program, self.grace, self.new_flag, self.new_variable, *self._names.values())
        empty(self._rows, kept)
        self.title.setText(self.draft.title)
        self.program.setText(self.draft.program)
        self.grace.blockSignals(True)
        self.grace.setValue(int(self.draft.grace))
        self.grace.blockSignals(False)
        for field in (self.title, self.program):
            field.setCursorPosition(0)
        rows: list[tuple[QWidget, QWidget | None, QWidget | None]] = [
            (self._names["title"], self.title, None),
            (self._names["program"], self.program, None),
            (self._names["grace"], self.grace, None),
            (self._names["flags"], None, None),
            *(self._flag_row(index, given) for index, given in enumerate(self.draft.flags)),
            (self.new_flag, None, None),
            (self._names["env"], None, None),
            *(self._variable_row(name, value) for name, value in self.draft.env.items()),
            (self.new_variable, None, None),
        ]
        for row, (left, middle, right) in enumerate(rows):
            alone = middle is None and right is None
            self._rows.addWidget(left, row, 0, 1, 2 if alone and left not in self._names.values() else 1)
            for column, widget in ((1, middle), (2, right)):
                if widget is not None:
                    self._rows.addWidget(widget, row, column)
        self._judge()

    def _flag_row(self, index: int, given: Given) -> tuple[QWidget, QWidget, QWidget]:
        name = given.flag or tr("Words before the flags")
        about = known(given.flag)
        editor: QWidget = QLabel(tr("on"))
        if about is not None and about.kind == "choice":
            editor = self._choice(given.value, about.choices, partial(self.draft.set_flag, index))
        elif about is None or about.kind != "switch" or given.value:
            editor = QLineEdit(given.value)
            editor.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            editor.setPlaceholderText(about.default if about is not None else "")
            editor.textEdited.connect(partial(self.draft.set_flag, index))
        else:
            set_role(editor, "dim")
        editor.setAccessibleName(name)
        return _name_label(name), editor, self._remove_button(name, partial(self.draft.remove_flag, index))

    def _variable_row(self, name: str, value: str) -> tuple[QWidget, QWidget, QWidget]:
        editor = QLineEdit(value)
        editor.setAccessibleName(name)
        editor.textEdited.connect(partial(self.draft.set_variable, name))
        return _name_label(name), editor, self._remove_button(name, partial(self.draft.remove_variable, name))

    def _choice(self, value: str, choices: tuple[str, ...], then: Callable[[str], None]) -> QComboBox:
        box = _Choice()
        box.addItems([value, *choices] if value not in choices else list(choices))
        box.setCurrentText(value)
        box.currentTextChanged.connect(then)
        return box

    def _remove_button(self, name: str, then: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon("close"))
        set_role(button, "quiet")
        button.setAccessibleName(tr("Remove {name}", name=name))
        button.setToolTip(tr("Remove {name}", name=name))
        button.clicked.connect(lambda _checked=False: then())
        return button

    # Doing.

    def _judge(self) -> None:
        problems = self.draft.problems()
        self.problems.set_checks(problems)
        self.problems.setVisible(bool(problems))
        changed = self.draft.is_changed
        self.keep_button.setEnabled(changed and self.draft.profile is not None)
        self.reset_button.setEnabled(changed)
        self.keep_button.setText(tr("Keep as a profile of mine") if self._model.is_built_in else tr("Keep the changes"))
        set_role(self.keep_button, "primary" if changed else "")

    def _on_new_flag(self, text: str) -> None:
        self.new_flag.setCurrentIndex(0)
        self.draft.add_flag(text)

    def _on_new_variable(self) -> None:
        name = self.new_variable.text()
        self.new_variable.clear()
        self.draft.add_variable(name)

    def _on_keep(self) -> None:
        if (profile := self.draft.profile) is not None:
            self._model.keep(profile)


class _Choice(QComboBox):
    """A choice in a form that scrolls: the wheel scrolls the form and chooses nothing."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def _name_label(name: str) -> QLabel:
    label = QLabel(name)
    label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
