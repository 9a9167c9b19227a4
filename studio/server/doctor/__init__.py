"""The doctor: everything that can be known before a start, each with a level, a number and a mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from studio.contract import Shot
from studio.core.errors import StudioError
from studio.core.words import Message, Param
from studio.server.doctor import sentences
from studio.server.doctor.check import Check, Level
from studio.server.doctor.checkpoint import check_checkpoint, download_command
from studio.server.doctor.flags import check_flags
from studio.server.doctor.hub import check_hub
from studio.server.doctor.rare import check_cards_state, check_launch_extras, check_system
from studio.server.doctor.remote import examine_remote
from studio.server.doctor.requests import check_requests
from studio.server.doctor.surroundings import (
    Keeper,
    check_disk,
    check_machine,
    check_port,
    check_programs,
    check_video_memory,
)
from studio.server.doctor.timeouts import check_foreign_timeouts, check_running_timeouts, check_timeouts
from studio.server.launch import Launch, Place, plan, storage_of
from studio.server.machine import Machine
from studio.server.profiles import Profile

__all__ = [
    "Check",
    "Keeper",
    "Level",
    "check_foreign_timeouts",
    "check_hub",
    "check_running_timeouts",
    "download_command",
    "examine",
    "examine_remote",
    "sentences",
]


def examine(
    profile: Profile,
    place: Place,
    there: Machine,
    *,
    container: bool = False,
    engine: Keeper = "quadlet",
    longest_job: float | None = None,
    shots: Iterable[Shot] = (),
) -> list[Check]:
    """Every check of a profile on this machine, worst first. Blocking, up to a second: call it in a thread.

    `engine` keeps the container, if it is one. `longest_job` is the longest queued job's estimate in s. `shots` are
    what it is to render.
    """
    found = [*check_machine(profile, there), *check_video_memory(profile, there)]
    found += [*check_cards_state(there), *check_system()]
    if profile.is_vllm:
        found += check_checkpoint(profile, place.model_root)
        found += check_disk(profile, place.model_root, storage_of(place.name))
        found += check_flags(profile)
    found += check_requests(profile, shots)
    given = {name: value for name, value in (place.values or {}).items() if value}
    empty = sorted(profile.placeholders - given.keys())
    found += [_empty(profile, name) for name in empty]
    # Without a model, and with a place left open, everything else is looked at all the same.
    place = replace(place, model_root=place.model_root or "/MiniMax-H3", values=dict.fromkeys(empty, "-") | given)
    launch = _launch(profile, place, container, longest_job)
    if isinstance(launch, Check):
        found.append(launch)
    else:
        found += [*check_port(launch), *check_programs(launch, engine), *check_timeouts(launch, longest_job)]
        found += check_launch_extras(launch)
    return sorted(found, key=lambda check: -check.level)


def _empty(profile: Profile, name: str) -> Check:
    about: dict[str, Param] = {"name": name, "title": profile.title}
    return Check(Level.FAIL, Message("profile.place_empty", about), Message("profile.place_empty.mend", about))


def _launch(profile: Profile, place: Place, container: bool, longest_job: float | None) -> Launch | Check:
    try:
        return plan(profile, place, how="container" if container else "process", longest_job=longest_job)
    except StudioError as error:
        return Check(Level.FAIL, error.message, None if error.mend is None else Message(error.mend, error.params))
