"""Every profile as shell, service, quadlet and compose text, read back."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from studio.core.errors import StudioError
from studio.server import profiles, texts
from studio.server.launch import Launch, Place, plan
from studio.server.launchers.container import run_argv
from studio.server.profiles import Profile
from tests.helpers.readers import compose_file, unit_sections, unit_words

NASTY = "/srv/my models/100% $HOME 'q' \"d\""
LAUNCHABLE = [profile for profile in profiles.shipped() if profile.launchable]


def launch(profile: Profile, how: str = "process", root: str = NASTY) -> Launch:
    values = {name: f"/fill in/{name}" for name in profile.placeholders}
    return plan(profile, Place(model_root=root, values=values), how=how, longest_job=2000)  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", LAUNCHABLE, ids=lambda p: p.id)
def test_units_and_compose_read_back(profile: Profile) -> None:
    plain, inside = launch(profile), launch(profile, "container")
    service = unit_sections(texts.service(plain))["Service"]
    assert unit_words(dict(service)["ExecStart"], dollars=True) == list(plain.argv)
    written = [unit_words(value, dollars=False) for key, value in service if key == "Environment"]
    assert written == [[f"{name}={value}"] for name, value in plain.env.items()]

    quadlet = unit_sections(texts.quadlet(inside))["Container"]
    assert unit_words(dict(quadlet)["Exec"], dollars=True) == list(inside.argv)
    written = [unit_words(value, dollars=True) for key, value in quadlet if key == "Environment"]
    assert written == [[f"{name}={value}"] for name, value in inside.env.items()]
    assert dict(quadlet)["PublishPort"].startswith("127.0.0.1:")
    assert ("Volume", f"{NASTY.replace('%', '%%').replace('$', '$$')}:/models/MiniMax-H3:ro,Z") in quadlet

    compose = compose_file(texts.compose(inside))
    assert compose["command"] == list(inside.argv)
    assert compose["environment"] == dict(inside.env)
    assert [mount["source"] for mount in compose["volumes"]] == [NASTY, str(inside.storage)]
    assert compose["volumes"][0] == {
        "type": "bind",
        "source": NASTY,
        "target": "/models/MiniMax-H3",
        "read_only": True,
        "bind": {"selinux": "Z"},
    }
    assert compose["ports"][0].startswith("127.0.0.1:") and compose["stop_grace_period"] == "60s"
    wanted = inside.container
    assert wanted is not None and compose["image"] == wanted.image
    assert ("devices" in compose) == (profile.vendor == "amd") != ("deploy" in compose)


def test_bash_runs_every_script_with_the_same_words(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "vllm"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\0" "$0" "$@"\nprintf "%s\\0" "$TQDM_BAR_FORMAT" "${TQDM_ASCII-unset}"\n')
    program.chmod(0o755)
    (tmp_path / "bin" / "numactl").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    (tmp_path / "bin" / "numactl").chmod(0o755)
    env = {"PATH": f"{program.parent}:/usr/bin:/bin", "TQDM_ASCII": "1"}
    for profile in LAUNCHABLE:
        made = launch(profile)
        script = texts.shell(made)
        done = subprocess.run(["bash", "--norc"], input=script.encode(), env=env, capture_output=True, check=True)
        words = done.stdout.decode().split("\0")[:-1]
        argv = made.argv[made.argv.index("vllm") + 1 :]
        assert words[1:-2] == list(argv)
        assert words[-2:] == [made.env["TQDM_BAR_FORMAT"], "unset"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_takes_the_services(tmp_path: Path) -> None:
    files = []
    for index, profile in enumerate(LAUNCHABLE[::6]):
        text = texts.service(launch(profile)).replace("ExecStart=vllm", "ExecStart=/bin/true")
        files.append(tmp_path / f"h3-{index}.service")
        files[-1].write_text(text.replace("ExecStart=numactl", "ExecStart=/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "--man=no", "verify", *map(str, files)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    ours = [line for line in done.stderr.splitlines() if "h3-" in line]
    assert not ours


def test_conflicts_key_file_and_network(tmp_path: Path) -> None:
    profile = profiles.find("rtxpro6000x2-combined-fp8-quadlet")
    key = tmp_path / "key 100%.env"
    place = Place(NASTY, host="0.0.0.0", port=9000, conflicts=("llm.service",), key_file=key)
    text = texts.quadlet(plan(profile, place, how="container"))
    unit = unit_sections(text)
    assert unit["Unit"][1:] == [("Conflicts", "llm.service"), ("After", "llm.service")]
    assert dict(unit["Container"])["PublishPort"] == "0.0.0.0:9000:9000"
    # Podman's generator splits it into words, unlike systemd itself.
    assert unit_words(dict(unit["Container"])["EnvironmentFile"], dollars=True) == [str(key)]
    assert dict(unit_sections(texts.service(plan(profile, place)))["Service"])["EnvironmentFile"].endswith("100%%.env")
    with pytest.raises(StudioError):
        texts.quadlet(plan(profile, Place("/a:b"), how="container"))
    with pytest.raises(StudioError):
        texts.compose(plan(profile, Place("/m")))


def test_a_node_of_the_machine_is_bound_to_in_containers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.server.topology.processors_of", lambda node: {1: "8-15,24-31"}.get(node, ""))
    profile = profiles.find("rtxpro6000x8-two-servers-ref2va")
    own, other = (plan(profile, Place("/m", numa=node), how="container") for node in (None, 0))
    section = dict(unit_sections(texts.quadlet(own))["Service"])
    assert (section["CPUAffinity"], section["NUMAPolicy"], section["NUMAMask"]) == ("numa", "bind", "1")
    assert compose_file(texts.compose(own))["cpuset"] == "8-15,24-31"
    assert "cpuset" not in compose_file(texts.compose(other)), "this machine has no such node"
    assert run_argv(own, "podman")[:5] == ("numactl", "--cpunodebind=1", "--membind=1", "podman", "run")
    assert run_argv(own, "docker")[:6] == ("docker", "run", "--cpuset-mems", "1", "--cpuset-cpus", "8-15,24-31")
    assert run_argv(other, "docker")[:5] == ("docker", "run", "--cpuset-mems", "0", "--detach")
    free = plan(profiles.find("rtxpro6000x2-bf16"), Place("/m"), how="container")
    assert "NUMA" not in texts.quadlet(free) and run_argv(free, "podman")[:3] == ("podman", "run", "--detach")
