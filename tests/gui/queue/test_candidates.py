"""A job that could be several renders on its server: the user is shown them and says which it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.core.errors import StudioError
from studio.jobs import JobState, Target
from tests.helpers.jobs import bench, small_shot
from tests.helpers.lost_answer import LosesTheAnswer, LossyServers
from tests.helpers.waiting import until
from ui.queue import QueueModel, QueueWorkspace
from ui.queue.candidates import CandidatesDialog
from ui.queue.menu import fill

S = JobState


def dialog_of(view: QueueWorkspace) -> CandidatesDialog:
    return next(one for one in view.findChildren(CandidatesDialog) if one.isVisible())


async def test_the_chosen_render_is_fetched(qtbot: QtBot) -> None:
    transport = LosesTheAnswer(copies=2)
    async with bench(servers=LossyServers(transport)) as b:
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        view.show()
        model.load()
        job = await b.service.wait((await b.service.submit(small_shot(), Target())).id)
        await until(lambda: model.selected is not None and model.selected.state is S.FAILED, "the row")
        assert "2 jobs on the server could be it" in view.details.outcome.text()
        menu = QMenu(view)
        fill(menu, model, job)
        assert "Choose which render it is…" in [action.text() for action in menu.actions()]
        choose = next(one for one in view.details.outcome.findChildren(QPushButton) if one.text() == "Choose…")
        qtbot.mouseClick(choose, Qt.MouseButton.LeftButton)
        dialog = dialog_of(view)
        assert not dialog.take.isEnabled() and dialog.said.text() == "Asking the server…"
        await until(lambda: dialog.list.topLevelItemCount() == 2, "the renders")
        second = dialog.list.topLevelItem(1)
        assert second is not None and second.text(3) == "a red kite over the sea"
        dialog.list.setFocus()
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
        assert dialog.list.currentItem() is second
        chosen = second.toolTip(0)
        qtbot.mouseClick(dialog.take, Qt.MouseButton.LeftButton)
        await until(lambda: model.selected is not None and model.selected.state is S.DONE, "the video")
        assert model.selected is not None and model.selected.remote_id == chosen
        assert transport.posts == 1
        view.hide()
        await model.aclose()
    await transport.aclose()


async def test_what_cannot_be_chosen_is_said(qtbot: QtBot) -> None:
    async with bench() as b:
        job = await b.service.submit(small_shot(), Target(kind="profile", name="gb10"))
        window = QWidget()
        qtbot.addWidget(window)
        window.show()
        dialog = CandidatesDialog(job, window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        with qtbot.waitExposed(dialog):
            dialog.open()
        dialog.show_candidates([])
        assert "none of them any more" in dialog.said.text() and not dialog.take.isEnabled()
        dialog.show_trouble(str(StudioError("job.needs_server", mend="job.needs_server.mend", name="gb10")))
        assert "“gb10”, which does not run" in dialog.said.text()
        with qtbot.waitSignal(dialog.again_requested):
            qtbot.mouseClick(dialog.again, Qt.MouseButton.LeftButton)
        assert not dialog.isVisible()
