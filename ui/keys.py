"""The F1 sheet: every action of the registry with its keys, by group."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.theme.actions import ACTIONS, GROUPS
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S


class KeySheet(QDialog):
    """All keys of the program. Read-only; Escape closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(460, 620)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setSpacing(SPACE_M)
        with_keys = [spec for spec in ACTIONS.values() if spec.keys]
        for group, specs in groupby(with_keys, key=lambda spec: spec.group):
            heading = QLabel(tr(GROUPS[group]))
            set_role(heading, "caption")
            column.addWidget(heading)
            form = QFormLayout()
            form.setHorizontalSpacing(SPACE_L)
            form.setVerticalSpacing(SPACE_S)
            for spec in specs:
                shown = [QKeySequence(k).toString(QKeySequence.SequenceFormat.NativeText) for k in spec.keys]
                keys = QLabel("   ".join(shown))
                keys.setMinimumWidth(130)
                set_role(keys, "dim")
                form.addRow(keys, QLabel(tr(spec.text)))
            column.addLayout(form)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setAccessibleName(tr("Keys"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
