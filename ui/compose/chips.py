"""Mentions in the prompt as chips: the tag of the reference as it is now, or that it is not sent, or gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPyTextObject, QTextDocument, QTextFormat

from studio.contract import Mention, Request, mentions, tags, window_prompts
from studio.core.words import tr
from ui.compose.describe import plain_tag
from ui.compose.mentions import Names
from ui.compose.prompt_text import MENTION
from ui.theme.palette import tokens
from ui.theme.tokens import RADIUS_CONTROL, mix

_PAD: Final = 5.0
_AROUND: Final = 1.0
_GONE: Final = "⌀"


@dataclass(frozen=True, slots=True)
class ChipLook:
    """What a chip says. `state`: the reference is sent, waits in the tray, or was removed."""

    label: str
    state: Literal["sent", "unsent", "gone"]
    tip: str


Looks = Mapping[str, ChipLook]
"""Stored mention → its chip."""


def looks_of(request: Request, names: Names, before: Looks) -> dict[str, ChipLook]:
    """The chip of every mention that the shot can have; a removed reference keeps the name that it had `before`."""
    sent = {tag for own in tags(request).values() for tag in own}
    found: dict[str, ChipLook] = {}
    for stored, shown in names.items():
        reference = request.shot.reference(mentions(stored)[0].ref_id)
        name = reference.path.name if reference else ""
        if shown in sent:
            found[stored] = ChipLook(plain_tag(shown), "sent", name)
        else:
            found[stored] = ChipLook(plain_tag(shown), "unsent", tr("{name} is not sent", name=name))
    for prompt in (request.shot.prompt, *window_prompts(request.shot)):
        for mention in mentions(prompt):
            key = _key(prompt, mention)
            if key not in found:
                label = before[key].label if key in before else _GONE
                found[key] = ChipLook(label, "gone", tr("This reference is no longer there"))
    return found


def _key(prompt: str, mention: Mention) -> str:
    return prompt[mention.start : mention.end]


class ChipPainter(QPyTextObject):
    """Measures and draws the chips of one document. Set `looks` before the document is laid out."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.looks: Looks = {}

    def intrinsicSize(self, doc: QTextDocument, _position: int, form: QTextFormat) -> QSizeF:
        # The box ends on the baseline: a taller one would push its line apart.
        metrics = QFontMetricsF(doc.defaultFont())
        return QSizeF(metrics.horizontalAdvance(self._look(form).label) + 2 * (_PAD + _AROUND), metrics.ascent())

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, _position: int, form: QTextFormat
    ) -> None:
        colours, look = tokens(), self._look(form)
        metrics = QFontMetricsF(doc.defaultFont())
        box = QRectF(rect.left() + _AROUND, rect.top(), rect.width() - 2 * _AROUND, rect.height() + metrics.descent())
        gone, sent = look.state == "gone", look.state == "sent"
        edge = QPen(QColor(colours.bad if gone else mix(colours.text, colours.ground, 0.35)), 1.0)
        edge.setStyle(Qt.PenStyle.SolidLine if sent else Qt.PenStyle.DashLine)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(edge)
        painter.setBrush(QColor(mix(colours.text, colours.ground, 0.14 if sent else 0.04)))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_CONTROL, RADIUS_CONTROL)
        font = doc.defaultFont()
        font.setStrikeOut(gone)
        painter.setFont(font)
        painter.setPen(QColor(colours.bad if gone else colours.text if sent else colours.dim))
        painter.drawText(QRectF(box.left() + _PAD, box.top(), box.width(), box.height()), int(_TEXT), look.label)
        painter.restore()

    def _look(self, form: QTextFormat) -> ChipLook:
        mention = str(form.property(MENTION))
        return self.looks.get(mention) or ChipLook(_GONE, "gone", "")


_TEXT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
