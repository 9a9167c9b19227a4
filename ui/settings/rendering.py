"""How references are prepared, and what goes with a render."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLineEdit, QWidget

from studio.core.words import mark, tr
from ui.settings.section import Section
from ui.settings.viewmodel import SettingsModel
from ui.widgets.dropdown import Dropdown
from ui.widgets.segmented import Segmented

_EDGES = (("540", mark("540 px")), ("768", mark("768 px")), ("source", mark("As in the file")))
_CLOSING = (
    ("ask", mark("Ask each time")),
    ("keep", mark("Keep rendering")),
    ("after", mark("Stop after this render")),
    ("now", mark("Stop now")),
)
_QUEUE = (
    ("keep_awake", mark("Keep the machine awake while it renders")),
    ("notify", mark("Tell the desktop when a render has ended")),
    ("stop_server_when_empty", mark("Stop our server once nothing is left to render")),
)


class PreparationSection(Section):
    """What a clip that is added begins with."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("Preparation"), parent)
        self._model = model
        self.edge = Segmented(_EDGES, mark("Short edge of clips"))
        self.add(
            mark("Short edge of clips"),
            self.edge,
            mark("What a clip is made to before it is sent. Each card can still say otherwise."),
        )
        self.edge.chosen.connect(self._on_chosen)

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self.retranslate()
        edge = self._model.present.short_edge
        self.edge.set_current({540: "540", 768: "768"}.get(edge or 0, "source"))

    def _on_chosen(self, key: str) -> None:
        self._model.change(short_edge=None if key == "source" else int(key))


class RenderingSection(Section):
    """What happens around a render and at its end."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("Rendering"), parent)
        self._model = model
        self.switches: dict[str, QCheckBox] = {}
        for name, _text in _QUEUE:
            box = self.switches[name] = QCheckBox()
            box.clicked.connect(lambda on, name=name: model.change_part("queue", **{name: on}))
            self.add_choice(box)
        self.tidy = QCheckBox()
        self.tidy.clicked.connect(lambda on: model.change(tidy_server=on))
        self.add_choice(self.tidy, mark("Only after the copy here was checked, every frame of it."))
        self.stalled = QDoubleSpinBox(minimum=1, maximum=10_000, decimals=0, singleStep=10)
        self.stalled.setKeyboardTracking(False)
        self.stalled.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.stalled.valueChanged.connect(lambda m: model.change_part("queue", stalled_after_minutes=m))
        self.post = QLineEdit(placeholderText="https://example.org/renders")
        self.post.editingFinished.connect(self._on_post)
        self.closing = Dropdown()
        for key, _text in _CLOSING:
            self.closing.addItem("", key)
        self.closing.activated.connect(lambda index: model.change(closing=self.closing.itemData(index)))
        self.add(mark("Call a render stalled after"), self.stalled)
        self.add(
            mark("Address to tell of each end"),
            self.post,
            mark(
                "Gets a small JSON message by POST when a render is done or failed. Nothing is sent while it is empty."
            ),
        )
        self.add(mark("Closing the window during a render"), self.closing)

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self.retranslate()
        settings = self._model.present
        for name, text in _QUEUE:
            self.switches[name].setText(tr(text))
            self.switches[name].setChecked(getattr(settings.queue, name))
        self.tidy.setText(tr("Delete the server's copy of a result"))
        self.tidy.setChecked(settings.tidy_server)
        blocker = QSignalBlocker(self.stalled)
        self.stalled.setValue(settings.queue.stalled_after_minutes)
        blocker.unblock()
        self.stalled.setSuffix(tr(" min"))
        if not self.post.hasFocus():
            self.post.setText(settings.queue.post_url or "")
        for index, (_key, text) in enumerate(_CLOSING):
            self.closing.setItemText(index, tr(text))
        self.closing.setCurrentIndex(self.closing.findData(settings.closing))

    def _on_post(self) -> None:
        self._model.change_address("queue", "post_url", self.post.text())


class PromptHelpSection(Section):
    """The service that may rewrite prompts, off while it has no address."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("Help with prompts"), parent)
        self._model = model
        self.url, self.name = QLineEdit(placeholderText="http://127.0.0.1:11434/v1"), QLineEdit()
        self.add(
            mark("Address of your own service"),
            self.url,
            mark("An OpenAI-compatible one. A prompt is sent there only when you ask for a rewrite; empty, never."),
        )
        self.add(mark("Model"), self.name)
        self.url.editingFinished.connect(self._on_changed)
        self.name.editingFinished.connect(self._on_changed)

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self.retranslate()
        compose = self._model.present.compose
        for field, text in ((self.url, compose.assistant_url or ""), (self.name, compose.assistant_model)):
            if not field.hasFocus():
                field.setText(text)

    def _on_changed(self) -> None:
        url, name = self.url.text().strip().rstrip("/"), self.name.text().strip()
        self._model.change_address("compose", "assistant_url", url, assistant_model=name)
