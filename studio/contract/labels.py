"""Tags and mentions: what the server calls each reference, and how a prompt names them.

A prompt is stored with mentions, `@{id}` for a reference and `@{id:sound}` for a clip's soundtrack, that follow their
cards; the tags that the model reads (`<Picture 1>`) are put in when the prompt is sent. The server numbers each kind
from 1 in upload order; a clip's soundtrack takes its `<Audio n>` before the clip's `<Video n>`, standalone sounds come
after all soundtracks, a driving sound has no tag (vllm-omni 0.30.0, encoder_processing.py).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from studio.contract.plan import planned
from studio.contract.request import Request
from studio.contract.shot import Reference, Shot, conditions

_MENTION = re.compile(r"@\{([A-Za-z0-9_-]{1,40})(:sound)?\}")
_TAG = re.compile(r"<(Picture|Video|Audio) ([1-9]\d*)>")
_UPLOAD_ORDER = ("image", "video", "audio")


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention in a prompt: `prompt[start:end]` names a reference, or its soundtrack."""

    ref_id: str
    sound: bool
    start: int
    end: int


def mention_of(ref_id: str, *, sound: bool = False) -> str:
    """The text that mentions a reference, or its soundtrack."""
    return f"@{{{ref_id}:sound}}" if sound else f"@{{{ref_id}}}"


def mentions(prompt: str) -> tuple[Mention, ...]:
    """All mentions in a prompt, in order, whether or not their reference exists."""
    return tuple(Mention(m[1], m[2] is not None, m.start(), m.end()) for m in _MENTION.finditer(prompt))


def mentioned(prompt: str) -> tuple[str, ...]:
    """The ids that a prompt mentions, each once, in order."""
    return tuple(dict.fromkeys(ref_id for ref_id, _ in dict.fromkeys(_MENTION.findall(prompt))))


def in_upload_order(shot: Shot) -> tuple[Reference, ...]:
    """The references that the model is given: pictures, clips, sounds, each kind in tray order; a first picture before
    a last. A clip that is only the source of an edit is not among them."""
    roles = ("first", "last")
    return tuple(
        sorted(
            (r for r in shot.sent() if conditions(shot, r)),
            key=lambda r: (_UPLOAD_ORDER.index(r.kind), roles.index(r.role) if r.role in roles else 0),
        )
    )


def has_soundtrack(request: Request, reference: Reference) -> bool:
    """Whether a clip goes out with sound, as far as its file is known."""
    facts = request.facts_of(reference)
    return reference.kind == "video" and facts is not None and planned(reference, facts).sound_seconds > 0


def tags(request: Request) -> dict[str, tuple[str, ...]]:
    """The tags of every reference that is sent, by id; a clip with kept sound has ("<Audio 1>", "<Video 1>")."""
    counted: Counter[str] = Counter()

    def next_tag(word: str) -> str:
        counted[word] += 1
        return f"<{word} {counted[word]}>"

    found: dict[str, tuple[str, ...]] = {}
    for reference in in_upload_order(request.shot):
        match reference.kind:
            case "image":
                found[reference.id] = (next_tag("Picture"),)
            case "video":
                sound = (next_tag("Audio"),) if has_soundtrack(request, reference) else ()
                found[reference.id] = (*sound, next_tag("Video"))
            case "audio":
                driving = request.shot.audio_mode == "lock_source"
                found[reference.id] = () if driving else (next_tag("Audio"),)
    return found


def label_order(request: Request) -> tuple[str, ...]:
    """All tags in the order in which the server puts them before the prompt."""
    return tuple(tag for own in tags(request).values() for tag in own)


def prompt_text(request: Request) -> str:
    """The prompt as it is sent: every mention replaced by its tag; one that names nothing sent leaves no trace."""
    return sent_text(request, request.shot.prompt)


def sent_text(request: Request, stored: str) -> str:
    """The same for any text of the request that is stored with mentions."""
    if not _MENTION.search(stored):
        return stored
    known = tags(request)

    def tag(match: re.Match[str]) -> str:
        return _tag_for(known.get(match[1], ()), sound=match[2] is not None)

    return _MENTION.sub(tag, stored)


def window_prompts(shot: Shot) -> tuple[str, ...]:
    """The prompts of a continued video's windows, as they are stored; none when the shot's prompt counts for all, or
    when they are no list of texts, which the rules refuse."""
    prompts = (shot.long_video or {}).get("continuation_prompts")
    if not isinstance(prompts, list) or not all(isinstance(prompt, str) for prompt in prompts):
        return ()
    return tuple(prompts)


def adopt_tags(request: Request, prompt: str) -> str:
    """A pasted prompt with its literal tags turned into mentions, where a reference has that tag."""
    owners = {tag: (ref_id, tag != own[-1]) for ref_id, own in tags(request).items() for tag in own}

    def mention(match: re.Match[str]) -> str:
        owner = owners.get(match[0])
        return match[0] if owner is None else mention_of(owner[0], sound=owner[1])

    return _TAG.sub(mention, prompt)


def readable(shot: Shot) -> str:
    """The prompt for people, while nothing is known of its files: pictures and clips by their tags, sounds by the names
    of their files, since their numbers count the clips that have sound."""

    def name(match: re.Match[str]) -> str:
        reference = shot.reference(match[1])
        if reference is None:
            return ""
        alike = [r.id for r in in_upload_order(shot) if r.kind == reference.kind]
        word = {"image": "Picture", "video": "Video"}.get(reference.kind)
        if word is None or match[2] is not None or reference.id not in alike:
            return f"<{reference.path.name}>"
        return f"<{word} {alike.index(reference.id) + 1}>"

    return _MENTION.sub(name, shot.prompt)


def literal_tags(prompt: str) -> tuple[str, ...]:
    """Tags written out in a prompt, in order, each once."""
    return tuple(dict.fromkeys(m[0] for m in _TAG.finditer(prompt)))


def _tag_for(own: tuple[str, ...], *, sound: bool) -> str:
    if not own:
        return ""
    if not sound:
        return own[-1]
    return own[0] if len(own) > 1 else ""
