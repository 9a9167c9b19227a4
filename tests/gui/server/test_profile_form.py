"""A profile copied, edited flag by flag, judged while it is typed, kept, exported, imported, forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from studio.server import profiles
from studio.server.flag_table import split
from tests.helpers.file_dialog import answer, asked, suggested
from tests.helpers.server_desk import ServerDesk, server_desk
from tests.helpers.waiting import until

BUILT_IN = "rtxpro6000x2-bf16"


async def field(d: ServerDesk, name: str, kind: type[QWidget] = QLineEdit) -> QWidget:
    """The control of a flag or a variable, once it is there."""
    form = d.view.profile_form
    found: list[QWidget] = []

    def there() -> bool:
        found[:] = [w for w in form.findChildren(kind) if w.accessibleName() == name and w.isVisibleTo(form)]
        return bool(found)

    await until(there, f"a control for {name}")
    return found[0]


async def chosen(d: ServerDesk, profile: str = BUILT_IN) -> None:
    await until(lambda: d.view.profiles.list.count(), "the profiles")
    d.view.profiles.pick(profile)
    d.view.tabs.setCurrentWidget(d.view.profile_form)


async def test_a_built_in_profile_is_edited_as_a_copy(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        await chosen(d)
        form = d.view.profile_form
        assert not form.keep_button.isEnabled() and not form.problems.isVisible()
        steps = await field(d, "--tensor-parallel-size")
        qtbot.mouseClick(steps, Qt.MouseButton.LeftButton)
        qtbot.keyClick(steps, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClicks(steps, "two")
        assert "--tensor-parallel-size takes a whole number" in form.problems.checks[0].message.text()  # type: ignore[index]
        qtbot.keyClick(steps, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClicks(steps, "1")
        assert {check.message.code for check in form.problems.checks or ()} == {
            "doctor.flags.product",
            "doctor.flags.one_card_bf16",
        }
        qtbot.keyClick(steps, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClicks(steps, "2")
        backend = await field(d, "--diffusion-attention-backend", QComboBox)
        assert isinstance(backend, QComboBox)
        backend.setCurrentText("TORCH_SDPA")
        assert form.keep_button.text() == "Keep as a profile of mine"
        form.grace.setValue(90)
        form.keep_button.click()
        own = d.model.launches.profile
        assert own is not None and own.id != BUILT_IN and own.title.endswith(" *") and own.grace_s == 90
        assert ("--diffusion-attention-backend", "TORCH_SDPA") in [(g.flag, g.value) for g in split(own.args)]
        assert profiles.find(BUILT_IN) in profiles.shipped()
        assert d.model.launches.unconfirmed() is None, "who edited it has seen it"
        assert not form.keep_button.isEnabled() and form.keep_button.text() == "Keep the changes"


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
async def test_flags_and_variables_come_and_go(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        await chosen(d)
        form = d.view.profile_form
        for name in ("--num-weight-load-threads", "--diffusion-attention-config.default.backend"):
            qtbot.keyClicks(form.new_flag.lineEdit(), name)
            qtbot.keyClick(form.new_flag.lineEdit(), Qt.Key.Key_Return)
            assert form.new_flag.currentText() == ""
        qtbot.mouseClick(
            await field(d, "Remove --diffusion-attention-config.default.backend", QToolButton),
            Qt.MouseButton.LeftButton,
        )
        threads = await field(d, "--num-weight-load-threads")
        assert isinstance(threads, QLineEdit) and threads.text() == "4"
        form.new_flag.textActivated.emit("--stage-configs-path")
        assert [check.message.code for check in form.problems.checks or ()] == ["doctor.flags.gone"]
        removing = await field(d, "Remove --stage-configs-path", QToolButton)
        qtbot.mouseClick(removing, Qt.MouseButton.LeftButton)
        assert not form.problems.isVisible()
        qtbot.keyClicks(form.new_variable, "NCCL_P2P_DISABLE")
        qtbot.keyClick(form.new_variable, Qt.Key.Key_Return)
        qtbot.keyClicks(await field(d, "NCCL_P2P_DISABLE"), "1")
        assert form.draft.profile is not None and form.draft.profile.env["NCCL_P2P_DISABLE"] == "1"
        form.reset_button.click()
        assert not form.draft.is_changed
        await field(d, "--omni", QLabel)
        for widget in form.findChildren(QWidget):
            if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisibleTo(form):
                assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget


async def test_a_profile_goes_out_comes_in_and_is_forgotten(qtbot: QtBot, tmp_path: Path) -> None:
    async with server_desk(qtbot) as d:
        await chosen(d)
        menu = QMenu()
        d.view.profiles.fill_menu(menu)
        next(action for action in menu.actions() if action.text() == "Export…").trigger()
        assert suggested(asked(d.view)) == f"{BUILT_IN}.json"
        answer(asked(d.view), tmp_path / "out")  # it gets the suffix
        assert profiles.load_file(tmp_path / "out.json") == profiles.find(BUILT_IN)
        own = profiles.find(BUILT_IN).model_copy(update={"id": "gift", "program": ("/bin/rm", "serve", "{model}")})
        d.view.profiles.import_button.click()
        answer(asked(d.view), profiles.save(own, tmp_path / "gift.json"))
        shown = d.model.launches.unconfirmed()
        assert shown is not None and "/bin/rm serve {model}" in shown and BUILT_IN in shown
        d.model.launches.remove()
        assert d.model.launches.server.profile == BUILT_IN
        assert "gift" not in [profile.id for profile in profiles.every()]
        d.model.launches.remove()
        assert profiles.find(BUILT_IN), "a built-in one stays"
