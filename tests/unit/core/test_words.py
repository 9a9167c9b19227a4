"""Sentences are made where they are shown, so the language can change under them."""

import pytest

from studio.core.errors import StudioError
from studio.core.words import Message, cut_seconds, say, sentences


@pytest.mark.parametrize(("seconds", "shown"), [(15.0899, "15.08"), (14.375, "14.37"), (5.0, "5.00"), (0.29, "0.29")])
def test_seconds_are_cut_not_rounded(seconds: float, shown: str) -> None:
    assert cut_seconds(seconds) == shown


def test_a_sentence_with_a_missing_number_is_still_a_sentence() -> None:
    sentences({"test.words.hole": "Got {is:sec} s, at most {limit} s."})
    assert say("test.words.hole", {"is": 15.083}) == "Got 15.08 s, at most {limit} s."


def test_two_sentences_for_one_code_are_refused() -> None:
    sentences({"test.words.once": "One."})
    with pytest.raises(ValueError, match=r"test\.words\.once"):
        sentences({"test.words.once": "Two."})


def test_an_error_says_what_is_wrong_and_what_to_do() -> None:
    sentences({"test.words.bad": "{name} is empty.", "test.words.mend": "Choose another file."})
    error = StudioError("test.words.bad", mend="test.words.mend", name="a.mp4")
    assert str(error) == "a.mp4 is empty. Choose another file."
    assert error.message == Message("test.words.bad", {"name": "a.mp4"})
