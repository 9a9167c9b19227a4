"""A profile chosen, examined, read as text, started, watched and stopped, all in the window."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from studio.contract import Shot
from studio.core.errors import StudioError
from studio.server import Profile, ServerState, profiles
from studio.server.doctor import Level
from studio.server.launchers import UnitLauncher
from tests.helpers.server_desk import server_desk
from tests.helpers.standins import install, programs
from tests.helpers.waiting import until
from ui.widgets.act_button import Act


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profile:
    """A profile of the user's own that runs the stand-in vllm."""
    install(tmp_path, monkeypatch)
    program = (sys.executable, programs.__file__, "vllm", "--port", "{port}")
    profile = Profile(id="mine", title="My server", program=program, port_default=programs.free_port(), grace_s=5)
    profiles.save(profile)
    return profile


async def test_profiles_fits_texts_and_doctor(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count(), "the machine to be looked at")
        first = d.view.profiles.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert "this machine" in first
        assert d.view.profiles.list.count() == 38
        d.view.profiles.pick("rtxpro6000x2-combined-fp8-quadlet")
        assert d.model.kind == "profile" and d.model.act is Act.START
        assert d.view.state.form.isVisible() and not d.view.rehearsal.button.isChecked()
        await until(lambda: d.view.state.doctor.checks, "the doctor")
        assert d.view.state.doctor.checks[0].level is Level.FAIL  # type: ignore[index]
        d.view.state.form.folder.setText("/srv/my models")
        d.view.state.form.folder.editingFinished.emit()
        d.view.state.form.port.setValue(9000)
        for form, wanted in (
            ("shell", "'/srv/my models'"),
            ("quadlet", "PublishPort=127.0.0.1:9000:9000"),
            ("compose", "9000"),
        ):
            d.view.tabs.setCurrentWidget(d.view.texts[form])
            assert wanted in d.view.texts[form].text.toPlainText()
            d.view.texts[form].copy_button.click()
            assert QGuiApplication.clipboard().text() == d.view.texts[form].text.toPlainText()
        assert "user-generators" in d.view.texts["quadlet"].note.text()


async def test_what_a_profile_leaves_open_is_asked_for_and_named(qtbot: QtBot, tmp_path: Path) -> None:
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count(), "the machine to be looked at")
        form, said = d.view.state.form, lambda: [check.message for check in d.view.state.doctor.checks or ()]
        d.view.profiles.pick("rtxpro6000x2-bf16")
        assert not form.places.fields
        d.view.profiles.pick("fasth3-b300x8")
        assert list(form.places.fields) == ["fasth3_lora"]
        await until(form.places.fields["fasth3_lora"].isVisible, "its field")
        await until(lambda: any(message.code == "profile.place_empty" for message in said()), "the doctor")
        wanted = next(message for message in said() if message.code == "profile.place_empty")
        assert "fasth3_lora" in wanted.text()
        with pytest.raises(StudioError, match="fasth3_lora"):
            d.model.launches.change(model_root=str(tmp_path))
            d.model.launches.launcher()
        field = form.places.fields["fasth3_lora"]
        assert field.accessibleName() == "fasth3 lora" and "{fasth3_lora}" in field.placeholderText()
        field.setText("/loras/fast h3.safetensors")
        field.editingFinished.emit()
        d.view.tabs.setCurrentWidget(d.view.texts["shell"])
        assert "--lora-path '/loras/fast h3.safetensors'" in d.view.texts["shell"].text.toPlainText()
        d.model.launches.launcher()
        await until(lambda: said() and all(m.code != "profile.place_empty" for m in said()), "the doctor again")
        d.view.profiles.pick("rtxpro6000x2-bf16")
        assert not form.places.fields


async def test_the_doctor_looks_at_what_is_being_composed(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count(), "the machine to be looked at")
        d.model.launches.draft = lambda: (Shot(task="ref2va"),)
        d.view.profiles.pick("rtxpro6000x2-bf16")
        codes = lambda: [check.message.code for check in d.view.state.doctor.checks or ()]  # noqa: E731
        await until(lambda: "doctor.request.task" in codes(), "the doctor")
        d.view.profiles.pick("rtxpro6000x2-combined-fp8-quadlet")
        await until(lambda: "doctor.request.well" in codes(), "the doctor again")


async def test_a_profile_of_ones_own_is_shown_once_then_started_and_stopped(qtbot: QtBot, mine: Profile) -> None:
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count() == 39, "the profile")
        d.view.profiles.pick("mine")
        d.press(qtbot)
        box = d.view.findChild(QMessageBox)
        assert box is not None and programs.__file__ in box.informativeText()
        assert d.manager.status.state is ServerState.STOPPED, "nothing starts before it was agreed to"
        qtbot.mouseClick(next(b for b in box.buttons() if b.text() == "Start"), Qt.MouseButton.LeftButton)
        await d.state(ServerState.READY)
        assert d.model.text() == "Server ready" and d.view.state.facts["model"].text() == "standin/H3"
        process = d.manager.status.record.process  # type: ignore[union-attr]
        d.press(qtbot)
        await d.state(ServerState.STOPPED)
        assert not process.alive()
        d.press(qtbot)
        await d.state(ServerState.READY)


async def test_a_failed_start_is_explained_and_mended(
    qtbot: QtBot, mine: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_VLLM", "crash")
    monkeypatch.setenv("STANDIN_LINE", "TRTLLM_ATTN diffusion attention backend requires a datacenter Blackwell GPU")
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count() == 39, "the profile")
        d.view.profiles.pick("mine")
        d.model.confirm_and_start()
        await d.state(ServerState.FAILED)
        assert "datacentre Blackwell" in d.view.state.cause.text()
        mend = d.remedy("Change it in the profile")
        assert mend.toolTip() == "--diffusion-attention-backend CUDNN_ATTN"
        mend.click()
        assert profiles.find("mine").args[-2:] == ("--diffusion-attention-backend", "CUDNN_ATTN")
        assert d.model.launches.unconfirmed() is None


async def test_the_countdown_can_be_cut_short(qtbot: QtBot, mine: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STANDIN_VLLM", "deaf")
    profiles.save(mine.model_copy(update={"grace_s": 60.0}))
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count() == 39, "the profile")
        d.view.profiles.pick("mine")
        d.model.confirm_and_start()
        await d.state(ServerState.READY)
        d.press(qtbot)
        await until(lambda: d.offers("End now"), "the countdown")
        assert "s left to end by itself" in d.view.state.sentence.text()
        d.remedy("End now").click()
        await d.state(ServerState.STOPPED)


async def test_an_imported_profile_is_never_taken_for_a_built_in_one(qtbot: QtBot, tmp_path: Path) -> None:
    async with server_desk(qtbot) as d:
        own = profiles.find("rtxpro6000x2-bf16").model_copy(update={"program": ("/bin/rm", "-rf", "{model}")})
        profiles.save(own, tmp_path / "gift.json")
        d.model.launches.import_file(tmp_path / "gift.json")
        assert d.model.launches.server.profile == "rtxpro6000x2-bf16-imported"
        assert "/bin/rm" in (d.model.launches.unconfirmed() or "")
        (tmp_path / "bad.json").write_text("{")
        d.model.launches.import_file(tmp_path / "bad.json")
        assert d.model.launches.server.profile == "rtxpro6000x2-bf16-imported"


async def test_a_unit_names_what_it_ends_and_offers_it_back(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, port = install(tmp_path, monkeypatch), programs.free_port()
    argv = [sys.executable, programs.__file__, "vllm", "--port", str(port)]
    (state / "h3.service.json").write_text(json.dumps({"argv": argv, "conflicts": ["llm.service"]}))
    (state / "llm.service.json").write_text(json.dumps({"argv": ["sleep", "60"]}))
    displaced = await UnitLauncher("window", "llm.service", "http://127.0.0.1:1").start()
    async with server_desk(qtbot) as d:
        d.view.by_unit.button.click()
        d.model.launches.change(unit="h3.service", unit_url=f"http://127.0.0.1:{port}")
        assert d.view.state.form.unit.text() == "h3.service"
        d.press(qtbot)
        await until(lambda: d.view.findChild(QMessageBox), "the question")
        box = d.view.findChild(QMessageBox)
        assert box is not None and "llm.service" in box.informativeText()
        assert displaced.process.alive() and d.manager.status.state is ServerState.STOPPED, "nothing was ended unasked"
        qtbot.mouseClick(next(b for b in box.buttons() if b.text() == "Start"), Qt.MouseButton.LeftButton)
        await d.state(ServerState.READY)
        assert not displaced.process.alive()
        d.press(qtbot)
        await d.state(ServerState.STOPPED)
        d.remedy("Start llm.service again").click()
        await until(lambda: not d.offers("Start llm.service again"), "it to be started")
        pid = json.loads((state / "llm.service.json").read_text())["pid"]
        assert pid != displaced.pid and programs._alive(pid)
        os.kill(pid, signal.SIGKILL)


async def test_every_control_of_a_profile_has_a_name(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        await until(lambda: d.view.profiles.list.count(), "the profiles")
        d.view.profiles.pick("rtxpro6000x2-bf16")
        await until(lambda: d.view.state.doctor.checks, "the doctor")
        for tab in range(d.view.tabs.count()):
            d.view.tabs.setCurrentIndex(tab)
            for widget in d.view.findChildren(QWidget):
                if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisibleTo(d.view):
                    assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget
