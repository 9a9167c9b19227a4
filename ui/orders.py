"""Between Compose and the queue: what is asked for becomes jobs, what the queue learned becomes the next estimate."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from studio.client import Client, ClientError
from studio.core.tasks import TaskScope
from studio.jobs import Job, JobService, JobState, Target
from studio.jobs.calibration import past_runs
from studio.jobs.room import room
from studio.jobs.routing import route
from studio.jobs.sources import source_of
from studio.server import Seen, ServerRecord, ServerState, ServerStatus, family
from studio.settings import Settings, SettingsStore, secrets
from studio.telemetry import Sample
from studio.telemetry.monitor import SLOWEST
from ui.compose.viewmodel import ComposeModel
from ui.compose.wishes import Wish


class Orders(QObject):
    """Submits wishes to the server that the settings choose."""

    submitted = Signal(object)
    """A wish is in the queue, as these Jobs (a tuple, in order)."""
    pair_done = Signal(object, object)
    """Both videos of a pair that was asked for are there (Path, Path)."""

    def __init__(
        self,
        compose: ComposeModel,
        jobs: JobService,
        manager: Seen,
        settings: SettingsStore,
        scope: TaskScope,
        *,
        runs: Callable[[str], bool] = lambda _place: True,
    ) -> None:
        super().__init__(compose)
        self._runs = runs
        self._compose, self._jobs, self._settings, self._scope = compose, jobs, settings, scope
        self._cards_at: str | None = None
        self._record: ServerRecord | None = None
        self._holding: frozenset[int] = frozenset()
        """Processes that hold memory of its cards, and those of them that are the server's own."""
        self._ours: frozenset[int] = frozenset()
        self._unwatch: Callable[[], None] | None = None
        self._opened: set[str] = set()
        """Pairs that were shown already, by their batch."""
        self._unsubscribe = (
            jobs.tools.rules.changed.subscribe(lambda _lane: self._use_rules()),
            jobs.changed.subscribe(self._on_job),
            settings.changed.subscribe(self._on_settings),
            manager.changed.subscribe(self._on_server),
        )

    def close(self) -> None:
        """Listen no more. Before the scope is closed."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._watch_no_more()

    def learn(self) -> None:
        """Read what the chosen server did before, for the estimate."""
        self._scope.start(self._learn(), name="learn")

    def place(self, wish: Wish) -> None:
        """Put a wish into the queue; `submitted` tells when it is there."""
        name = self._compose.path.stem if self._compose.path else ""
        self._scope.start(self._submit(wish, name), name="submit")

    async def _submit(self, wish: Wish, name: str) -> None:
        load = Counter(job.target.lane for job in await self._jobs.unfinished())
        batch = uuid.uuid4().hex[:12] if len(wish.shots) > 1 else None
        placed = []
        present = self._settings.present
        for shot in wish.shots:
            target = route(shot.task, present.server, present.others, runs=self._runs, load=load)
            load[target.lane] += 1
            job = await self._jobs.submit(shot, target, name=name, purpose=wish.purpose, batch=batch)
            placed.append(job)
        self.submitted.emit(tuple(placed))

    def _on_job(self, job: Job) -> None:
        if job.state is JobState.DONE:
            self.learn()
            if job.purpose == "draft" and job.batch is not None:
                self._scope.start(self._look_for_pair(job, job.batch), name="pair")

    async def _look_for_pair(self, last: Job, batch: str) -> None:
        """Once both drafts of a pair are there; the store knows them, also when an earlier studio asked for them."""
        stored = await self._jobs.tools.write(self._jobs.tools.store.batch, batch)
        known = {job.id: job for job in stored} | {last.id: last}
        pair = sorted(known.values(), key=lambda job: job.created)
        videos = [job.video for job in pair if job.state is JobState.DONE and job.video is not None]
        if len(videos) == len(pair) == 2 and batch not in self._opened:
            self._opened.add(batch)
            self.pair_done.emit(*videos)

    def _on_settings(self, _settings: Settings) -> None:
        self.learn()
        self._use_rules()

    def _use_rules(self) -> None:
        """Let Compose judge by what is known of the chosen server."""
        rules, lane = self._jobs.tools.rules, Target.of(self._settings.present.server).lane
        self._compose.use_rules(rules.limits(lane), rules.refusals.of(lane))

    async def _ask_rules(self, url: str) -> None:
        lane = Target.of(self._settings.present.server).lane
        with contextlib.suppress(ClientError):  # it went away again, or wants a key: its next job will tell
            async with Client(url, api_key=await asyncio.to_thread(secrets.api_key, url)) as client:
                await self._jobs.tools.rules.learn(lane, client, await client.version())

    def _on_server(self, status: ServerStatus) -> None:
        """Look at the cards of a server that is new: how much memory they can give."""
        if status.state is not ServerState.READY or status.url is None:
            self._watch_no_more()
            return
        if status.url == self._cards_at:
            return
        self._watch_no_more()
        self._cards_at = status.url
        self._scope.start(self._ask_rules(status.url), name="rules")
        self._compose.estimate.use_room(None)
        self._record = status.record
        source = source_of(status.record, status.url, self._settings.present.server)
        self._unwatch = self._jobs.tools.monitor.watch(source, self._on_cards, rate=SLOWEST)

    def _on_cards(self, sample: Sample) -> None:
        holding = frozenset(holder.pid for reading in sample.gpus for holder in reading.holders)
        if holding != self._holding:
            self._holding = holding
            self._scope.start(self._find_ours(sample), name="holders")
        elif (there := room(sample, self._ours)) is not None:
            self._compose.estimate.use_room(there)

    async def _find_ours(self, sample: Sample) -> None:
        members = await asyncio.to_thread(family.members, self._record) if self._record is not None else ()
        self._ours = frozenset(process.pid for process in members)
        self._compose.estimate.use_room(room(sample, self._ours))

    def _watch_no_more(self) -> None:
        self._cards_at = None
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None

    async def _learn(self) -> None:
        lane = Target.of(self._settings.present.server).lane
        self._compose.estimate.use_history(await self._jobs.tools.write(past_runs, self._jobs.tools.store, lane))
