"""The jobs as rows for a list view: what is on its way in the order of the queue, then what has ended, newest first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QImage

from studio.jobs import Job, JobState

JobRole: Final = Qt.ItemDataRole.UserRole
"""The Job."""
LineRole: Final = Qt.ItemDataRole.UserRole + 1
"""How far it is, in words."""
PictureRole: Final = Qt.ItemDataRole.UserRole + 2
"""Its small picture as QImage: a null one when it has none, None while that is not known."""

Index = QModelIndex | QPersistentModelIndex
_MIME: Final = "application/x-h3studio-job"
_MOVABLE: Final = frozenset({JobState.DRAFT, JobState.CHECKING, JobState.PREPARING, JobState.WAITING})


class JobListModel(QAbstractListModel):
    """Holds the latest value of every job. `describe` puts a job's progress into words when a row is painted, `picture`
    gives its picture or asks for it."""

    reordered = Signal(list)
    """The user wants the jobs with these ids, which have not been sent yet, to go in this order."""
    more_wanted = Signal()
    """The end of the list comes into view, and `more_to_come`: call `append`."""

    def __init__(
        self,
        describe: Callable[[Job], str],
        picture: Callable[[Job], QImage | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._describe, self._picture = describe, picture
        self._jobs: list[Job] = []
        self._known: dict[str, Job] = {}
        self.more_to_come = False
        """Whether there are jobs that ended before those that are shown."""

    @property
    def jobs(self) -> Sequence[Job]:
        """All jobs that were read, as shown: of those that have ended, the newest."""
        return self._jobs

    @property
    def unfinished(self) -> Sequence[Job]:
        """The jobs on their way, as shown."""
        return self._jobs[: bisect_left(self._jobs, True, key=lambda job: job.state.finished)]

    def row_of(self, job_id: str) -> int | None:
        """Where a job stands."""
        known = self._known.get(job_id)
        return bisect_left(self._jobs, _order(known), key=_order) if known is not None else None

    def get(self, job_id: str | None) -> Job | None:
        """The job with that id."""
        return self._known.get(job_id) if job_id is not None else None

    def fill(self, jobs: Iterable[Job], *, more_to_come: bool = False) -> None:
        """Show these jobs and no others."""
        self.beginResetModel()
        self._jobs = sorted(jobs, key=_order)
        self._known = {job.id: job for job in self._jobs}
        self.more_to_come = more_to_come
        self.endResetModel()

    def append(self, jobs: Iterable[Job], *, more_to_come: bool) -> None:
        """Show these as well, which ended before those that are shown."""
        self.more_to_come = more_to_come
        new = sorted((job for job in jobs if job.id not in self._known), key=_order)
        if new and (not self._jobs or _order(new[0]) > _order(self._jobs[-1])):
            end = len(self._jobs)
            self.beginInsertRows(QModelIndex(), end, end + len(new) - 1)
            self._jobs += new
            self._known |= {job.id: job for job in new}
            self.endInsertRows()
        else:
            for job in new:
                self.put(job)

    def put(self, job: Job) -> None:
        """Take in a job's new value, or a new job."""
        row = self.row_of(job.id)
        if row is None:
            place = bisect_left(self._jobs, _order(job), key=_order)
            self.beginInsertRows(QModelIndex(), place, place)
            self._jobs.insert(place, job)
            self._known[job.id] = job
            self.endInsertRows()
        elif job != self._jobs[row]:
            row = self._move(row, job)
            self._jobs[row] = self._known[job.id] = job
            self.dataChanged.emit(self.index(row), self.index(row))

    def _move(self, row: int, job: Job) -> int:
        """Put a row where the job's new value belongs; where that is."""
        others = self._jobs[:row] + self._jobs[row + 1 :]
        place = bisect_left(others, _order(job), key=_order)
        if place != row:
            before = place + 1 if place > row else place  # as the rows stand before the move
            self.beginMoveRows(QModelIndex(), row, row, QModelIndex(), before)
            self._jobs = [*others[:place], job, *others[place:]]
            self.endMoveRows()
        return place

    def canFetchMore(self, parent: Index) -> bool:
        return self.more_to_come and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        self.more_wanted.emit()

    def movable(self, job_id: str) -> bool:
        """Whether a job has not been sent yet, so that its place can change."""
        job = self.get(job_id)
        return job is not None and job.state in _MOVABLE

    def shift(self, job_id: str, by: int) -> None:
        """Ask for a job to go `by` places later (earlier when negative) among those that have not been sent."""
        ids = [job.id for job in self._jobs if job.state in _MOVABLE]
        if job_id in ids:
            at = ids.index(job_id)
            self._ask_for(ids, at, max(0, min(len(ids) - 1, at + by)))

    def _ask_for(self, ids: list[str], at: int, to: int) -> None:
        if at != to:
            ids.insert(to, ids.pop(at))
            self.reordered.emit(ids)

    # Dragging a row.

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():
            return flags | Qt.ItemFlag.ItemIsDropEnabled
        job = self._jobs[index.row()]
        return flags | Qt.ItemFlag.ItemIsDragEnabled if job.state in _MOVABLE else flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        mime = QMimeData()
        mime.setData(_MIME, QByteArray(self._jobs[indexes[0].row()].id.encode()))
        return mime

    def dropMimeData(self, data: QMimeData, _action: Qt.DropAction, row: int, _column: int, parent: Index) -> bool:
        job_id = bytes(data.data(_MIME).data()).decode()
        ids = [job.id for job in self._jobs if job.state in _MOVABLE]
        if job_id not in ids:
            return False
        before = row if row >= 0 else len(self._jobs)
        to = sum(1 for job in self._jobs[:before] if job.state in _MOVABLE and job.id != job_id)
        self._ask_for(ids, ids.index(job_id), to)
        # The rows move when the queue has taken the new order; the view must not remove the dragged one.
        return False

    def refresh(self) -> None:
        """Have every row painted again: ages grow, a picture came, the language changed."""
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
                line = self._describe(job)
                # With several servers each has a name, and each job its server's.
                return f"{job.target.title} · {line}" if job.target.title and not job.state.finished else line
            case _ if role == PictureRole:
                return self._picture(job)
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{title(job)}, {self._describe(job)}"
            case Qt.ItemDataRole.ToolTipRole:
                return job.prompt
        return None


def _order(job: Job) -> tuple[int, float, str]:
    if job.state.finished:
        return 2, -job.created, job.id
    return int(job.state in _MOVABLE), job.position, job.id


def title(job: Job) -> str:
    """What a job is called: its prompt on one line as the server reads it, else its name."""
    return " ".join(job.prompt.split()) or job.name or job.id
