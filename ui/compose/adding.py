"""How files and pictures come onto a shot: always onto the one that they were meant for, also when another lies on the
table by the time they are read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from PySide6.QtGui import QImage

from studio.contract import Limits, Request, Shot, adopt_tags, edits
from studio.contract.shot import Role
from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from ui.compose.document import Documents
from ui.compose.editing import ShotEditing
from ui.compose.inbox import png_bytes
from ui.compose.intake import Taken, added, keep_picture, say_set_aside, take_in
from ui.compose.reading import Reading
from ui.compose.recent import Recent
from ui.compose.surroundings import Surroundings

_SHORT_EDGE: Final = 540


class ShotAdding(ShotEditing):
    """The part of the model that takes files in. The subclass has the documents and what reads the files."""

    limits: Limits
    documents: Documents
    recent: Recent
    around: Surroundings
    _reading: Reading
    _notices: Notices
    _scope: TaskScope

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files, and the media files in folders, as references; what is no media is said."""
        self._scope.start(self._add_paths(tuple(paths), self.documents.current.key), name="add")

    def add_image(self, image: QImage, role: Role = "reference") -> None:
        """Add a bitmap, kept as a file of its own in the data folder; as first or last frame it makes the shot one
        of frames."""
        self._scope.start(self._add_image(image, self.documents.current.key, role), name="paste")

    def add_frame(self, path: Path, picture: int, role: Role = "reference") -> None:
        """Add the exact picture of that number of a clip, as `add_image` does."""
        self._scope.start(self._add_frame(path, picture, self.documents.current.key, role), name="frame")

    def continue_from(self, path: Path, picture: int) -> None:
        """Make the shot one of frames that begins with the exact picture of that number of a clip."""
        self._scope.start(self._continue_from(path, picture, self.documents.current.key), name="continue")

    def say_remote(self, names: Sequence[str]) -> None:
        """Something was dropped that is only an address on the web."""
        self._notices.post(Notice("warn", Message("compose.remote", {"name": ", ".join(names)})))

    def locate(self, ref_id: str, path: Path) -> None:
        """Say where a reference's file is now."""
        self._reading.forget(path)
        self.replace_path(ref_id, path)

    async def _add_paths(self, paths: Sequence[Path], key: int, role: Role = "reference") -> None:
        document = self.documents.get(key)
        known = [r.path for r in document.shot.references] if document else []
        taken = await take_in(paths, known, self._reading, self._notices)
        self._add(key, taken, role)
        await self.recent.used_media(item.path for item in taken)

    def _add(self, key: int, taken: Sequence[Taken], role: Role) -> None:
        document = self.documents.get(key)
        if document is None:
            return
        shot = self._with_mentions(added(document.shot, taken, self.limits, role, self._short_edge))
        say_set_aside(document.shot, shot, taken, self._notices)
        label = "edit.add" if role == "reference" else "edit.frame"
        if document.key == self.documents.current.key:
            self.edit(shot, label)
        else:
            self.documents.update(replace(document, history=document.history.edit(shot, label)))

    def _with_mentions(self, shot: Shot) -> Shot:
        """A template may have named what was yet to come: those tags become mentions now."""
        facts = {r.id: self._reading.facts[r.path] for r in shot.references if r.path in self._reading.facts}
        return shot.but(prompt=adopt_tags(Request(shot, self.limits, facts), shot.prompt))

    @property
    def _short_edge(self) -> int | None:
        """What clips that are added are prepared to, in px; None: as they are."""
        settings = self.around.settings
        return settings.present.short_edge if settings else _SHORT_EDGE

    async def _add_image(self, image: QImage, key: int, role: Role) -> None:
        await self._add_paths([await self._keep(image)], key, role)

    async def _keep(self, image: QImage) -> Path:
        try:
            return await keep_picture(await asyncio.to_thread(png_bytes, image))
        except OSError as error:
            raise StudioError("compose.paste_failed", what=error.strerror or str(error)) from error

    async def _continue_from(self, path: Path, picture: int, key: int) -> None:
        still = await self._keep(await self._reading.picture(path, picture))
        if key == self.documents.current.key:
            self.edit(lambda s: edits.continue_from(s, still), "edit.continue")

    async def _add_frame(self, path: Path, picture: int, key: int, role: Role) -> None:
        await self._add_image(await self._reading.picture(path, picture), key, role)
