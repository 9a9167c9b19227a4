"""Errors are values with a code, parameters and a mend until the edge where they are shown."""

from __future__ import annotations

from studio.core.words import Message, Param, say


class StudioError(Exception):
    """A failure that a user can be told about.

    `code` names the sentence (registered with `words.sentences`), `params` fill it, `mend` is the code of a second
    sentence that says what to do. `detail` is for the log and *Copy details* only.
    """

    def __init__(self, code: str, *, mend: str | None = None, detail: str = "", **params: Param) -> None:
        super().__init__(code)
        self.code = code
        self.params: dict[str, Param] = dict(params)
        self.mend = mend
        self.detail = detail

    @property
    def message(self) -> Message:
        """What went wrong, as a code with parameters."""
        return Message(self.code, self.params)

    def text(self) -> str:
        """What went wrong and what to do, in the current language."""
        said = say(self.code, self.params)
        return f"{said} {say(self.mend, self.params)}" if self.mend else said

    def __str__(self) -> str:
        return self.text()

    def __reduce__(self) -> tuple[object, ...]:
        # Crosses process borders whole: workers raise these.
        return (_rebuild, (type(self), self.code, self.mend, self.detail, self.params))


def _rebuild(cls: type[StudioError], code: str, mend: str | None, detail: str, params: dict[str, Param]) -> StudioError:
    return cls(code, mend=mend, detail=detail, **params)
