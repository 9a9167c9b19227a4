"""An edit drawn with the mouse, rendered on the rehearsal: what was kept is the source, what was marked is new."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from studio.compare.kept_parts import edited_clip, kept_parts
from studio.contract import Canvas, Shot
from studio.jobs import JobState, Target
from tests.gui.compose.conftest import Desk
from tests.gui.compose.test_marks import LEFT, drag, edit_of, marking, on_lane, on_picture
from tests.helpers.jobs import bench
from tests.helpers.media_factory import write_clip
from tests.helpers.waiting import until

FRAMES = 107


async def test_an_edit_by_mouse_comes_out_where_it_was_drawn(desk: Desk, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mp4", frames=FRAMES, options={"qp": "6"})
    _ref, editor = await marking(desk, clip)
    shot = desk.model.shot.but(canvas=Canvas(width=256, height=256), frames=FRAMES, follow=frozenset(), steps=4)
    desk.model.edit(shot.but(prompt="night"), "edit.canvas")
    lane = editor.marks.lanes["picture"]
    drag(lane, on_lane(lane, 0), on_lane(lane, 20), on_lane(lane, 51))
    editor._go(51)
    QTest.mouseClick(editor.marks.tools.tools["rectangle"], LEFT)
    drag(editor.marks.overlay, on_picture(editor, 0, 0), on_picture(editor, 0.2, 0.5), on_picture(editor, 0.5, 1))
    assert len(edit_of(desk).picture.spans) == len(edit_of(desk).picture.areas) == 1
    asked: list[Shot] = []
    desk.model.render_requested.connect(asked.append)
    desk.model.request_render()
    assert asked, [f.code for f in desk.model.errors]

    async with bench() as b:
        job = await b.service.submit(asked[0], Target(), name="edit", out_dir=tmp_path / "out")
        await until(lambda: b.live(job.id).state is JobState.DONE, "the render")
        video = b.live(job.id).video
        assert video is not None
        edited = await edited_clip(desk.model.reading._workers, clip, video)
        assert edited is not None
        parts = await kept_parts(desk.model.reading._workers, edited)
    # Frame 51 begins a latent: the mark ends exactly there, and the rectangle stays kept.
    assert parts.changed[:50] == (None,) * 50 and all(value is not None for value in parts.changed[51:])
    assert parts.kept_mean is not None and parts.changed_mean is not None
    assert parts.kept_mean < 2 < 20 < parts.changed_mean
    assert parts.kept_share == pytest.approx((51 + 0.5 * 56) / FRAMES, abs=0.06)
