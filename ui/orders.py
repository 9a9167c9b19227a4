"""Between Compose and the queue: what is asked for becomes jobs, what the queue learned becomes the next estimate."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.client import Client, ClientError
from studio.core.tasks import TaskScope
from studio.jobs import Job, JobService, JobState, Target
from studio.jobs.calibration import past_runs
from studio.jobs.routing import route
from studio.jobs.sources import source_of
from studio.server import Seen, ServerState, ServerStatus
from studio.settings import Settings, SettingsStore, secrets
from studio.telemetry import Sample
from studio.telemetry.monitor import SLOWEST
from ui.compose.surroundings import Past, Surroundings
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
        self._unwatch: Callable[[], None] | None = None
        self._pairs: dict[str, dict[str, Path | None]] = {}
        """By batch: the jobs of a pair in their order, and their videos."""
        compose.wishes.wished.connect(self._on_wish)
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

    def _on_wish(self, wish: Wish) -> None:
        name = self._compose.path.stem if self._compose.path else ""
        self._scope.start(self._submit(wish, name), name="submit")

    async def _submit(self, wish: Wish, name: str) -> None:
        load = Counter(job.target.lane for job in await self._jobs.all() if not job.state.finished)
        batch = uuid.uuid4().hex[:12] if len(wish.shots) > 1 else None
        if wish.pair and batch:
            self._pairs[batch] = {}
        placed = []
        present = self._settings.present
        for shot in wish.shots:
            target = route(shot.task, present.server, present.others, runs=self._runs, load=load)
            load[target.lane] += 1
            job = await self._jobs.submit(shot, target, name=name, purpose=wish.purpose, batch=batch)
            if batch in self._pairs:
                self._pairs[batch][job.id] = None
            placed.append(job)
        self.submitted.emit(tuple(placed))

    def _on_job(self, job: Job) -> None:
        if not job.state.finished:
            return
        if job.state is JobState.DONE:
            self.learn()
        pair = self._pairs.get(job.batch or "")
        if pair is None or job.id not in pair or job.batch is None:
            return
        if job.video is None or job.state is not JobState.DONE:
            del self._pairs[job.batch]
            return
        pair[job.id] = job.video
        a, b = (*pair.values(), None)[:2]
        if a is not None and b is not None:
            del self._pairs[job.batch]
            self.pair_done.emit(a, b)

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
        """Look at the cards of a server that is new, until it is known how much memory they have."""
        if status.state is not ServerState.READY or status.url is None or status.url == self._cards_at:
            return
        self._watch_no_more()
        self._cards_at = status.url
        self._scope.start(self._ask_rules(status.url), name="rules")
        self._compose.estimate.use_memory(None)
        source = source_of(status.record, status.url, self._settings.present.server)
        self._unwatch = self._jobs.tools.monitor.watch(source, self._on_cards, rate=SLOWEST)

    def _on_cards(self, sample: Sample) -> None:
        if sample.fullest is not None:
            self._compose.estimate.use_memory(sample.fullest[1])
            self._watch_no_more()

    def _watch_no_more(self) -> None:
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None

    async def _learn(self) -> None:
        lane = Target.of(self._settings.present.server).lane
        self._compose.estimate.use_history(await self._jobs.tools.write(past_runs, self._jobs.tools.store, lane))


def surroundings(settings: SettingsStore, jobs: JobService, manager: Seen) -> Surroundings:
    """What Compose is told of its studio."""

    def server_url() -> str:
        chosen = settings.present.server
        if chosen.kind == "url" and chosen.url:
            return chosen.url
        return manager.status.url or chosen.unit_url

    async def past() -> Past:
        return [(job.created, job.shot) for job in await jobs.all()]

    return Surroundings(settings, server_url, past)
