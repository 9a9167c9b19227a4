"""The findings about one subject, one row each; made anew only when they change, so that focus and text stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.contract import Finding, Mend
from studio.core.words import Param
from ui.compose.viewmodel import ComposeModel
from ui.widgets.finding import FindingRow

_NAME_LENGTH = 20


class FindingList(QWidget):
    """Shows findings and hands the mends that are chosen to the model. Takes no room while there is none."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[Finding, ...] = ()
        self.rows: list[FindingRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show these findings and no others."""
        if tuple(findings) == self._shown:
            return
        self._shown = tuple(findings)
        for row in self.rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = []
        for finding in findings:
            row = FindingRow(_short(finding), self)
            for button, mend in zip(row.buttons, finding.mends, strict=True):
                button.clicked.connect(partial(self._mend, finding, mend))
            self._column.addWidget(row)
            self.rows.append(row)
        self.setVisible(bool(self.rows))

    def _mend(self, finding: Finding, mend: Mend, _checked: bool = False) -> None:
        self._model.apply_mend(finding, mend)


def _short(finding: Finding) -> Finding:
    """The finding with file names that fit a card; the whole name stands on it already."""
    mends = tuple(replace(mend, params=_short_names(mend.params)) for mend in finding.mends)
    return replace(finding, params=_short_names(finding.params), mends=mends)


def _short_names(params: Mapping[str, Param]) -> dict[str, Param]:
    name = params.get("name")
    if not isinstance(name, str) or len(name) <= _NAME_LENGTH:
        return dict(params)
    half = _NAME_LENGTH // 2
    return {**params, "name": f"{name[:half]}…{name[-half + 1 :]}"}
