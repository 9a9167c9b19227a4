"""One launch, worked out from a profile and a place: argv, environment, paths. Every text and launcher starts here.

Whatever a profile says less of, a server that we start gets: timeouts from the longest job's estimate, a step bar that
can be read, stage edges in the log, and a storage folder that survives a restart (vllm-omni 0.30.0:
diffusion_engine.py, multiproc_executor.py, video/generation/helpers.py, config/server_settings.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from studio.core import paths
from studio.core.errors import StudioError
from studio.server.profiles import Profile, Runtime
from studio.telemetry.steps import BAR_FORMAT

LEAST_TIMEOUT: Final = 3600
"""Seconds under which no watchdog of a server of ours is set."""
_ESTIMATE_TIMES: Final = 4
_WAVE_TIMEOUT: Final = 86400
_CONTAINER_STORAGE: Final = "/var/lib/h3-results"

WATCHDOGS: Final = ("VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT", "VLLM_OMNI_VIDEO_SYNC_TIMEOUT")
WAVE: Final = "VLLM_OMNI_DLO_DP_WAVE_TIMEOUT"
"""In spite of its name it ends every render on two or more cards (multiproc_executor.py, `execute_request`)."""
START_LIMITS: Final = ("--init-timeout", "--stage-init-timeout")
READABLE_LOG: Final = {
    "TQDM_BAR_FORMAT": BAR_FORMAT,
    "TQDM_MININTERVAL": "0",
    "VLLM_LOGGING_COLOR": "0",
    "PYTHONUNBUFFERED": "1",
}
REMOVED: Final = ("TQDM_ASCII",)
"""Variables that must not reach a server: this one makes every job fail (server-api §7.1)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a profile is to run on this machine. `values` fill a profile's own placeholders."""

    model_root: str = ""
    host: str = "127.0.0.1"
    port: int | None = None
    name: str = "minimax-h3"
    """Of the unit and the container; also of the storage folder."""
    conflicts: tuple[str, ...] = ()
    """User units that must not run beside it."""
    key_file: Path | None = None
    """An environment file of mode 0600 that holds `VLLM_API_KEY`."""
    values: Mapping[str, str] | None = None
    devices: str = ""
    """The cards in their order, as `CUDA_VISIBLE_DEVICES` takes them; empty: the profile's own."""
    numa: int | None = None
    """The NUMA node to bind it to; None: as the profile says."""


@dataclass(frozen=True, slots=True)
class Container:
    """What a launch needs beside argv and environment to run in a container."""

    image: str
    mounts: tuple[tuple[str, str, str], ...]
    """(path here, path there, options)."""
    publish: str
    devices: tuple[str, ...]
    numa: int | None = None
    """The NUMA node that its processors and memory are of; None: any."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything that starts one server; `url` is where this machine reaches it."""

    profile: Profile
    place: Place
    argv: tuple[str, ...]
    env: Mapping[str, str]
    storage: Path
    container: Container | None = None

    @property
    def port(self) -> int:
        """The port that it is reached at."""
        return self.place.port or self.profile.port_default

    @property
    def time_limit(self) -> int:
        """Seconds after which its first watchdog gives a render up."""
        return min(int(self.env[name]) for name in (*WATCHDOGS, WAVE) if name in self.env)

    @property
    def url(self) -> str:
        """The address for this machine."""
        host = self.place.host if self.container is None else "127.0.0.1"
        return f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{self.port}"


def storage_of(name: str) -> Path:
    """The folder that keeps a server's results, one for each server name."""
    return paths.data_dir() / "storage" / name


def timeout_for(longest_job: float | None) -> int:
    """Seconds for every watchdog: four times the longest job's estimate (s), never below an hour."""
    return max(LEAST_TIMEOUT, math.ceil(_ESTIMATE_TIMES * (longest_job or 0.0)))


def plan(
    profile: Profile,
    place: Place,
    *,
    how: Literal["process", "container"] = "process",
    longest_job: float | None = None,
) -> Launch:
    """Work out a launch; pure. Raises StudioError when the profile cannot be launched or a placeholder is empty."""
    if not profile.launchable:
        raise StudioError("profile.not_launchable", title=profile.title, why=profile.compat_0_30_0)
    storage = storage_of(place.name)
    runtime = (profile.runtime or Runtime()) if how == "container" else None
    port = place.port or profile.port_default
    root = runtime.container_model if runtime else place.model_root
    values = {
        **(place.values or {}),
        "model": str(PurePosixPath(root) / profile.model_path_suffix) if root else "",
        "host": "0.0.0.0" if runtime else place.host,
        "port": str(port),
        "storage": _CONTAINER_STORAGE if runtime else str(storage),
    }
    argv = tuple(_filled(word, values, profile) for word in (*profile.program, *profile.args))
    if how == "process" and (binding := _binding(profile, place)):
        argv = ("numactl", *binding, *argv)
    if profile.is_vllm:
        argv = _with_flags(argv, timeout_for(longest_job))
    env = environment(profile, longest_job=longest_job, storage=values["storage"], local=root.startswith("/"))
    if place.devices:
        env["CUDA_VISIBLE_DEVICES"] = place.devices
    return Launch(profile, place, argv, env, storage, _container(runtime, profile, place, storage) if runtime else None)


def environment(profile: Profile, *, longest_job: float | None, storage: str, local: bool) -> dict[str, str]:
    """The server's own variables: the profile's, and what every server of ours gets. `local`: the model is a path."""
    env = {name: value for name, value in profile.env.items() if name not in REMOVED}
    least = timeout_for(longest_job)
    for name in WATCHDOGS:
        env[name] = str(max(least, _number(env.get(name))))
    if profile.gpus >= 2:
        env[WAVE] = str(max(_WAVE_TIMEOUT, least))
    if local and profile.is_vllm:
        env["HF_HUB_OFFLINE"] = "1"
    env["VLLM_OMNI_SERVER_STORAGE__PATH"] = storage
    return env | READABLE_LOG


def _binding(profile: Profile, place: Place) -> tuple[str, ...]:
    """Words for numactl: processors and memory of one node (vllm-omni's recipe for 8 × RTX PRO 6000)."""
    return profile.numactl if place.numa is None else bound_to(place.numa)


def bound_to(node: int) -> tuple[str, ...]:
    """Words for numactl that bind to one NUMA node."""
    return f"--cpunodebind={node}", f"--membind={node}"


def _node(profile: Profile, place: Place) -> int | None:
    """The node of a container, which numactl does not reach into."""
    return next((node for node in range(64) if bound_to(node) == _binding(profile, place)), None)


def _with_flags(argv: tuple[str, ...], least: int) -> tuple[str, ...]:
    words = list(argv)
    for flag in START_LIMITS:
        if flag not in words:
            words += [flag, str(least)]
        else:
            at = words.index(flag) + 1
            words[at : at + 1] = [str(max(least, _number(words[at] if at < len(words) else None)))]
    if "--enable-diffusion-pipeline-profiler" not in words:
        words.append("--enable-diffusion-pipeline-profiler")
    return tuple(words)


def _container(runtime: Runtime, profile: Profile, place: Place, storage: Path) -> Container:
    port = place.port or profile.port_default
    if not place.model_root:
        raise _place_empty("model", profile)
    mounts = ((place.model_root, runtime.container_model, "ro,Z"), (str(storage), _CONTAINER_STORAGE, "Z"))
    devices = ("/dev/kfd", "/dev/dri") if profile.vendor == "amd" else ("nvidia.com/gpu=all",)
    # Published on this machine alone unless the user asked for more.
    host = place.host if place.host not in ("localhost", "::1") else "127.0.0.1"
    return Container(runtime.image, mounts, f"{host}:{port}:{port}", devices, _node(profile, place))


def _filled(word: str, values: Mapping[str, str], profile: Profile) -> str:
    # JSON flags are full of braces: only whole known names are places.
    for name in (*values, *profile.placeholders):
        if f"{{{name}}}" in word:
            if not values.get(name):
                raise _place_empty(name, profile)
            word = word.replace(f"{{{name}}}", values[name])
    return word


def _place_empty(name: str, profile: Profile) -> StudioError:
    return StudioError("profile.place_empty", mend="profile.place_empty.mend", name=name, title=profile.title)


def _number(text: str | None) -> int:
    try:
        return int(float(text or 0))
    except ValueError:
        return 0
