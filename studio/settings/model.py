"""The settings, one versioned model. Unknown newer fields are kept on save."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SETTINGS_VERSION: Final = 1


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class ServerSettings(_Part):
    """Which server a render goes to: the embedded rehearsal server, a running one by address, one of a profile, or a
    user unit that stands there already."""

    kind: Literal["rehearsal", "url", "profile", "unit"] = "rehearsal"
    place: str = ""
    """Tells the servers of one user apart; the first has none."""
    title: str = ""
    """What the user calls it."""
    url: str | None = None
    rehearsal_step_seconds: float = Field(default=0.15, ge=0, le=60)
    rehearsal_task: Literal["combined", "fl2va", "ref2va"] = "combined"
    """The partition that the rehearsal server plays."""
    profile: str | None = None
    """Id of the launch profile."""
    model_root: str = ""
    """The folder that holds FL2VA and Ref2VA."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """Instead of the profile's own."""
    values: dict[str, str] = Field(default_factory=dict)
    """What fills the places that a profile leaves open, such as the file of a LoRA."""
    run_as: Literal["process", "quadlet", "podman", "docker", "ssh"] = "process"
    host: str = ""
    """Where a profile runs by SSH, as the system's `ssh` knows it."""
    gpus: str = ""
    """The cards and their order, as `CUDA_VISIBLE_DEVICES` takes them; empty: the profile's own."""
    numa: int | None = Field(default=None, ge=0, le=63)
    """The NUMA node that it is bound to; None: the profile's own."""
    conflicts: tuple[str, ...] = ()
    """User units that must not run beside a quadlet of ours."""
    unit: str = ""
    """Name of the user unit, with `.service`, or of the container."""
    unit_in: Literal["systemd", "podman", "docker"] = "systemd"
    """What `unit` names: a user unit, or a container of that engine."""
    unit_url: str = "http://127.0.0.1:8091"
    limits: str | None = None
    """Id of the limits that its requests are judged by; None: those that it tells."""
    gpu_command: tuple[str, ...] = ()
    """Put before `nvidia-smi` to read the cards of a server at an address: `ssh gpu-box`, word by word."""
    gpu_rate: float = Field(default=1.0, ge=0.2, le=10)
    """Looks at the cards a second while a render runs."""
    confirmed: tuple[str, ...] = ()
    """Profiles of the user's own that were looked at and may be started."""


class QueueSettings(_Part):
    """What the queue does beside rendering."""

    keep_awake: bool = True
    """The machine does not fall asleep while a render is under way."""
    stop_server_when_empty: bool = False
    """End the server that we started once nothing is left to render."""
    notify: bool = True
    """Tell the desktop when a render has ended."""
    post_url: str | None = None
    """An address that is told of each render's end; nobody is when None."""
    stalled_after_minutes: float = Field(default=60, gt=0, le=10_000)
    """Minutes without a sign of progress after which a running job is marked as stalled."""


class ComposeSettings(_Part):
    """How shots begin, and who helps with their words."""

    presets: dict[str, str] = {}
    """Mode → id of the preset that a new shot of that mode begins with."""
    assistant_url: str | None = None
    """Base address of a service of the user's own that speaks OpenAI's form and may rewrite prompts; None: none."""
    assistant_model: str = ""


class Settings(_Part):
    """Everything the user chose. Immutable: change it with `model_copy(update=…)` through the store."""

    version: int = SETTINGS_VERSION
    language: str | None = None
    theme: Literal["system", "dark", "light"] = "system"
    results_dir: Path | None = None
    cache_gib: float = Field(default=10, gt=0, le=100_000)
    """Space for prepared files; the longest unused go first over it."""
    short_edge: int | None = Field(default=540, ge=256, le=5760)
    """Short edge that clips are prepared to when they are added; None keeps the source's."""
    server: ServerSettings = ServerSettings()
    """The chosen server."""
    others: tuple[ServerSettings, ...] = ()
    """Servers beside the chosen one: a job that it cannot render goes to the one that can."""
    queue: QueueSettings = QueueSettings()
    compose: ComposeSettings = ComposeSettings()
    tidy_server: bool = False
    """Delete the server's copy once the local one is verified."""
    welcomed: bool = False
    """Whether the question of the first start was answered."""
    closing: Literal["ask", "keep", "after", "now"] = "ask"
    """What closing the window does to a running render."""
