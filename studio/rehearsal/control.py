"""The control input, which MiniMax-H3 has none of."""

from __future__ import annotations

from studio.rehearsal.answers import bad_request
from studio.rehearsal.request import VideoForm


def check_control(form: VideoForm) -> None:
    """The checks at POST on the control fields. Raises `Refused`."""
    if form.control_reference is None:
        if form.control_type is not None:
            raise bad_request("control_type requires a control_reference upload.")
        return
    word = (form.control_type or "").strip().lower()
    if not word:
        raise bad_request("control_reference requires control_type.")
    raise bad_request(
        f"Control upload type '{word}' is not supported by this model. Supported control upload types: none."
    )
