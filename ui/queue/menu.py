"""What can be done with a job of the list, as a menu: by the right button or the menu key."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from studio.core.words import ntr, tr
from studio.jobs import Job, JobState, choosing
from ui.queue.control import SEEDS
from ui.queue.viewmodel import QueueModel
from ui.theme.icons import icon

_AGAIN = (JobState.FAILED, JobState.CANCELLED, JobState.LOST)


def fill(menu: QMenu, model: QueueModel, job: Job) -> None:
    """Put in what makes sense for this job now."""
    if job.state is JobState.DONE:
        _add(menu, "compare", tr("Compare with source"), lambda: model.open_result(job.id))
        if len(takes := model.takes(job)) > 1:
            text = tr("Choose among its {count} takes", count=len(takes))
            _add(menu, "grid", text, lambda: model.takes_requested.emit(takes))
        _add(menu, "folder", tr("Show file"), lambda: model.show_file(job.id))
        menu.addSeparator()
    if model.jobs.movable(job.id):
        _add(menu, "", tr("Earlier"), lambda: model.jobs.shift(job.id, -1))
        _add(menu, "", tr("Later"), lambda: model.jobs.shift(job.id, 1))
        if (target := model.control.elsewhere(job)) is not None:
            text = tr("Render on {server} instead", server=target.label.text())
            _add(menu, "server", text, lambda: model.control.send_to(job, target))
        menu.addSeparator()
    if choosing.is_open(job):
        _add(menu, "server", tr("Choose which render it is…"), lambda: model.choice_requested.emit(job))
    if job.state in _AGAIN:
        _add(menu, "refresh", tr("Retry (same seed)"), lambda: model.resume(job.id))
    _add(menu, "compose", tr("Duplicate and change…"), lambda: model.change_requested.emit(job))
    seeds = menu.addMenu(icon("dice"), tr("Render more seeds"))
    for count in SEEDS:
        text = ntr("{count} more seed", "{count} more seeds", count)
        _add(seeds, "", text, lambda count=count: model.control.more_seeds(job, count))
    _add(menu, "trim", tr("Smoke this shape"), lambda: model.control.smoke(job))
    if not job.state.finished and job.state is not JobState.CANCELLING:
        menu.addSeparator()
        _add(menu, "stop", tr("Cancel"), lambda: model.cancel_requested.emit(job))


def _add(menu: QMenu, name: str, text: str, act: object) -> None:
    action = menu.addAction(icon(name), text) if name else menu.addAction(text)
    action.triggered.connect(lambda _checked=False: act())  # type: ignore[operator]
