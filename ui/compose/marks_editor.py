"""Marks of what a clip keeps and what is made anew: the lanes under its film, the areas on its picture, their tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from studio.contract import MediaFacts, Reference, Request
from studio.contract.keep_change import Area, KeepChange, SoundMarks
from studio.contract.latent_grid import EditGrid, edit_grid
from studio.contract.marks import replace_area
from studio.contract.masks import Mask, model_mask, picture_mask
from studio.core.words import say, tr
from ui.compose.crop_frame import CropFrame
from ui.compose.following import Following
from ui.compose.marking import FADE_STEP_S, LaneName, followed, lane_of, with_area, with_lane
from ui.compose.marks_menus import fill_area_menu, fill_clip_menu
from ui.compose.marks_tools import MarksTools
from ui.compose.mask_lane import MaskLane
from ui.compose.mask_overlay import MaskOverlay, Tool
from ui.compose.moments import Moments
from ui.compose.viewmodel import ComposeModel
from ui.theme.actions import make
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel
from ui.widgets.icon_label import IconLabel
from ui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from studio.media.follow import Followed


class MarksEditor(QObject):
    """Edits the marks of one clip. `toggle` shows and hides all of it; every act is one edit of the shot."""

    sought = Signal(int)
    """The user asked for this frame."""
    shown_changed = Signal(bool)
    """The marks are shown and can be edited, or are put away."""

    def __init__(
        self,
        model: ComposeModel,
        reference: Reference,
        facts: MediaFacts,
        frame: CropFrame,
        timeline: Timeline,
        gutter: int,
    ) -> None:
        super().__init__(frame)
        self._model, self._reference, self._facts, self._timeline = model, reference, facts, timeline
        self._moments: Moments | None = None
        self._grid: EditGrid | None = None
        self._cells: Mask | None = None
        self._blocks: Mask | None = None
        self._asked: tuple[Request, Reference] | None = None
        self._working: asyncio.Task[None] | None = None
        self.overlay = MaskOverlay(frame)
        self.lanes: dict[LaneName, MaskLane] = {"picture": MaskLane("picture", gutter)}
        if facts.audio is not None:
            self.lanes["sound"] = MaskLane("sound", gutter)
        self.tools = MarksTools()
        self.toggle = QToolButton(frame)  # until it has its place: without a parent it would be a window
        self.toggle.setCheckable(True)
        self.toggle.setIcon(icon("keep-change"))
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_role(self.toggle, "quiet")
        self.following = Following(model.reading, self)
        self._note, self._said, self._trouble = QLabel(), ElidedLabel(), QLabel(wordWrap=True)
        self.lane_box, self.tool_box = self._lay_out()
        self._connect()
        self._add_actions()
        self._show(False)

    def _lay_out(self) -> tuple[QWidget, QWidget]:
        lane_box, tool_box = QWidget(), QWidget()
        lanes = QVBoxLayout(lane_box)
        lanes.setContentsMargins(0, 0, 0, 0)
        lanes.setSpacing(2)
        for lane in self.lanes.values():
            lanes.addWidget(lane)
        set_role(self._note, "warn")
        set_role(self._said, "dim")
        set_role(self._trouble, "warn")
        self._trouble.hide()
        note = QHBoxLayout()
        note.setSpacing(SPACE_S)
        note.addWidget(IconLabel("warning", "warn"))
        note.addWidget(self._note)
        note.addWidget(self._said, 1)
        column = QVBoxLayout(tool_box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addWidget(self.tools)
        column.addWidget(self._trouble)
        column.addLayout(note)
        return lane_box, tool_box

    def _connect(self) -> None:
        self.toggle.toggled.connect(self._show)
        self.toggle.toggled.connect(self.shown_changed)
        for name, lane in self.lanes.items():
            lane.changed.connect(lambda marks, name=name: self._take_lane(name, marks))
            lane.sought.connect(self.sought)
        self.overlay.area_drawn.connect(self._on_drawn)
        self.overlay.area_changed.connect(self._take_area)
        self.overlay.area_nudged.connect(self._on_nudged)
        self.overlay.selection_changed.connect(self._on_selected)
        self.overlay.stepped.connect(lambda by: self.sought.emit(self._timeline.value() + by))
        self.tools.kind_chosen.connect(self._take_kind)
        self.tools.tool_chosen.connect(self._take_tool)
        self.tools.radius_chosen.connect(self._take_radius)
        self.tools.grid_toggled.connect(lambda _on: self._show_moment())
        self.tools.follow_pressed.connect(self.follow)
        self.tools.area_menu_opened.connect(self._fill_area_menu)
        self.tools.clip_menu_opened.connect(self._fill_clip_menu)
        self.following.progressed.connect(self.tools.show_following)
        self.following.found.connect(self._on_followed)
        self.following.ended.connect(self._on_following_ended)
        self._timeline.valueChanged.connect(lambda _n: self._show_moment())

    def _add_actions(self) -> None:
        """Keys work on the lanes, the picture and the timeline alike."""
        acts: dict[str, Callable[[], object]] = {
            "marks.mark": self._mark_here,
            "marks.other": lambda: self._take_kind(1.0 - self.overlay.change),
            "marks.softer": lambda: self._lane_in_hand().soften(FADE_STEP_S),
            "marks.harder": lambda: self._lane_in_hand().soften(-FADE_STEP_S),
            "marks.rectangle": lambda: self._put("rectangle"),
            "marks.brush": lambda: self._put("brush"),
            "marks.follow": self.follow,
            "marks.grid": self.tools.grid.toggle,
        }
        self._actions: list[QAction] = [make(name, self.lane_box, act) for name, act in acts.items()]
        for widget in (self.overlay, self._timeline):
            widget.addActions(self._actions)

    # Showing.

    def show_reference(self, reference: Reference) -> None:
        """Show the marks of another state of the same clip."""
        self._reference = reference
        if self._moments is not None:
            sent = self._moments.part(reference)
            for name, lane in self.lanes.items():
                lane.show_marks(lane_of(self.edit, name), self._moments, sent)
        self._ask_for_masks()
        self._show_moment()

    def take_moments(self, moments: Moments) -> None:
        """The clip is open: these are its pictures."""
        self._moments = moments
        self.show_reference(self._reference)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.toggle.setToolTip(tr("Mark what of this clip is kept and what is made anew"))
        self._note.setText(tr("Experimental: not tried on a real model by us"))
        names = {"picture": tr("When the picture is kept or changes"), "sound": tr("When the sound is kept or changes")}
        tip = tr("Drag to mark; drag an edge to move it, or its corner to soften it. Key: H from here, H to here.")
        for name, lane in self.lanes.items():
            lane.setAccessibleName(names[name])
            lane.setToolTip(tip)
        self.overlay.setAccessibleName(tr("Areas of the picture that are kept or changed"))
        self._show_moment()

    def close(self) -> None:
        """Give up what is still being worked on."""
        self.following.stop()
        if self._working is not None:
            self._working.cancel()

    @property
    def edit(self) -> KeepChange:
        """The marks; of a clip without any: all is made anew."""
        return self._reference.edit or KeepChange()

    @property
    def _time(self) -> float:
        return self._moments.time(self._timeline.value()) if self._moments is not None else 0.0

    def _show(self, on: bool) -> None:
        for widget in (self.lane_box, self.tool_box, self.overlay):
            widget.setVisible(on)
        for action in self._actions:
            action.setEnabled(on)
        if on:
            self.overlay.raise_()
            self._ask_for_masks()

    def _show_moment(self) -> None:
        """What holds at the playhead."""
        time = self._time
        count = len(self.edit.picture.spans) + len(self.edit.picture.areas) + len(self.edit.sound.spans)
        name = tr("Keep and change")
        self.toggle.setText(f"{name} · {count}" if count else name)
        for lane in self.lanes.values():
            lane.show_playhead(self._timeline.value())
        self.overlay.show_areas(self.edit.picture.areas, time)
        grid, cells, blocks = self._grid, self._cells, self._blocks
        if grid is None or cells is None or blocks is None:
            self.overlay.show_grid(None)
            self._said.setText("" if self._reference.edit else tr("Drag on a lane, or on the picture."))
            return
        latent = grid.latent_at(time)
        shown = self.tools.grid.isChecked() and cells.shape[0] > latent
        self.overlay.show_grid(*((grid, cells[latent], blocks[latent]) if shown else (None,)))
        made = round(float(cells[latent].mean()) * 100)
        said = tr("latent {n} of {count}: {made} % is made anew", n=latent + 1, count=len(cells), made=made)
        self._said.setText(said)

    def _mark_here(self) -> None:
        lane = self._lane_in_hand()
        lane.mark_here()
        if lane.marking_from is not None:
            self._said.setText(tr("H again where the mark ends; Esc forgets it."))

    # The latent grid.

    def _ask_for_masks(self) -> None:
        """Have the masks made on a thread; only the newest wish counts."""
        if not self.toggle.isChecked():
            return
        if self._reference.edit is None:
            self._grid = self._cells = self._blocks = None
            return
        self._asked = (self._model.request, self._reference)
        if self._working is None:
            self._working = self._model.reading.start(self._make_masks(), name="masks")

    async def _make_masks(self) -> None:
        try:
            while self._asked is not None:
                (request, reference), self._asked = self._asked, None
                grid, cells, blocks = await asyncio.to_thread(_masks, request, reference)
                if reference == self._reference:
                    self._grid, self._cells, self._blocks = grid, cells, blocks
                    self._show_moment()
        finally:
            self._working = None

    # Acts.

    def _become(self, edit: KeepChange | None, merge: str | None = None) -> None:
        self._trouble.hide()
        self._model.set_edit(self._reference.id, edit, merge)

    def _take_lane(self, name: LaneName, marks: SoundMarks) -> None:
        self._become(with_lane(self.edit, name, marks))

    def _on_drawn(self, area: Area) -> None:
        picture = with_area(self.edit.picture, area)
        self._become(self.edit.but(picture=picture))
        self.overlay.select(len(picture.areas) - 1)
        if self.overlay.tool == "rectangle":
            self._take_tool("select")

    def _on_nudged(self, index: int, area: Area) -> None:
        self._take_area(index, area, f"marks {self._reference.id} {index} {self._timeline.value()}")

    def _take_area(self, index: int, area: Area | None, merge: str | None = None) -> None:
        if area is None:
            self.overlay.select(None)
        self._become(self.edit.but(picture=replace_area(self.edit.picture, index, area)), merge)

    def _change_selected(self, area: Area | None) -> None:
        if self.overlay.selected is not None:
            self._take_area(self.overlay.selected, area)

    def _take_kind(self, change: float) -> None:
        self.overlay.change = change
        self.tools.show_kind(change)
        for lane in self.lanes.values():
            lane.set_change(change)

    def _take_tool(self, tool: Tool) -> None:
        self.overlay.tool = tool
        self.tools.show_tool(tool)

    def _take_radius(self, radius: float) -> None:
        self.overlay.radius = radius

    def _put(self, tool: Tool) -> None:
        """By key: what the tool draws, in the middle, ready to be moved."""
        self._take_tool(tool)
        self.overlay.draw_in_the_middle()
        self._take_tool("select")
        self.overlay.setFocus()

    def _lane_in_hand(self) -> MaskLane:
        """The lane with the keyboard; the picture's otherwise."""
        return next((lane for lane in self.lanes.values() if lane.hasFocus()), self.lanes["picture"])

    def _on_selected(self) -> None:
        self.tools.show_area(self.overlay.selected is not None)

    def _fill_area_menu(self, menu: QMenu) -> None:
        area, moments = self.overlay.chosen, self._moments
        if area is not None and moments is not None:
            end = moments.time(self._timeline.value() + 1)
            fill_area_menu(menu, area, self._time, end, self._change_selected)

    def _fill_clip_menu(self, menu: QMenu) -> None:
        looks = self._model.shot.task == "ref2va"
        fill_clip_menu(menu, self.edit, sound="sound" in self.lanes, reference=looks, become=self._become)

    # Following.

    def follow(self) -> None:
        """Follow what is under the selected area from here to the end of the part; a second time: stop."""
        area, moments = self.overlay.chosen, self._moments
        if self.following.running:
            self.following.stop()
        elif area is not None and moments is not None:
            last = moments.part(self._reference)[1]
            pictures = range(self._timeline.value(), last + 1)
            self.following.start(self._facts.path, area, self._time, pictures)

    def _on_followed(self, area: Area, time: float, found: Followed) -> None:
        moments, areas = self._moments, self.edit.picture.areas
        if moments is None or area not in areas:
            return  # it was changed meanwhile
        if found.shifts:
            shifts = [(time, 0.0, 0.0), *((moments.time(n), dx, dy) for n, dx, dy in found.shifts)]
            moved = followed(area, time, shifts[-1][0], shifts)
            index = areas.index(area)
            self._become(self.edit.but(picture=replace_area(self.edit.picture, index, moved)))
        if found.lost is not None:
            code = "compose.follow_lost" if found.shifts else "compose.follow_none"
            self._trouble.setText(say(code, {"at": moments.time(found.lost)}))
            self._trouble.show()

    def _on_following_ended(self) -> None:
        self.tools.show_following(None)
        self._on_selected()


def _masks(request: Request, reference: Reference) -> tuple[EditGrid | None, Mask | None, Mask | None]:
    """The grid of an edit and what of each latent is made anew, in cells and in the model's blocks."""
    grid = edit_grid(request)
    if grid is None or grid.source.id != reference.id or grid.source.edit is None:
        return None, None, None
    cells = picture_mask(grid.source.edit, grid)
    return grid, cells, model_mask(cells)
