"""A typed observer: `Event.subscribe` gives back the way to unsubscribe."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)


class Event(Generic[T]):
    """Listeners are called in order, on the emitter's thread. One that fails is logged; the others still hear."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], object]] = []

    def subscribe(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Call `listener(value)` at every emit until the returned function is called."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def emit(self, value: T) -> None:
        """Tell every listener."""
        for listener in tuple(self._listeners):
            try:
                listener(value)
            except Exception:
                log.exception("a listener failed")
