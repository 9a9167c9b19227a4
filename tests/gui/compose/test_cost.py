"""The cost panel and what Render can do: rows, time, memory, savings, choices, seeds, smoke, drafts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QMessageBox

from studio.contract import PastRun, mention_of
from studio.jobs.room import Room
from studio.telemetry import Holder
from tests.gui.compose.conftest import Desk, Media
from tests.helpers.waiting import until
from ui.compose.render_menu import SeedCount
from ui.compose.wishes import DRAFT_STEPS, Wish

LEFT = Qt.MouseButton.LeftButton
RUNS = (PastRun(60_000, 9.0, 70 << 30), PastRun(110_000, 23.0, 82 << 30))


async def _estimated(desk: Desk) -> None:
    await until(lambda: not desk.model.estimate._soon.isActive(), "the estimate")


async def test_rows_are_split_and_time_is_a_range_once_there_is_history(desk: Desk, media: Media) -> None:
    cost = desk.view.cost
    await _estimated(desk)
    assert cost.time.value == "no history yet"
    await desk.add(media.clip, media.still)
    desk.model.type_prompt("rain")
    await _estimated(desk)
    assert [bar.name for bar in cost._bars] == ["Output", "Prompt", "Picture 1", "Video 1"]
    found = desk.model.estimate.cost
    assert found is not None and cost._total.text() == f"{found.rows.total:,} rows a step"
    desk.model.estimate.use_history(RUNS)
    desk.model.estimate.use_room(Room(96 << 30))
    await _estimated(desk)
    assert " – " in cost.time.value and cost.time.value.endswith(("min", "s"))
    assert cost.memory.value.endswith("of 96 GB")
    assert not cost.shortage.isVisible()


async def test_memory_is_judged_by_what_is_free_and_who_holds_the_rest_is_named(desk: Desk, media: Media) -> None:
    await desk.add(media.clip)
    desk.model.estimate.use_history(RUNS)
    desk.model.estimate.use_room(Room(96 << 30, taken=80 << 30, by=Holder(4242, "blender", 79 << 30)))
    await _estimated(desk)
    cost = desk.view.cost
    assert cost.memory.value.endswith("of 16 GB free")
    (row,) = cost.shortage.rows
    sentence = row.finding.message.text()
    assert "16 of 96" in sentence and "blender (process 4242, 79 GB)" in sentence
    assert cost.shortage.isVisible() and not desk.model.errors[1:], "advice, no wall"
    desk.model.estimate.use_room(Room(96 << 30))
    await _estimated(desk)
    assert not cost.shortage.isVisible()


async def test_what_saves_most_is_a_button_that_does_it(desk: Desk, media: Media) -> None:
    await desk.add(media.long, media.still)
    await _estimated(desk)
    before = desk.model.estimate.cost
    savings = desk.view.cost.savings
    assert before is not None and savings.buttons
    saving = before.savings[0]
    assert savings.buttons[0].text().startswith(f"−{round(saving.share * 100)} %")
    assert savings.buttons[0].accessibleName()
    QTest.mouseClick(savings.buttons[0], LEFT)
    await _estimated(desk)
    after = desk.model.estimate.cost
    assert after is not None
    assert before.rows.total - after.rows.total == saving.rows
    desk.model.undo()
    await _estimated(desk)
    assert desk.model.estimate.cost == before


async def test_size_and_quality_say_what_they_do(desk: Desk, media: Media) -> None:
    choices = desk.view.cost.choices
    assert choices._sizes.isHidden(), "without a clip there is nothing to size"
    _, second = await desk.add(*media.clips[:2])
    await _estimated(desk)
    rows = desk.model.rows
    QTest.mouseClick(choices.clip_size.buttons["768"], LEFT)
    assert {r.preparation.short_edge for r in desk.model.shot.references} == {768}
    assert desk.model.rows == rows and "same rows" in choices._size_words.text()
    desk.model.set_short_edge(second, None)
    await _estimated(desk)
    assert "differ" in choices._size_words.text()
    QTest.mouseClick(choices.quality.buttons["high"], LEFT)
    assert desk.model.shot.quality == "high"
    await _estimated(desk)
    assert "quarter" in choices._quality_words.text()
    desk.model.undo()
    assert desk.model.shot.quality is None


async def test_render_can_render_several_seeds(desk: Desk) -> None:
    wishes = _wishes(desk)
    desk.model.set_task("t2va")
    desk.model.type_prompt("rain")
    menu = QMenu()
    desk.view.render_box.menu.fill(menu)
    (count,) = menu.findChildren(SeedCount)
    count.box.setValue(4)
    assert desk.view.render_box.render_button.text() == "Render 4 seeds"
    QTest.mouseClick(desk.view.render_box.render_button, LEFT)
    (wish,) = wishes
    assert wish.purpose == "render" and len({shot.seed for shot in wish.shots}) == 4
    assert wish.shots[0] == desk.model.shot
    assert all(shot.but(seed=0) == desk.model.shot.but(seed=0) for shot in wish.shots)


async def test_smoke_keeps_the_references_and_shortens_the_rest(desk: Desk, media: Media) -> None:
    wishes = _wishes(desk)
    await desk.add(media.clip)
    QTest.mouseClick(desk.view.render_box.smoke_button, LEFT)
    assert not wishes, "a smoke passes the same checks as a render"
    desk.model.type_prompt("rain")
    QTest.mouseClick(desk.view.render_box.smoke_button, LEFT)
    (wish,) = wishes
    (shot,) = wish.shots
    assert (wish.purpose, shot.steps, shot.references) == ("smoke", 4, desk.model.shot.references)
    QTest.mouseClick(desk.view.render_box.render_button, LEFT)
    assert wishes[-1].purpose == "render", "the next render is a plain one"


async def test_what_a_reference_did_is_asked_for_with_its_cost(desk: Desk, media: Media) -> None:
    wishes = _wishes(desk)
    clip, still = await desk.add(media.clip, media.still)
    desk.model.type_prompt(f"{mention_of(clip)} with {mention_of(still)}")
    desk.model.estimate.use_history(RUNS)
    assert [r.id for r in desk.model.wishes.removable()] == [clip, still]
    reference = desk.model.shot.reference(still)
    assert reference is not None
    box = desk.view.render_box.menu.ask_drafts(reference)
    assert " – " in box.informativeText() and f"{DRAFT_STEPS} steps" in box.informativeText()
    assert not wishes
    QTest.mouseClick(next(b for b in box.buttons() if box.buttonRole(b) == QMessageBox.ButtonRole.AcceptRole), LEFT)
    (wish,) = wishes
    with_it, without = wish.shots
    assert wish.purpose == "draft"
    assert with_it.seed == without.seed and with_it.steps == without.steps == DRAFT_STEPS
    assert (with_it.frames, with_it.canvas) == (without.frames, without.canvas)
    assert [r.id for r in with_it.sent()] == [clip, still] and [r.id for r in without.sent()] == [clip]


async def test_the_only_reference_cannot_be_left_out(desk: Desk, media: Media) -> None:
    await desk.add(media.clip)
    desk.model.type_prompt("rain")
    assert desk.model.wishes.removable() == []


def _wishes(desk: Desk) -> list[Wish]:
    found: list[Wish] = []
    desk.model.wishes.wished.connect(found.append)
    return found
