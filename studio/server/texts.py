"""A launch as text: a shell script, a service, a quadlet, a compose file. Nothing here starts anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from studio.core.errors import StudioError
from studio.server import escaping, topology
from studio.server.launch import Container, Launch

Form = Literal["shell", "service", "quadlet", "compose"]
_CONTINUED: Final = " \\\n    "
_START_LIMIT, _STOP_LIMIT = 1800, 120


def render(launch: Launch, form: Form) -> str:
    """The launch in one of the forms; quadlet and compose need a launch in a container.

    Raises StudioError (`escape.*`) when a value cannot be written in that form.
    """
    forms: dict[Form, Callable[[Launch], str]] = {
        "shell": shell,
        "service": service,
        "quadlet": quadlet,
        "compose": compose,
    }
    return forms[form](launch)


def check_command(form: Form, name: str) -> str:
    """What a user can run to have the text checked by the program that will read it."""
    match form:
        case "shell":
            return f"bash -n {name}.sh"
        case "service":
            return f"systemd-analyze --user verify ~/.config/systemd/user/{name}.service"
        case "quadlet":
            return "/usr/lib/systemd/user-generators/podman-user-generator --user --dryrun"
        case "compose":
            return "docker compose config"


def file_name(form: Form, name: str) -> str:
    """Where the text belongs, from the user's home."""
    return {
        "shell": f"{name}.sh",
        "service": f".config/systemd/user/{name}.service",
        "quadlet": f".config/containers/systemd/{name}.container",
        "compose": "compose.yaml",
    }[form]


def shell(launch: Launch) -> str:
    """A script for any POSIX shell, run in its place by `exec`."""
    words = [escaping.shell_word(word) for word in launch.argv]
    variables = [escaping.shell_word(f"{name}={value}") for name, value in launch.env.items()]
    lines = ["#!/bin/sh"]
    if launch.place.key_file is not None:
        lines += ["set -a", f". {escaping.shell_word(str(launch.place.key_file))}", "set +a"]
    lines.append(_CONTINUED.join(["exec env -u TQDM_ASCII", *variables, *_grouped(words)]))
    return "\n".join(lines) + "\n"


def service(launch: Launch) -> str:
    """A native user service."""
    lines = _unit_section(launch)
    lines += ["", "[Service]", "Type=exec", "KillMode=mixed", "UnsetEnvironment=TQDM_ASCII"]
    lines += [f"Environment={escaping.service_assignment(name, value)}" for name, value in launch.env.items()]
    if launch.place.key_file is not None:
        lines.append(f"EnvironmentFile={str(launch.place.key_file).replace('%', '%%')}")
    lines.append("ExecStart=" + _CONTINUED.join(_grouped([escaping.service_word(word) for word in launch.argv])))
    grace = max(_STOP_LIMIT, int(launch.profile.grace_s) + 30)
    return "\n".join([*lines, f"TimeoutStopSec={grace}", "Restart=no", ""])


def quadlet(launch: Launch) -> str:
    """A podman `.container` file; the image has no entry point of its own."""
    container = _container(launch)
    lines = _unit_section(launch)
    lines += ["", "[Container]", f"Image={escaping.quadlet_value(container.image)}"]
    lines += [f"ContainerName={escaping.container_name(launch.place.name)}"]
    lines += [f"AddDevice={device}" for device in container.devices]
    lines += ["ShmSize=32g", f"PublishPort={container.publish}"]
    lines += [f"Volume={escaping.volume(*mount)}" for mount in container.mounts]
    lines += ["LogDriver=journald", f"StopTimeout={int(launch.profile.grace_s)}"]
    lines += [f"Environment={escaping.quadlet_word(f'{name}={value}')}" for name, value in launch.env.items()]
    if launch.place.key_file is not None:
        lines.append(f"EnvironmentFile={escaping.quadlet_word(str(launch.place.key_file))}")
    lines.append("Exec=" + _CONTINUED.join(_grouped([escaping.quadlet_word(word) for word in launch.argv])))
    stop = max(_STOP_LIMIT, int(launch.profile.grace_s) + 30)
    lines += ["", "[Service]", f"TimeoutStartSec={_START_LIMIT}", f"TimeoutStopSec={stop}", "Restart=no"]
    if container.numa is not None:
        # Podman's and so the container's processes inherit it; podman's own --cpuset… needs rights that users lack.
        lines += ["CPUAffinity=numa", "NUMAPolicy=bind", f"NUMAMask={container.numa}"]
    return "\n".join([*lines, ""])


def compose(launch: Launch) -> str:
    """A compose file with one service."""
    container = _container(launch)
    write = escaping.compose_string
    name = escaping.container_name(launch.place.name)
    lines = ["services:", f"  {write(name)}:", f"    image: {write(container.image)}"]
    lines += [f"    container_name: {write(name)}", '    shm_size: "32gb"', '    restart: "no"']
    lines += [f'    stop_grace_period: "{int(launch.profile.grace_s)}s"']
    if container.numa is not None and (processors := topology.processors_of(container.numa)):
        lines += [f"    cpuset: {write(processors)}"]
    lines += ["    ports:", f"      - {write(container.publish)}", "    volumes:"]
    for source, target, options in container.mounts:
        lines += ['      - type: "bind"', f"        source: {write(source)}", f"        target: {write(target)}"]
        lines += ["        read_only: true"] if "ro" in options.split(",") else []
        lines.append('        bind: {selinux: "Z"}')
    if launch.place.key_file is not None:
        lines += ["    env_file:", f"      - {write(str(launch.place.key_file))}"]
    lines += ["    environment:", *(f"      {write(key)}: {write(value)}" for key, value in launch.env.items())]
    lines += ["    command:", *(f"      - {write(word)}" for word in launch.argv)]
    return "\n".join([*lines, *_compose_devices(container), ""])


def _unit_section(launch: Launch) -> list[str]:
    conflicts = " ".join(map(escaping.unit_name, launch.place.conflicts))
    lines = ["[Unit]", "Description=MiniMax-H3 server"]
    # After= as well: the other unit has ended, and its memory is free, before this one begins.
    return [*lines, f"Conflicts={conflicts}", f"After={conflicts}"] if conflicts else lines


def _compose_devices(container: Container) -> list[str]:
    if container.devices[0].startswith("/dev/"):
        return ["    devices:", *(f"      - {escaping.compose_string(f'{path}:{path}')}" for path in container.devices)]
    request = '            - {driver: "nvidia", count: "all", capabilities: ["gpu"]}'
    return ["    deploy:", "      resources:", "        reservations:", "          devices:", request]


def _grouped(words: list[str]) -> list[str]:
    """Words with each flag and its value on one line."""
    rows: list[str] = []
    for word in words:
        if word.startswith("--") or not rows or not rows[-1].startswith("--") or " " in rows[-1]:
            rows.append(word)
        else:
            rows[-1] += f" {word}"
    return rows


def _container(launch: Launch) -> Container:
    if launch.container is None:
        raise StudioError("launch.no_container")
    return launch.container
