"""One result to be: its size, its sound, and its pictures, painted a few ahead on a thread of their own."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

from studio.rehearsal.clips import Segment
from studio.rehearsal.paint import clip, scenes
from studio.rehearsal.paint.edit import Mask, blended, blended_sound
from studio.rehearsal.paint.look import look_for
from studio.rehearsal.paint.mark import corner_mark, prompt_title
from studio.rehearsal.paint.stylist import Stylist
from studio.rehearsal.paint.tones import tones

if TYPE_CHECKING:
    from studio.rehearsal.edit_rules import Edit
    from studio.rehearsal.rules import Plan

Picture = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]

AHEAD = 8  # pictures
SOUND_RATE = 32_000  # Hz


class Painting:
    """`frames()` gives (height, width, 3) uint8 pictures; `sound` is (2, n) float32 at 32 kHz."""

    def __init__(self, pictures: Iterator[Picture], sound: Sound, width: int, height: int, rate: float) -> None:
        self.sound, self.width, self.height, self.rate = sound, width, height, rate
        self._ready: queue.Queue[Picture | BaseException | None] = queue.Queue(AHEAD)
        self._stopped = threading.Event()
        threading.Thread(target=self._paint, args=(pictures,), name="painter", daemon=True).start()

    def _paint(self, pictures: Iterator[Picture]) -> None:
        try:
            for picture in pictures:
                self._hand_over(picture)
                if self._stopped.is_set():
                    return
            self._hand_over(None)
        except Exception as error:  # raised again where the pictures are used
            self._hand_over(error)

    def _hand_over(self, item: Picture | BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                self._ready.put(item, timeout=0.2)
                return
            except queue.Full:
                continue

    def frames(self) -> Iterator[Picture]:
        """The pictures in order. Raises what the painter met."""
        while (item := self._ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    def stop(self) -> None:
        """No more pictures are wanted."""
        self._stopped.set()


def paint(
    plan: Plan, *, edited: bool = True, frozen: bool = False, flash: bool = False, silent: bool = False
) -> Painting:
    """Begin the painting of a plan. `edited=False`: the source as it is; the others are faults in the result."""
    pictures = _marked(_pictures(plan, edited), plan)
    if frozen:
        pictures = itertools.repeat(next(pictures), plan.frames)
    if flash:
        pictures = _flashing(pictures, plan.frames // 2)
    sound = _sound(plan)
    return Painting(pictures, sound * 0 if silent else sound, plan.width, plan.height, plan.rate)


def _pictures(plan: Plan, edited: bool) -> Iterator[Picture]:
    """The pictures without the corner mark, exactly `plan.frames` of them."""
    if plan.edit is not None and plan.edit.video_mask is not None:
        return _edited(plan, plan.edit, plan.edit.video_mask, edited)
    if plan.task == "t2va":
        return _titled_landscape(plan)
    if plan.task == "fl2va":
        return scenes.between(plan.images, plan.keyframes, plan.width, plan.height, plan.frames)
    if plan.clips:
        source = _held(clip.pictures(plan.clips[0], plan.width, plan.height), plan.frames)
    else:
        source = scenes.pan(plan.images[0], plan.width, plan.height, plan.frames, plan.seed)
    if not edited:
        return source
    return _styled(source, plan)


def _styled(source: Iterator[Picture], plan: Plan) -> Iterator[Picture]:
    stylist = Stylist(look_for(plan.prompt), plan.width, plan.height, plan.seed)
    return (stylist.draw(picture, index) for index, picture in enumerate(source))


def _edited(plan: Plan, edit: Edit, mask: Mask, edited: bool) -> Iterator[Picture]:
    """The source, in the look that the prompt asks for where the mask changes it."""
    assert edit.source_video is not None  # the mask was refused without one
    whole = Segment(edit.source_video, 0.0, plan.frames / plan.rate, False, plan.width, plan.height)
    source = _held(clip.pictures(whole, plan.width, plan.height), plan.frames)
    if not edited:
        return source
    kept, seen = itertools.tee(source)
    return blended(kept, _styled(seen, plan), mask)


def _titled_landscape(plan: Plan) -> Iterator[Picture]:
    """Painted at half size, doubled, and the prompt set into it."""
    look, width, height = look_for(plan.prompt), plan.width // 2, plan.height // 2
    stylist = Stylist(look, width, height, plan.seed)
    title = prompt_title(plan.prompt, plan.width, plan.height)
    for index, small in enumerate(scenes.landscape(look, width, height, plan.frames, plan.seed)):
        drawn = Image.fromarray(stylist.draw(small, index))
        picture = np.array(drawn.resize((plan.width, plan.height), Image.Resampling.NEAREST))
        title.lay(picture)
        yield picture


def _held(pictures: Iterator[Picture], frames: int) -> Iterator[Picture]:
    """Cut to `frames`; a source that ends early is held at its last picture."""
    last: Picture | None = None
    shown = 0
    for last in itertools.islice(pictures, frames):
        shown += 1
        yield last
    if last is None:
        raise ValueError("the reference clip has no picture that decodes")
    yield from itertools.repeat(last, frames - shown)


def _marked(pictures: Iterator[Picture], plan: Plan) -> Iterator[Picture]:
    mark = corner_mark(plan.width, plan.height)
    for picture in pictures:
        own = picture.copy()
        mark.lay(own)
        yield own


def _flashing(pictures: Iterator[Picture], at: int) -> Iterator[Picture]:
    for index, picture in enumerate(pictures):
        yield np.full_like(picture, 255) if index == at else picture


def _sound(plan: Plan) -> Sound:
    made, edit = _made_sound(plan), plan.edit
    if edit is None or edit.audio_mask is None or edit.source_audio is None:
        return made
    kept = clip.sound(edit.source_audio, 0.0, plan.frames / plan.rate, SOUND_RATE)
    return blended_sound(kept, made, edit.audio_mask, edit.source_seconds, SOUND_RATE)


def _made_sound(plan: Plan) -> Sound:
    seconds = plan.frames / plan.rate
    audios = plan.references.audios
    if plan.lock_sound and audios:
        return clip.sound(audios[0], 0.0, seconds, SOUND_RATE)
    for segment in plan.clips:
        if segment.has_sound:
            return clip.sound(segment.path, segment.start, seconds, SOUND_RATE)
    if plan.task == "ref2va" and audios:
        return clip.sound(audios[0], 0.0, seconds, SOUND_RATE)
    return tones(look_for(plan.prompt), seconds, SOUND_RATE, plan.seed)
