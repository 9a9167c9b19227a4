"""The launch profiles as a list: those that fit this machine first, the others with the reason why not."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QTextOption
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from ui.server.launch_model import LaunchModel
from ui.server.list_row import paint_ground
from ui.theme.icons import icon
from ui.theme.palette import set_role, smaller, tokens
from ui.theme.tokens import ICON, SPACE_S, SPACE_XS
from ui.widgets.file_dialogs import ask_file, ask_where_to
from ui.widgets.popup_button import PopupButton

_ID: Final = Qt.ItemDataRole.UserRole
_REASON: Final = _ID + 1
_CHOSEN: Final = _ID + 2

Index = QModelIndex | QPersistentModelIndex


class ProfileList(QWidget):
    """Chooses in a LaunchModel; a profile that does not fit can be chosen all the same: the doctor says more."""

    picked = Signal(str)
    """The user chose this profile."""

    def __init__(self, model: LaunchModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.list = QListWidget()
        self.list.setItemDelegate(_ProfileDelegate(self))
        # Always there: names wrap by the width, which must not change when rows come or go.
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._on_picked)
        self.list.itemActivated.connect(self._on_picked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self.list, 1)
        self.import_button = QPushButton()
        set_role(self.import_button, "quiet")
        self.import_button.clicked.connect(self._on_import)
        self.more = PopupButton("", self.fill_menu)
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        row.addWidget(self.import_button)
        row.addStretch()
        row.addWidget(self.more)
        column.addLayout(row)
        model.profiles_changed.connect(self._fill)
        self._fill()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._fill()
        super().changeEvent(event)

    def pick(self, profile_id: str) -> None:
        """As if the user had clicked it."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_ID) == profile_id:
                self.list.setCurrentRow(row)
                self._on_picked(self.list.item(row))

    def _fill(self) -> None:
        self.list.setAccessibleName(tr("Launch profiles"))
        self.import_button.setText(tr("Import a profile…"))
        self.more.set_name(tr("More about the profile"))
        chosen = self._model.server.profile if self._model.server.kind == "profile" else None
        self.more.setVisible(chosen is not None)
        at, current = self.list.verticalScrollBar().value(), self.list.currentItem()
        kept = chosen or (current.data(_ID) if current is not None else None)
        rows = [(profile, self._model.why_not(profile)) for profile in self._model.profiles]
        self.list.clear()
        for profile, why in sorted(rows, key=lambda row: bool(row[1])):
            reason = why[0].text() if why else tr("Fits this machine") if profile.gpus else ""
            item = QListWidgetItem(icon("warning" if why else "check", "faint" if why else "good"), profile.title)
            item.setToolTip("\n".join(profile.notes[:4]))
            item.setData(_ID, profile.id)
            item.setData(_REASON, reason)
            item.setData(_CHOSEN, profile.id == chosen)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{profile.title}. {reason}")
            self.list.addItem(item)
            if profile.id == kept:
                self.list.setCurrentItem(item)
        self.list.verticalScrollBar().setValue(at)

    def fill_menu(self, menu: QMenu) -> None:
        """Put in what can be done with the chosen profile."""
        menu.addAction(icon("download"), tr("Export…")).triggered.connect(self._on_export)
        if not self._model.is_built_in:
            menu.addAction(icon("remove"), tr("Forget this profile")).triggered.connect(self._model.remove)

    def _on_picked(self, item: QListWidgetItem) -> None:
        self.picked.emit(item.data(_ID))

    def _on_import(self) -> None:
        ask_file(self, tr("Import a profile"), self._model.import_file, names="*.json", folder=Path.home())

    def _on_export(self) -> None:
        profile = self._model.profile
        if profile is not None:
            suggested = Path.home() / f"{profile.id}.json"
            ask_where_to(self, tr("Export the profile"), self._model.export_file, suggested=suggested, names="*.json")


class _ProfileDelegate(QStyledItemDelegate):
    """Paints a profile's name, and dimmer and smaller below it why it does not fit."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option, index.data(_CHOSEN))
        name, reason = _areas(option, index)
        index.data(Qt.ItemDataRole.DecorationRole).paint(painter, name.x() - ICON - SPACE_S, name.y() + 1, ICON, ICON)
        wrapped = QTextOption()
        wrapped.setWrapMode(QTextOption.WrapMode.WordWrap)
        for area, text, colour, font in (
            (name, index.data(), t.text, option.font),
            (reason, index.data(_REASON), t.dim, smaller(option.font)),
        ):
            painter.setPen(QColor(colour))
            painter.setFont(font)
            painter.drawText(area, text, wrapped)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        name, reason = _areas(option, index)
        last = reason if index.data(_REASON) else name
        return QSize(0, last.bottom() - option.rect.y() + SPACE_XS + 1)


def _areas(option: QStyleOptionViewItem, index: Index) -> tuple[QRect, QRect]:
    """Where the name and the reason of a row stand."""
    view = option.widget
    room = view.viewport().width() if isinstance(view, QListWidget) else option.rect.width()
    width = max(80, room - ICON - 3 * SPACE_S)
    left, top = option.rect.x() + ICON + 2 * SPACE_S, option.rect.y() + SPACE_XS
    wrap = int(Qt.TextFlag.TextWordWrap)
    name = QFontMetrics(option.font).boundingRect(QRect(0, 0, width, 10_000), wrap, index.data()).height()
    reason = QFontMetrics(smaller(option.font)).boundingRect(QRect(0, 0, width, 10_000), wrap, index.data(_REASON))
    return QRect(left, top, width, name), QRect(left, top + name + 1, width, reason.height())
