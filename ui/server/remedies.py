"""What can be done about the server beside the one act: each a button by the sentence that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from studio.core.words import tr
from studio.server import ServerState
from ui.server.viewmodel import ServerModel


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button: what it says in the current language, and what it does."""

    text: str
    do: Callable[[], object]
    tip: str = ""


def remedies(model: ServerModel) -> Iterator[Remedy]:
    """The remedies of the present state."""
    status = model.status
    match status.state:
        case ServerState.STOPPING if model.seconds_to_force is not None:
            yield Remedy(tr("End now"), model.end_now)
        case ServerState.STOPPED if status.displaced:
            names = ", ".join(status.displaced)
            yield Remedy(tr("Start {names} again", names=names), model.bring_back)
        case ServerState.FAILED:
            yield from _of_failure(model)


def _of_failure(model: ServerModel) -> Iterator[Remedy]:
    status = model.status
    if status.leftovers:
        elsewhere = status.record is not None and status.record.kind == "ssh"
        yield Remedy(tr("Stop it again") if elsewhere else tr("End what is left"), model.end_leftovers)
    if model.kind != "profile":
        return
    if status.cause is not None and (edit := status.cause.failure.edit) is not None:
        yield Remedy(tr("Change it in the profile"), partial(model.launches.mend, edit), edit.text)
    if status.trouble is not None and status.trouble.code.startswith("server.port_taken"):
        url = model.launches.url
        yield Remedy(tr("Connect to what is there"), partial(model.attach, url, None))
        yield Remedy(tr("Use another port"), model.launches.use_free_port)
