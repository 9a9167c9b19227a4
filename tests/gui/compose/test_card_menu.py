"""The menu of a card: every entry does what it says."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu

from studio.contract import KeepChange, PictureMarks, Reference, edits
from tests.gui.compose.conftest import Desk, Media
from ui.compose.card_menu import fill_card_menu


def menu_of(desk: Desk, ref_id: str, asked: list[str] | None = None) -> dict[str, QAction]:
    """What the menu of a card offers now, by text."""
    menu = QMenu(desk.view)
    found = reference(desk, ref_id)
    fill_card_menu(menu, desk.model, found, "It", lambda: asked.append(ref_id) if asked is not None else None)
    return {action.text(): action for action in menu.actions() if not action.isSeparator()}


def reference(desk: Desk, ref_id: str) -> Reference:
    found = desk.model.shot.reference(ref_id)
    assert found is not None
    return found


def ticked(offered: dict[str, QAction]) -> list[str]:
    return [text for text, action in offered.items() if action.isChecked()]


async def test_of_a_clip(desk: Desk, media: Media) -> None:
    (clip,) = await desk.add(media.clip)
    assert ticked(menu_of(desk, clip)) == ["540 px"]
    for text, edge in (("768 px", 768), ("As in the file", None)):
        menu_of(desk, clip)[text].trigger()
        assert reference(desk, clip).preparation.short_edge == edge
        assert ticked(menu_of(desk, clip)) == [text]
    assert {"First frame", "Use as the sound of the result"}.isdisjoint(menu_of(desk, clip))


async def test_of_pictures_between_which_a_shot_runs(desk: Desk, media: Media) -> None:
    (still,) = await desk.add(media.still)
    assert "Last frame" not in menu_of(desk, still), "only frames have an end"
    desk.model.set_task("fl2va")
    for text, role in (("Last frame", "last"), ("First frame", "first")):
        menu_of(desk, still)[text].trigger()
        assert reference(desk, still).role == role and ticked(menu_of(desk, still)) == [text]


async def test_of_a_sound(desk: Desk, media: Media) -> None:
    (sound,) = await desk.add(media.sound)
    menu_of(desk, sound)["Use as the sound of the result"].trigger()
    assert desk.model.shot.audio_mode == "lock_source" and reference(desk, sound).role == "driving"
    menu_of(desk, sound)["Use as an ordinary reference"].trigger()
    assert desk.model.shot.audio_mode == "native" and reference(desk, sound).role != "driving"


async def test_of_any(desk: Desk, media: Media) -> None:
    first, second = await desk.add(*media.clips[:2])
    order = lambda: [r.id for r in desk.model.shot.references]  # noqa: E731
    menu_of(desk, second)["Move It up (Alt+↑)"].trigger()
    assert order() == [second, first]
    menu_of(desk, second)["Move It down (Alt+↓)"].trigger()
    assert order() == [first, second]
    asked: list[str] = []
    menu_of(desk, first, asked)["Locate the file…"].trigger()
    assert asked == [first]
    menu_of(desk, first)["Set aside"].trigger()
    assert reference(desk, first).set_aside and "Set aside" not in menu_of(desk, first)
    menu_of(desk, first)["Bring back"].trigger()
    assert not reference(desk, first).set_aside
    menu_of(desk, first)["Remove It"].trigger()
    assert order() == [second]


async def test_a_clip_that_is_only_edited_is_called_so_and_cannot_be_named_in_the_prompt(
    desk: Desk, media: Media
) -> None:
    (clip,) = await desk.add(media.clip)
    card = desk.view.tray.cards[clip]
    assert card.mention.isVisibleTo(card)
    kept = KeepChange(picture=PictureMarks(rest=0))
    desk.model.edit(lambda shot: edits.set_edit(shot, clip, kept).but(task="t2va"), "edit.task")
    card = desk.view.tray.cards[clip]
    texts = [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]
    assert texts[:2] == ["Source of the edit", media.clip.name]
    assert not card.mention.isVisibleTo(card)
