"""The user's servers as a list: which one is in view, how each stands, a way to add another."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from ui.server.list_row import paint_ground
from ui.server.profile_list import Index
from ui.server.servers_model import ServersModel
from ui.theme.icons import icon
from ui.theme.palette import set_role, smaller, tokens
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.popup_button import PopupButton

_PLACE: Final = Qt.ItemDataRole.UserRole
_ABOUT, _DOT, _CHOSEN = _PLACE + 1, _PLACE + 2, _PLACE + 3
_DOT_SIZE: Final = 8
_ROWS_SHOWN: Final = 4


class ServersList(QWidget):
    """Chooses, adds, renames and removes in a ServersModel."""

    def __init__(self, model: ServersModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._caption = QLabel()
        set_role(self._caption, "caption")
        self.add = PopupButton("", self._fill_add, icon_name="add")
        self.more = PopupButton("", self._fill_more)
        self.list = QListWidget()
        self.list.setItemDelegate(_ServerDelegate(self))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._on_picked)
        self.list.itemActivated.connect(self._on_picked)
        QShortcut(QKeySequence(Qt.Key.Key_F2), self.list, self._rename, context=Qt.ShortcutContext.WidgetShortcut)
        head = QHBoxLayout()
        head.setSpacing(0)
        head.addWidget(self._caption, 1)
        head.addWidget(self.add)
        head.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addLayout(head)
        column.addWidget(self.list)
        model.changed.connect(self._fill)
        self._fill()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._fill()
        super().changeEvent(event)

    def _fill(self) -> None:
        self._caption.setText(tr("SERVERS"))
        self.add.set_name(tr("Add a server"))
        self.more.set_name(tr("More about this server"))
        self.list.setAccessibleName(tr("Servers"))
        entries = self._model.entries
        # One server needs no list: what it is stands below.
        self.list.setVisible(len(entries) > 1)
        self.more.setVisible(len(entries) > 1)
        if self.list.count() != len(entries):
            self.list.clear()
            self.list.addItems([""] * len(entries))
        for row, entry in enumerate(entries):
            item = self.list.item(row)
            name, about = self._model.name(entry), self._model.about(entry)
            item.setText(name)
            item.setToolTip(about)
            for role, value in ((_PLACE, entry.place), (_ABOUT, about), (_DOT, self._model.dot(entry))):
                item.setData(role, value)
            item.setData(_CHOSEN, entry.place == self._model.chosen)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}. {about}")
            if entry.place == self._model.chosen and not self.list.hasFocus():
                self.list.setCurrentRow(row)
        rows = min(len(entries), _ROWS_SHOWN)
        self.list.setFixedHeight(rows * self.list.sizeHintForRow(0) + 2 * self.list.frameWidth())

    def _on_picked(self, item: QListWidgetItem) -> None:
        self._model.choose(item.data(_PLACE))

    def _fill_add(self, menu: QMenu) -> None:
        for sort, text in (
            ("machine", tr("On this machine")),
            ("container", tr("In a container of this machine")),
            ("ssh", tr("On another machine by SSH")),
            ("url", tr("Running at an address")),
            ("rehearsal", tr("Rehearsal server")),
        ):
            menu.addAction(text).triggered.connect(lambda _checked=False, sort=sort: self._model.add(sort))

    def _fill_more(self, menu: QMenu) -> None:
        place = self._model.chosen
        menu.addAction(tr("Rename…")).triggered.connect(self._rename)
        remove = menu.addAction(icon("remove"), tr("Take off the list"))
        remove.setEnabled(self._model.can_remove(place))
        remove.triggered.connect(lambda: self._model.remove(place))

    def _rename(self) -> None:
        place = self._model.chosen
        entry = next(one for one in self._model.entries if one.place == place)
        dialog = QInputDialog(self.window())
        dialog.setWindowTitle(tr("Rename the server"))
        dialog.setLabelText(tr("Name"))
        dialog.setTextValue(self._model.name(entry))
        dialog.textValueSelected.connect(lambda text: self._model.rename(place, text))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class _ServerDelegate(QStyledItemDelegate):
    """Paints a dot, the name, and below it what it is and how it stands."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option, index.data(_CHOSEN))
        line, small = option.fontMetrics.height(), smaller(option.font)
        left, top = option.rect.x() + SPACE_S, option.rect.y() + SPACE_XS
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(t, index.data(_DOT))))
        painter.drawEllipse(QRectF(left, top + (line - _DOT_SIZE) / 2, _DOT_SIZE, _DOT_SIZE))
        text = option.rect.adjusted(2 * SPACE_S + _DOT_SIZE, SPACE_XS, -SPACE_S, 0)
        for value, colour, font in ((index.data(), t.text, option.font), (index.data(_ABOUT), t.dim, small)):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            shown = painter.fontMetrics().elidedText(value, Qt.TextElideMode.ElideRight, text.width())
            painter.drawText(text.x(), text.y() + painter.fontMetrics().ascent(), shown)
            text.translate(0, line)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, 2 * option.fontMetrics.height() + 2 * SPACE_XS)
