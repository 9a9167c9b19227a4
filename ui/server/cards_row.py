"""The cards of a server in their order, the NUMA node that it is bound to, and a way to have both suggested."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QSpinBox, QWidget

from studio.core.words import Message, tr
from ui.server.launch_model import LaunchModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S
from ui.widgets.number_field import inset

_DEVICES = r"[0-9]{0,3}(,[0-9]{1,3}){0,15}"
_NODE_WIDTH = 96


class CardsRow(QWidget):
    """Edits `gpus` and `numa` of a LaunchModel's server."""

    explained = Signal()
    """`why` says something else."""

    def __init__(self, model: LaunchModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._why: tuple[Message, ...] = ()
        self.devices = QLineEdit()
        self.devices.setValidator(QRegularExpressionValidator(_DEVICES, self.devices))
        self.devices.editingFinished.connect(self._on_edited)
        self.numa = QSpinBox(minimum=-1, maximum=63)
        self.numa.setFixedWidth(_NODE_WIDTH)
        inset(self.numa)
        self.numa.valueChanged.connect(lambda node: model.change(numa=None if node < 0 else node))
        self.suggest = QPushButton()
        self.suggest.clicked.connect(model.cards.ask)
        self.why = QLabel(wordWrap=True)  # stands in a row of its own, below
        set_role(self.why, "dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_S)
        row.addWidget(self.devices, 1)
        row.addWidget(self.numa)
        row.addWidget(self.suggest)
        model.cards.told.connect(self._on_told)
        model.place_changed.connect(self._show)
        model.profiles_changed.connect(self._forget)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _on_edited(self) -> None:
        self._model.change(gpus=",".join(re.findall(r"\d+", self.devices.text())))

    def _on_told(self, why: tuple[Message, ...]) -> None:
        self._why = why
        self._show()

    def _forget(self) -> None:
        self._why = ()
        self._show()

    def _show(self) -> None:
        server, profile = self._model.server, self._model.profile
        self.devices.setText(server.gpus)
        own = profile.env.get("CUDA_VISIBLE_DEVICES", "") if profile is not None else ""
        self.devices.setPlaceholderText(own or tr("all"))
        self.numa.blockSignals(True)
        self.numa.setValue(-1 if server.numa is None else server.numa)
        self.numa.blockSignals(False)
        self.why.setText(" ".join(message.text() for message in self._why))
        self.explained.emit()

    def _retranslate(self) -> None:
        self.devices.setAccessibleName(tr("Cards in their order"))
        self.devices.setToolTip(tr("CUDA_VISIBLE_DEVICES: tensor-parallel neighbours should be joined well"))
        self.numa.setAccessibleName(tr("NUMA node"))
        self.numa.lineEdit().setAccessibleName(tr("NUMA node"))
        self.numa.setToolTip(tr("NUMA node that processors and memory are bound to"))
        self.numa.setSpecialValueText(tr("any node"))
        self.numa.setPrefix(tr("node") + " ")
        self.suggest.setText(tr("Suggest"))
        self.suggest.setToolTip(tr("Read how the cards are joined (nvidia-smi topo -m)"))
        self._show()
