"""The verbs of Compose: one method for each thing a person does to a shot, each one step of undo."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from studio.contract import FPS, Canvas, Crop, Role, Shot, Task, ceil_rung, edits, new_seed
from studio.contract.keep_change import KeepChange
from studio.contract.shot import Follow

Change = Shot | Callable[[Shot], Shot]


class ShotEditing(QObject):
    """Turns what a person does into pure edits of the shot. The subclass keeps the shot and takes the edits."""

    @property
    @abstractmethod
    def shot(self) -> Shot:
        """The shot as it is now."""

    @abstractmethod
    def edit(self, change: Change, label: str, merge: str | None = None) -> None:
        """Take an edited shot, or a function that edits it, as one step of undo named by the code `label`.

        Edits in a row with the same `merge` key are one step.
        """

    # References.

    def remove(self, ref_id: str) -> None:
        """Take a reference off the shot; its mentions stay in the prompt, marked as broken."""
        self.edit(lambda s: s.but(references=tuple(r for r in s.references if r.id != ref_id)), "edit.remove")

    def move(self, ref_id: str, to_index: int) -> None:
        """Put a reference at another place of the tray."""
        self.edit(lambda s: edits.move(s, ref_id, to_index), "edit.move")

    def move_by(self, ref_id: str, places: int) -> None:
        """Move a reference past `places` others of its row (what is sent, or what is set aside); negative: earlier."""
        everything = [r.id for r in self.shot.references]
        sent = {r.id for r in self.shot.sent()}
        row = [i for i in everything if (i in sent) == (ref_id in sent)]
        target = row.index(ref_id) + places
        if 0 <= target < len(row):
            self.move(ref_id, everything.index(row[target]))

    def set_aside(self, ref_id: str, aside: bool) -> None:
        """Set a reference aside, or bring it back."""
        label = "edit.set_aside" if aside else "edit.bring_back"
        self.edit(lambda s: edits.set_aside(s, ref_id, aside), label)

    def set_role(self, ref_id: str, role: Role) -> None:
        """Make a picture the first or the last one, or a sound the driving one."""

        def change(shot: Shot) -> Shot:
            shot = edits.set_audio_mode(shot, "lock_source") if role == "driving" else shot
            return edits.set_role(shot, ref_id, role)

        self.edit(change, "edit.role")

    def release_driving_sound(self) -> None:
        """Make the driving sound an ordinary reference again."""
        self.edit(lambda s: edits.set_audio_mode(s, "native"), "edit.role")

    def keep_sound(self, ref_id: str, keep: bool) -> None:
        """Keep or drop a clip's soundtrack."""
        self.edit(lambda s: edits.keep_sound(s, ref_id, keep), "edit.sound")

    def trim(self, ref_id: str, start: float, end: float | None) -> None:
        """Take another part of a clip or sound, in seconds of its source; `end` None means to its end."""
        self.edit(lambda s: edits.trim(s, ref_id, start, end), "edit.trim", merge=f"trim {ref_id}")

    def crop(self, ref_id: str, rectangle: Crop | None) -> None:
        """Take another part of a picture or clip; None takes it whole."""
        self.edit(lambda s: edits.crop(s, ref_id, rectangle), "edit.crop", merge=f"crop {ref_id}")

    def set_edit(self, ref_id: str, edit: KeepChange | None, merge: str | None = None) -> None:
        """Say what of a clip is kept and what is made anew; None: the clip is not edited."""
        self.edit(lambda s: edits.set_edit(s, ref_id, edit), "edit.keep_change", merge=merge)

    def set_short_edge(self, ref_id: str, edge: int | None) -> None:
        """Choose the short edge that a clip is prepared to, in pixels; None keeps the source's."""
        self.edit(lambda s: edits.set_short_edge(s, ref_id, edge), "edit.short_edge")

    def set_ground(self, ref_id: str, ground: str) -> None:
        """Choose the colour, "#rrggbb", under what is transparent in a picture or clip."""
        self.edit(lambda s: edits.set_ground(s, ref_id, ground), "edit.ground")

    def replace_path(self, ref_id: str, path: Path) -> None:
        """Say where a reference's file is now."""
        self.edit(lambda s: edits.replace_path(s, ref_id, path), "edit.locate")

    # Output.

    def set_task(self, task: Task) -> None:
        """Choose what kind of render this is."""
        self.edit(lambda s: edits.set_task(s, task), "edit.task")

    def set_canvas(self, canvas: Canvas) -> None:
        """Choose the shape of the result; it stops following the main reference."""
        self.edit(lambda s: edits.set_canvas(s, canvas), "edit.canvas", merge="canvas")

    def set_frames(self, frames: int) -> None:
        """Choose the length, a rung; it stops following the main reference."""
        self.edit(lambda s: edits.set_frames(s, frames), "edit.length", merge="frames")

    def follow(self, name: Follow) -> None:
        """Let length or canvas follow the main reference again."""
        label = "edit.length" if name == "frames" else "edit.canvas"
        self.edit(lambda s: edits.set_follow(s, name), label)

    def set_long_video(self, mode: str | None, seconds_max: float) -> None:
        """Render longer than one pass ("full" or "continuation"), or (None) in one pass again; what is longer than
        `seconds_max` is cut to that."""

        def change(shot: Shot) -> Shot:
            kept = {} if mode != "continuation" else shot.long_video or {}
            shot = edits.set_fields(shot, long_video={**kept, "long_video_mode": mode} if mode else None)
            most = ceil_rung(round(seconds_max * FPS))
            return edits.set_frames(shot, most) if shot.frames > most else shot

        self.edit(change, "edit.long_video")

    def set_window_prompts(self, prompts: list[str]) -> None:
        """Give each window of a continued video its own prompt; without any, the shot's prompt counts for all."""
        self.edit(lambda s: edits.set_window_prompts(s, prompts), "edit.long_video")

    def set_steps(self, steps: int) -> None:
        """Choose the number of denoise steps."""
        self.edit(lambda s: edits.set_steps(s, steps), "edit.steps", merge="steps")

    def set_seed(self, seed: int) -> None:
        """Choose the seed."""
        self.edit(lambda s: edits.set_seed(s, seed), "edit.seed", merge="seed")

    def draw_seed(self) -> None:
        """Draw another seed."""
        self.edit(lambda s: edits.set_seed(s, new_seed()), "edit.seed")

    def lock_seed(self, locked: bool) -> None:
        """Keep the seed, or draw a new one for each render."""
        self.edit(lambda s: edits.set_fields(s, seed_locked=locked), "edit.seed_lock")

    def set_flow_shift(self, value: float) -> None:
        """Set the flow shift of the picture."""
        self.edit(lambda s: edits.set_fields(s, flow_shift=value), "edit.shift", merge="flow_shift")

    def set_audio_flow_shift(self, value: float) -> None:
        """Set the flow shift of the sound."""
        self.edit(lambda s: edits.set_fields(s, audio_flow_shift=value), "edit.shift", merge="audio_flow_shift")
