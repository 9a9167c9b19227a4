"""A service of the user's own that rewrites prompts: any that speaks OpenAI's chat completions. Off unless set up.

MiniMax rewrites every prompt of its hosted H3; vLLM-Omni 0.30.0 sends it as it is (h3-contract.md).
"""

from __future__ import annotations

from typing import Any, Final

import httpx

from studio.contract import Task
from studio.core.errors import StudioError
from studio.presets.skeleton import TOKEN

ANSWER_SECONDS: Final = 180.0
"""A local model may take its time."""
_ANSWER_MOST: Final = 1 << 20
_TASKS: Final[dict[Task, str]] = {
    "t2va": "The video is made from the prompt alone.",
    "fl2va": "The video begins or ends with still pictures that the user gives; the prompt says what happens between.",
    "ref2va": "The video is made from reference pictures, clips and sounds, named in the prompt by kind and number.",
}
_ASK: Final = (
    "You rewrite prompts for a text-to-video model that also makes sound. {task} Write one vivid, concrete "
    "description in whole sentences: subjects, movement, camera, light, style, and what is heard. Keep the language, "
    "the meaning and every fact of the user's prompt. Keep every name in braces, such as {{video 1}} or {{picture 2}}, "
    "exactly as it is, and add none. Keep <d>…</d> marks and what they hold. Answer with the prompt alone."
)


class RewriteError(StudioError):
    """The service did not answer with a prompt."""


async def rewrite(skeleton: str, task: Task, *, url: str, model: str, key: str | None) -> str:
    """A prompt as the service at `url` (its base address, such as `http://127.0.0.1:11434/v1`) would word it.

    `skeleton` names references as `{video 1}`; the answer names the same ones. Raises RewriteError
    ("rewrite.unreachable", "rewrite.refused", "rewrite.odd", "rewrite.lost_names").
    """
    body = {
        "model": model or "default",
        "messages": [
            {"role": "system", "content": _ASK.format(task=_TASKS[task])},
            {"role": "user", "content": skeleton},
        ],
    }
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with httpx.AsyncClient(timeout=httpx.Timeout(ANSWER_SECONDS, connect=10.0)) as client:
            answer = await client.post(f"{url.rstrip('/')}/chat/completions", json=body, headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise RewriteError("rewrite.unreachable", url=url, reason=str(error) or type(error).__name__) from error
    if answer.status_code != httpx.codes.OK:
        raise RewriteError("rewrite.refused", url=url, status=answer.status_code, detail=answer.text[:2000])
    text = _text(answer, url)
    if set(TOKEN.findall(skeleton)) != set(TOKEN.findall(text)):
        raise RewriteError("rewrite.lost_names", url=url, detail=text[:2000])
    return text


def _text(answer: httpx.Response, url: str) -> str:
    try:
        document: Any = answer.json() if len(answer.content) <= _ANSWER_MOST else None
        text = document["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError) as error:
        raise RewriteError("rewrite.odd", url=url, detail=answer.text[:2000]) from error
    if not isinstance(text, str) or not text.strip():
        raise RewriteError("rewrite.odd", url=url, detail=answer.text[:2000])
    return text.strip()
