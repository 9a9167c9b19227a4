"""Which server a job goes to."""

from __future__ import annotations

from studio.jobs.routing import route
from studio.settings.model import ServerSettings

FL2VA = ServerSettings(kind="profile", profile="rtxpro6000x8-two-servers-fl2va")
REF2VA = ServerSettings(kind="profile", profile="rtxpro6000x8-two-servers-ref2va", place="2")
ADDRESS = ServerSettings(kind="url", url="http://box:8000", place="3")
REHEARSAL = ServerSettings(place="4")


def where(
    task: str, chosen: ServerSettings, *others: ServerSettings, up: str = "", load: dict[str, int] | None = None
) -> str:
    """The place that was chosen; `up` names the places that run."""
    places = set(up.split(",")) if up else {""}
    return route(task, chosen, others, runs=places.__contains__, load=load or {}).place


def test_a_job_goes_to_the_server_that_has_its_task() -> None:
    assert where("ref2va", FL2VA, REF2VA) == "2"
    assert where("fl2va", FL2VA, REF2VA) == where("t2va", FL2VA, REF2VA) == ""
    assert where("fl2va", REF2VA, FL2VA) == ""


def test_of_two_that_have_it_the_idler_one_that_runs() -> None:
    twin = FL2VA.model_copy(update={"place": "2"})
    busy = {FL2VA.profile or "": 3}
    assert where("t2va", FL2VA, twin, up=",2", load=busy) == "2"
    assert where("t2va", FL2VA, twin, load=busy) == ""  # the other does not run
    assert where("t2va", FL2VA, twin, up=",2") == ""


def test_nothing_goes_to_an_address_that_was_not_chosen_nor_from_a_real_server_to_a_rehearsal() -> None:
    assert where("t2va", FL2VA, ADDRESS, up="3") == ""
    assert where("ref2va", ADDRESS, up="3") == "3"
    assert where("ref2va", FL2VA, REHEARSAL, up=",4") == ""
    assert where("ref2va", REHEARSAL, REF2VA, up="4,2") == "4"
