"""The jobs as rows for a list view, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio.contract.labels import mentions
from studio.jobs import Job

JobRole: Final = Qt.ItemDataRole.UserRole
"""The Job."""
LineRole: Final = Qt.ItemDataRole.UserRole + 1
"""How far it is, in words."""

Index = QModelIndex | QPersistentModelIndex


class JobListModel(QAbstractListModel):
    """Holds the latest value of every job. `describe` puts a job's progress into words when a row is painted."""

    def __init__(self, describe: Callable[[Job], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._describe = describe
        self._jobs: list[Job] = []

    @property
    def jobs(self) -> Sequence[Job]:
        """All jobs, newest first."""
        return self._jobs

    def row_of(self, job_id: str) -> int | None:
        """Where a job stands."""
        return next((row for row, job in enumerate(self._jobs) if job.id == job_id), None)

    def get(self, job_id: str | None) -> Job | None:
        """The job with that id."""
        return next((job for job in self._jobs if job.id == job_id), None)

    def put(self, job: Job) -> None:
        """Take in a job's new value, or a new job."""
        row = self.row_of(job.id)
        if row is None:
            newer = sum(1 for other in self._jobs if (other.created, other.id) > (job.created, job.id))
            self.beginInsertRows(QModelIndex(), newer, newer)
            self._jobs.insert(newer, job)
            self.endInsertRows()
        elif job != self._jobs[row]:
            self._jobs[row] = job
            self.dataChanged.emit(self.index(row), self.index(row))

    def refresh(self) -> None:
        """Have every row painted again: ages grow, the language changed."""
        if self._jobs:
            self.dataChanged.emit(self.index(0), self.index(len(self._jobs) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._jobs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._jobs):
            return None
        job = self._jobs[index.row()]
        match role:
            case Qt.ItemDataRole.UserRole:
                return job
            case _ if role == LineRole:
                return self._describe(job)
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{title(job)}, {self._describe(job)}"
            case Qt.ItemDataRole.ToolTipRole:
                return readable_prompt(job)
        return None


def title(job: Job) -> str:
    """What a job is called: its prompt on one line as the server reads it, else its name."""
    return " ".join(readable_prompt(job).split()) or job.name or job.id


def readable_prompt(job: Job) -> str:
    """The prompt as it was sent; before that, each mention as the name of its file."""
    if sent := dict(job.wire).get("prompt"):
        return sent
    text = job.shot.prompt
    for mention in reversed(mentions(text)):
        reference = job.shot.reference(mention.ref_id)
        name = f"<{reference.path.name}>" if reference else ""
        text = text[: mention.start] + name + text[mention.end :]
    return text
