"""What the library is asked for, and how that is said in SQL."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final, Literal

Sort = Literal["newest", "oldest", "longest", "largest", "prompt"]
Param = str | int | float

_ORDER: Final[dict[str, str]] = {
    "newest": "created DESC, id DESC",
    "oldest": "created, id",
    "longest": "frames DESC, created DESC, id DESC",
    "largest": "size DESC, created DESC, id DESC",
    "prompt": "prompt COLLATE NOCASE, created DESC, id DESC",
}
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_SHORTEST: Final = 3
"""Characters that the trigram tokenizer of FTS5 needs."""


@dataclass(frozen=True, slots=True)
class Query:
    """`text`: words that must all stand in prompt, notes, tags or file name, in any order, also as parts of words.

    None and False leave a filter out. `since` is wall seconds since the epoch.
    """

    text: str = ""
    since: float | None = None
    task: str | None = None
    rehearsal: bool | None = None
    starred: bool = False
    rejected: bool | None = None
    tag: str | None = None
    faulty: bool = False
    trashed: bool = False
    sort: Sort = "newest"

    @property
    def narrows(self) -> bool:
        """Whether some results are left out (a sort leaves out none, and the trash is a place)."""
        return self != Query(trashed=self.trashed, sort=self.sort)


def folded(text: str) -> str:
    """Text as it is compared: without case, width and Latin accents. Other scripts keep their marks."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain))


def words_of(query: Query) -> list[str]:
    """The words, folded. The longest comes first: it leaves the fewest texts for the others."""
    return sorted(folded(query.text).split(), key=len, reverse=True)


def words_to_read_for(query: Query) -> list[str]:
    """The words that are looked for in the texts themselves: all of them as soon as one is too short for the full-text
    index (most Chinese words have two characters), since reading once for all is quicker than doing both."""
    words = words_of(query)
    return words if any(len(word) < _SHORTEST for word in words) else []


def refines(query: Query, before: Query) -> bool:
    """Whether all that fits `query` fits `before`, too, and in the same order: the text grew, and nothing else."""
    words = words_of(query)
    return replace(query, text=before.text) == before and all(
        any(part in word for word in words) for part in words_of(before)
    )


def statement(query: Query) -> tuple[str, list[Param]]:
    """The SELECT of the ids of all results that fit but for `words_to_read_for`, in order, and its parameters."""
    where, params = ["trashed = ?"], list[Param]([int(query.trashed)])

    def demand(condition: str, *values: Param) -> None:
        where.append(condition)
        params.extend(values)

    if query.since is not None:
        demand("created >= ?", query.since)
    if query.task is not None:
        demand("task = ?", query.task)
    if query.rehearsal is not None:
        demand("rehearsal = ?", int(query.rehearsal))
    if query.starred:
        demand("star = 1")
    if query.rejected is not None:
        demand("reject = ?", int(query.rejected))
    if query.faulty:
        demand("faults > 0")
    if query.tag is not None:
        demand("id IN (SELECT result FROM tag WHERE name = ?)", query.tag)
    if query.text.strip() and not words_to_read_for(query):
        words = " ".join(map(_quoted, words_of(query)))
        demand("id IN (SELECT rowid FROM words WHERE words MATCH ?)", words)
    return f"SELECT id FROM result WHERE {' AND '.join(where)} ORDER BY {_ORDER[query.sort]}", params


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
