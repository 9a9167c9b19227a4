"""What stands out in the text of a prompt: places to fill, and tags that no reference has."""

from __future__ import annotations

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from studio.contract.labels import literal_tags
from studio.presets import places
from ui.theme.palette import tokens
from ui.theme.tokens import mix


class PromptMarks(QSyntaxHighlighter):
    """Marks a document as it is typed. Call `rehighlight` when the colours of the theme change."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)

    def highlightBlock(self, text: str) -> None:
        look = tokens()
        if "[[" in text:
            open_place = QTextCharFormat()
            open_place.setBackground(QColor(mix(look.warn, look.ground, 0.18)))
            for place in places(text):
                self._mark(text, place.start, place.end, open_place)
        if "<" in text:
            unknown = QTextCharFormat()
            unknown.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            unknown.setUnderlineColor(QColor(look.warn))
            for tag in literal_tags(text):
                start = -1
                while (start := text.find(tag, start + 1)) >= 0:
                    self._mark(text, start, start + len(tag), unknown)

    def _mark(self, text: str, start: int, end: int, form: QTextCharFormat) -> None:
        # Qt counts UTF-16 units.
        before, after = (len(text[:at].encode("utf-16-le", "surrogatepass")) // 2 for at in (start, end))
        self.setFormat(before, after - before, form)
