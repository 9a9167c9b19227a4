"""Podman's own quadlet generator over every profile and every hostile value: what it makes of them, and what we meant.

    python -m tests.bench.server_quadlet [GENERATOR]

GENERATOR is `podman-user-generator` or podman's `quadlet`; without the word the usual places are looked at (podman 4.4
and newer bring it). It writes service text and starts nothing. Exit 1 when a word differs; what we refuse is named.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from studio.core.errors import StudioError
from studio.server import profiles, texts
from studio.server.launch import Launch, Place, plan
from tests.helpers.readers import unit_sections, unit_words
from tests.unit.server.test_escaping import HOSTILE

PLACES: Final = (
    "/usr/lib/systemd/user-generators/podman-user-generator",
    "/usr/libexec/podman/quadlet",
    "/usr/lib/podman/quadlet",
)
_ITS_OWN: Final = "--cidfile=%t/%N.cid"
"""The one word of the generator itself with specifiers of systemd: every `%` of ours must come doubled."""
ROOTS: Final = ("/models/MiniMax-H3", "/srv/my models/100% $HOME 'q' \"d\"")


def generated(generator: str, launches: Mapping[str, Launch]) -> dict[str, str]:
    """The service that the generator makes of each launch's quadlet, by name; what is refused is not there."""
    with tempfile.TemporaryDirectory() as folder:
        for name, launch in launches.items():
            try:
                Path(folder, f"{name}.container").write_text(texts.quadlet(launch), "utf-8")
            except StudioError as error:
                print(f"  {name}: we refuse it: {error.text()}")
        env = {**os.environ, "QUADLET_UNIT_DIRS": folder}
        done = subprocess.run([generator, "-dryrun", "-user"], env=env, capture_output=True, text=True, check=False)
    for line in done.stderr.splitlines():
        if "Loading source unit" not in line:
            print(f"  it says: {line}")
    made: dict[str, str] = {}
    for part in ("\n" + done.stdout).split("\n---")[1:]:
        title, _, text = part.partition("---\n")
        made[title.removesuffix(".service")] = text
    return made


def differences(launch: Launch, service: str) -> Iterator[str]:
    """Words of the generated `ExecStart=` that are not what the launch means."""
    assert launch.container is not None
    section = unit_sections(service)["Service"]
    started = dict(section)["ExecStart"].replace(_ITS_OWN, "")
    words = unit_words(started, dollars=True)
    image = words.index(launch.container.image)
    yield from _apart("command", words[image + 1 :], launch.argv)
    given = [words[at + 1] for at, word in enumerate(words[:image]) if word == "--env"]
    # The generator sorts them.
    yield from _apart("variables", sorted(given), sorted(f"{key}={value}" for key, value in launch.env.items()))
    key = [] if launch.place.key_file is None else [str(launch.place.key_file)]
    yield from _apart("key file", [words[at + 1] for at, word in enumerate(words[:image]) if word == "--env-file"], key)
    mounts = [":".join(mount) for mount in launch.container.mounts]
    yield from _apart("mounts", [words[at + 1] for at, word in enumerate(words[:image]) if word == "-v"], mounts)


def _apart(what: str, made: Sequence[str], meant: Sequence[str]) -> Iterator[str]:
    if list(made) != list(meant):
        yield f"{what}: {[pair for pair in zip(made, meant, strict=False) if pair[0] != pair[1]][:2]}"


def of_profiles() -> dict[str, Launch]:
    """Every profile that 0.30.0 can start, at a plain and at a hostile path."""
    found = {}
    for profile in (one for one in profiles.shipped() if one.launchable):
        values = {name: f"/fill in/{name}" for name in profile.placeholders}
        for number, root in enumerate(ROOTS):
            place = Place(root, values=values, conflicts=("llm.service",), key_file=Path(root, "key.env"))
            found[f"{profile.id}-{number}"] = plan(profile, place, how="container", longest_job=2000)
    return found


def of_hostile_values() -> dict[str, Launch]:
    """One launch for each hostile value: as a word of the command and as a variable's value."""
    base = plan(profiles.find("rtxpro6000x2-combined-fp8-quadlet"), Place(ROOTS[0]), how="container")
    return {
        f"hostile-{number}": replace(base, argv=(*base.argv, value), env={**base.env, "HOSTILE": value})
        for number, (value, _, _) in enumerate(HOSTILE)
    }


def main(generator: str) -> int:
    """Print how many agree; 1 when one does not."""
    wrong = 0
    for what, launches in (("profiles", of_profiles()), ("hostile values", of_hostile_values())):
        made = generated(generator, launches)
        apart = {name: list(differences(launch, made[name])) for name, launch in launches.items() if name in made}
        missing = sorted(launches.keys() - made.keys())
        good = sum(not found for found in apart.values())
        print(f"{what}: {good} of {len(launches)} come out as they were meant; refused: {missing or 'none'}")
        for name, found in apart.items():
            for one in found:
                print(f"  {name}: {one}")
        wrong += len(apart) - good
    return int(wrong > 0)


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else next(filter(shutil.which, PLACES), None)
    if chosen is None:
        print("skipped: there is no quadlet generator here; podman 4.4 or newer brings it")
    sys.exit(0 if chosen is None else main(chosen))
