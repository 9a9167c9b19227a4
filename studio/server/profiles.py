"""Launch profiles: which flags and environment a set of cards needs, as data.

The shipped ones are `resources/profiles/*.json` (published recipes, checked against vllm-omni 0.30.0's own parser);
the user's are files of the same form in `<config>/profiles`. A profile is immutable: an edit makes another one.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.contract import PastRun
from studio.core import paths
from studio.core.errors import StudioError
from studio.core.files import write_atomic

PROFILES_VERSION: Final = 1
TASKS: Final = ("t2va", "fl2va", "ref2va")
PARTITION_TASKS: Final = {"combined": TASKS, "fl2va": TASKS[:2], "ref2va": TASKS[2:]}
"""What each partition can render (vllm-omni 0.30.0, pipeline_minimax_h3.py)."""
_ID: Final = r"^[a-z0-9][a-z0-9-]{0,63}$"


class Runtime(BaseModel):
    """How a recipe was run, where that is part of it: in a container."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: Literal["quadlet", "process"] = "process"
    image: str = "docker.io/vllm/vllm-omni:nightly"
    container_model: str = "/models/MiniMax-H3"


class Shape(BaseModel):
    """A render that was seen to work: size in pixels, length in s, 24 fps."""

    model_config = ConfigDict(frozen=True, extra="allow")

    task: str
    width: int | None = None
    height: int | None = None
    duration_s: float | None = None
    frames: int | None = None
    steps: int | None = None
    rows: int | None = None
    """Padded rows of one denoise step, as `studio.contract.rows` counts them."""
    s_per_step: float | None = None
    """Seconds of one denoise step, as its recipe tells."""


class Profile(BaseModel):
    """One way to serve MiniMax-H3. Sizes are GiB; `args` may hold `{host}` and `{port}`, `program` also `{model}`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str = Field(pattern=_ID)
    title: str
    vendor: Literal["nvidia", "amd", "any"] = "any"
    gpu: str = ""
    gpus: int = Field(default=0, ge=0, le=64)
    arch: str = ""
    vram_gib_per_gpu: float = Field(default=0, ge=0)
    unified_memory: bool = False
    host_ram_gib_min: float | None = None
    host_ram_gib_recommended: float | None = None
    disk_gib: float = 0
    partition: Literal["combined", "FL2VA", "Ref2VA"] = "combined"
    model_path_suffix: str = ""
    quant: str = "bf16"
    offload: str = "none"
    attention: str = ""
    eager: bool = False
    port_default: int = Field(default=8000, ge=1, le=65535)
    env: Mapping[str, str] = Field(default_factory=dict)
    args: tuple[str, ...] = ()
    program: tuple[str, ...] = ("vllm", "serve", "{model}")
    grace_s: float = Field(default=60, ge=0, le=3600)
    """Seconds between SIGTERM and force, once the server answers."""
    compat_0_30_0: str = "ok"
    validated_shapes: tuple[Shape, ...] = ()
    measured: Mapping[str, Any] = Field(default_factory=dict)
    timeouts: Mapping[str, int] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    status: str = ""
    source: tuple[str, ...] = ()
    runtime: Runtime | None = None
    numactl: tuple[str, ...] = ()

    @property
    def launchable(self) -> bool:
        """Whether 0.30.0 can be started this way at all."""
        return self.compat_0_30_0 == "ok" or (self.compat_0_30_0.startswith("rewritten") and bool(self.args))

    @property
    def is_vllm(self) -> bool:
        """Whether the program is vLLM's own, so that flags of ours may be added."""
        return len(self.program) > 1 and Path(self.program[0]).name == "vllm" and self.program[1] == "serve"

    @property
    def tasks(self) -> tuple[str, ...]:
        """What it can render (vllm-omni 0.30.0, pipeline_minimax_h3.py: `--task-type` chooses partitions)."""
        words = (*self.args, "")
        chosen = words[words.index("--task-type") + 1] if "--task-type" in words else "auto"
        if chosen in ("fl2va", "t2va") or (chosen == "auto" and self.partition == "FL2VA"):
            return TASKS[:2]
        return TASKS[2:] if chosen == "ref2va" or (chosen == "auto" and self.partition == "Ref2VA") else TASKS

    @property
    def published_runs(self) -> tuple[PastRun, ...]:
        """What its recipe tells of a step's time, on somebody else's machine."""
        paced = [(shape.rows, shape.s_per_step) for shape in self.validated_shapes]
        return tuple(PastRun(rows, seconds, published=True) for rows, seconds in paced if rows and seconds)

    @property
    def placeholders(self) -> frozenset[str]:
        """Names in braces that the user must fill in, such as a LoRA's path."""
        found = re.findall(r"(?<![\w\"}])\{([a-z]\w*)\}|\"\{([a-z]\w*)\}\"", " ".join((*self.program, *self.args)))
        return frozenset(name or quoted for name, quoted in found) - {"model", "host", "port", "storage"}


@functools.cache
def shipped() -> tuple[Profile, ...]:
    """The built-in profiles, in the order of their recipes."""
    made: list[Profile] = []
    for entry in sorted((resources.files("resources") / "profiles").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".json"):
            made += (Profile.model_validate(plain) for plain in json.loads(entry.read_text("utf-8"))["profiles"])
    return tuple(made)


def users_dir() -> Path:
    """Where the user's own profiles lie, one file each."""
    return paths.config_dir() / "profiles"


def users() -> tuple[Profile, ...]:
    """The user's profiles by id; a file that cannot be read is left out (`load_file` says what is wrong with it)."""
    made = []
    for path in sorted(users_dir().glob("*.json")) if users_dir().is_dir() else ():
        try:
            made.append(load_file(path))
        except StudioError:
            continue
    return tuple(made)


def every() -> tuple[Profile, ...]:
    """The user's profiles, then the built-in ones that they do not replace."""
    own = users()
    taken = {profile.id for profile in own}
    return (*own, *(profile for profile in shipped() if profile.id not in taken))


def find(profile_id: str) -> Profile:
    """The profile with that id. Raises StudioError (`profile.unknown`)."""
    for profile in every():
        if profile.id == profile_id:
            return profile
    raise StudioError("profile.unknown", mend="profile.unknown.mend", id=profile_id)


def load_file(path: Path) -> Profile:
    """A profile from a file; starts nothing. Raises StudioError (`profile.unreadable`, `profile.newer`)."""
    try:
        plain = json.loads(path.read_bytes())
        version = plain.pop("version", PROFILES_VERSION) if isinstance(plain, dict) else PROFILES_VERSION
        if isinstance(version, int) and version > PROFILES_VERSION:
            raise StudioError("profile.newer", path=str(path))
        return Profile.model_validate(plain)
    except (OSError, ValueError, ValidationError) as error:
        raise StudioError("profile.unreadable", path=str(path), why=_first_line(error)) from error


def save(profile: Profile, path: Path | None = None) -> Path:
    """Write a profile to a file, the user's folder when none is named. Raises OSError."""
    target = path or users_dir() / f"{profile.id}.json"
    plain = {"version": PROFILES_VERSION, **profile.model_dump(mode="json", exclude_defaults=True)}
    write_atomic(target, json.dumps(plain, indent=2, ensure_ascii=False).encode() + b"\n")
    return target


def remove(profile_id: str) -> None:
    """Forget a profile of the user's own; a built-in one that it replaced shows again. Raises OSError."""
    for path in sorted(users_dir().glob("*.json")):
        with contextlib.suppress(StudioError):
            if load_file(path).id == profile_id:
                path.unlink()


def free_id(title: str) -> str:
    """An id for a new profile of that title: its letters, and a number when another has them."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:56].strip("-") or "profile"
    taken = {profile.id for profile in every()}
    return next(name for n in range(1, 10_000) if (name := stem if n == 1 else f"{stem}-{n}") not in taken)


def nearest(profile: Profile) -> Profile:
    """The built-in profile that a foreign one differs from least: shown beside it before it may start anything."""

    def distance(other: Profile) -> tuple[int, int]:
        return len(set(profile.args) ^ set(other.args)), abs(profile.gpus - other.gpus)

    return min(shipped(), key=distance)


def differences(profile: Profile, other: Profile) -> dict[str, tuple[Any, Any]]:
    """Fields in which two profiles differ in what they would run: field → (of `profile`, of `other`)."""
    names = ("program", "args", "env", "runtime", "numactl", "port_default", "grace_s")
    pairs = {name: (getattr(profile, name), getattr(other, name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'profile'}: {first['msg']}"
    return str(error).partition("\n")[0]
