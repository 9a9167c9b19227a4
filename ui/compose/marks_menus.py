"""What the menus of the marks offer: for the selected area, and for all marks of a clip."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from studio.contract.keep_change import Area, KeepChange, Rectangle
from studio.core.words import mark, tr
from ui.compose.marking import LaneName, has_key, lane_of, moved, with_lane, without_key

_RESTS: tuple[tuple[LaneName, float, str], ...] = (
    ("picture", 0.0, mark("Picture: what is not marked is kept")),
    ("picture", 1.0, mark("Picture: what is not marked is made anew")),
    ("sound", 0.0, mark("Sound: what is not marked is kept")),
    ("sound", 1.0, mark("Sound: what is not marked is made anew")),
)


def fill_area_menu(menu: QMenu, area: Area, time: float, end: float, become: Callable[[Area | None], None]) -> None:
    """What can be done to an area at `time`; the picture there lasts until `end` (s)."""
    other = 1.0 - round(area.change)
    menu.addAction(tr("Keep it") if other == 0 else tr("Change it"), partial(become, area.but(change=other)))
    menu.addSeparator()
    if area.end is None or time < area.end:
        menu.addAction(tr("It counts from here on"), partial(become, area.but(start=time)))
    if area.start is None or area.start < end:
        menu.addAction(tr("It counts until here"), partial(become, area.but(end=end)))
    if area.start is not None or area.end is not None:
        menu.addAction(tr("It always counts"), partial(become, area.but(start=None, end=None)))
    menu.addSeparator()
    if has_key(area, time) and not (isinstance(area, Rectangle) and len(area.keys) == 1):
        menu.addAction(tr("Remove its position here"), partial(become, without_key(area, time)))
    if len(area.keys) > 1:
        menu.addAction(tr("It stays where it is here"), partial(become, _still(area, time)))
    menu.addAction(tr("Remove the area"), partial(become, None))


def fill_clip_menu(
    menu: QMenu, edit: KeepChange, *, sound: bool, reference: bool, become: Callable[[KeepChange | None], None]
) -> None:
    """What can be done to all marks; `sound`: the clip has a sound, `reference`: the task takes clips to look at."""
    for name, rest, text in _RESTS:
        if name == "sound" and not sound:
            continue
        lane = lane_of(edit, name)
        action = menu.addAction(tr(text), partial(become, with_lane(edit, name, lane.but(rest=rest))))
        action.setCheckable(True)
        action.setChecked(lane.rest == rest)
    menu.addSeparator()
    if reference:
        look = menu.addAction(tr("The model also looks at this clip as a reference"))
        look.setCheckable(True)
        look.setChecked(edit.also_reference)
        look.triggered.connect(lambda on: become(edit.but(also_reference=on)))
        menu.addSeparator()
    menu.addAction(tr("Remove all marks"), partial(become, None))


def _still(area: Area, time: float) -> Area:
    """The area without a way: it rests where it is at a time."""
    here = moved(area, time, 0.0, 0.0)
    key = next(key for key in here.keys if key.time == time)
    return here.but(keys=(key,))
