"""Mends as values: what a finding can offer. `mends.apply` carries them out.

Every mend that is about a reference has its id in `ref`; the other parameters are what its label shows.
"""

from __future__ import annotations

from studio.contract.canvas import nearest_aspect
from studio.contract.cropping import ratio_of
from studio.contract.facts import MediaFacts
from studio.contract.findings import Mend, Params
from studio.contract.grid import STEP, floor_rung, is_rung
from studio.contract.limits import Limits
from studio.contract.plan import MIN_EDGE, Planned
from studio.contract.shot import FPS, Crop, Kind, Reference, Role, Task
from studio.core.words import Param


def trim_to_rung(reference: Reference, plan: Planned, frames: int) -> Mend:
    """Keep the first `frames` (a rung) of a clip's trimmed range: nothing of it goes unused."""
    return _range("mend.trim_to_rung", reference, plan.start, frames / FPS, frames=frames)


def keep_seconds(reference: Reference, plan: Planned, seconds: float) -> Mend:
    """Keep the first `seconds` of a clip's or sound's trimmed range."""
    return _range("mend.keep_seconds", reference, plan.start, seconds)


def longest_rung(limits: Limits) -> int:
    """The longest clip that is both legal and looked at as a whole: 345 frames."""
    return floor_rung(round(limits.reference_seconds_max * FPS))


def whole(reference: Reference) -> Mend:
    """Take all of a clip or sound that was trimmed."""
    return Mend("mend.whole", {"ref": reference.id})


def set_aside(reference: Reference) -> Mend:
    """Keep a reference in the tray without sending it."""
    return Mend("mend.set_aside", {"ref": reference.id, "name": reference.path.name})


def set_aside_surplus(kind: Kind | None, keep: int, surplus: tuple[Reference, ...]) -> Mend:
    """Set aside all but the first `keep` references, of one kind or of all."""
    names = ", ".join(r.path.name for r in surplus)
    return Mend("mend.set_aside_surplus", {"kind": kind, "keep": keep, "names": names})


def drop_sound(reference: Reference) -> Mend:
    """Send a clip without its soundtrack."""
    return Mend("mend.drop_sound", {"ref": reference.id, "name": reference.path.name})


def use_as(reference: Reference, kind: Kind) -> Mend:
    """Take a file as what it is."""
    return Mend(f"mend.use_as.{kind}", {"ref": reference.id, "kind": kind})


def short_edge(reference: Reference, pixels: int) -> Mend:
    """Prepare a clip to another short edge."""
    return Mend("mend.short_edge", {"ref": reference.id, "short_edge": pixels})


def enlarge(reference: Reference) -> Mend:
    """Scale a small picture or clip up to the smallest edge that the server takes."""
    return Mend("mend.enlarge", {"ref": reference.id, "to": MIN_EDGE})


def take_back(reference: Reference) -> Mend:
    """Send a reference that was set aside."""
    return Mend("mend.take_back", {"ref": reference.id, "name": reference.path.name})


def drive(reference: Reference, task: Task) -> Mend:
    """Make a sound the driving sound, in a mode that works with what else is there."""
    return Mend("mend.drive", {"ref": reference.id, "name": reference.path.name, "task": task})


def role(reference: Reference, wanted: Role) -> Mend:
    """Give a picture another role."""
    return Mend(f"mend.role.{wanted}", {"ref": reference.id, "name": reference.path.name, "role": wanted})


def switch(task: Task) -> Mend:
    """Switch the shot to another mode."""
    return Mend(f"mend.task.{task}", {"task": task})


def frames(count: int) -> Mend:
    """Render another length (a rung)."""
    return Mend("mend.frames", {"frames": count, "seconds": count / FPS})


def aspect(width: float, height: float) -> Mend:
    """Render at the named ratio nearest to a shape."""
    return Mend("mend.aspect", {"aspect": nearest_aspect(width, height)})


def canvas(width: int, height: int) -> Mend:
    """Render at an explicit size in px."""
    return Mend("mend.canvas", {"width": width, "height": height})


def reset(field: str, value: Param) -> Mend:
    """Set a plain field of the shot; None leaves it to the server."""
    return Mend("mend.clear" if value is None else "mend.reset", {"field": field, "value": value})


def drop_extra(key: str) -> Mend:
    """Take a key out of the shot's `extra`."""
    return Mend("mend.drop_extra", {"key": key})


def one_pass() -> Mend:
    """Render without the long modes."""
    return Mend("mend.one_pass")


def long_full() -> Mend:
    """Render a long video in one piece instead of windows."""
    return Mend("mend.long_full")


def unmark(reference: Reference) -> Mend:
    """Take the marks of what is kept and changed off a clip."""
    return Mend("mend.unmark", {"ref": reference.id, "name": reference.path.name})


def unmark_sound(reference: Reference) -> Mend:
    """Keep nothing of a clip's sound."""
    return Mend("mend.unmark_sound", {"ref": reference.id, "name": reference.path.name})


def also_reference(reference: Reference) -> Mend:
    """Show the clip that is edited to the model as a reference too."""
    return Mend("mend.also_reference", {"ref": reference.id, "name": reference.path.name})


def uncrop(reference: Reference) -> Mend:
    """Take the whole picture."""
    return Mend("mend.uncrop", {"ref": reference.id})


def mention(reference: Reference, tag: str) -> Mend:
    """Name a reference at the end of the prompt."""
    return Mend("mend.mention", {"ref": reference.id, "tag": tag})


def unmention(ref_id: str) -> Mend:
    """Take the mentions of a reference out of the prompt."""
    return Mend("mend.unmention", {"ref": ref_id})


def crop(reference: Reference, facts: MediaFacts, rectangle: Crop) -> Mend:
    """Show a part of a picture or clip."""
    fractions: Params = {
        "x": rectangle.x,
        "y": rectangle.y,
        "width": rectangle.width,
        "height": rectangle.height,
    }
    return Mend("mend.crop", {"ref": reference.id, "ratio": ratio_of(rectangle, facts), **fractions})


def nearest_rung(count: int, ladder: tuple[int, ...]) -> int:
    """The legal length nearest to a number of frames; between two rungs the longer one, as the server rounds."""
    if count <= ladder[0] or is_rung(count):
        return max(ladder[0], min(count, ladder[-1]))
    return min(floor_rung(count) + STEP, ladder[-1])


def _range(code: str, reference: Reference, start: float, seconds: float, **shown: Param) -> Mend:
    return Mend(code, {"ref": reference.id, "start": start, "end": start + seconds, "seconds": seconds, **shown})
