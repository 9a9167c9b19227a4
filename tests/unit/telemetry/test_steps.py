"""The step reader against the byte forms that server-api §7.1 gives."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from studio.telemetry import Phase, ProgressReader, Step

DEFAULT_BAR = (
    "(DiffusionWorker pid=4242) \r  0%|          | 0/3 [00:00<?, ?it/s]"
    "\r 33%|███▎      | 1/3 [00:06<00:13,  6.74s/it]"
    "\r 67%|██████▋   | 2/3 [00:13<00:06,  6.70s/it]"
    "\r100%|██████████| 3/3 [01:02<00:00,  6.74s/it]\r100%|██████████| 3/3 [01:02<00:00,  6.74s/it]\n"
).encode()
OUR_BAR = (
    b"(DiffusionWorker pid=7) \rH3STEP||0|3|0.000|?\n(DiffusionWorker pid=7) \rH3STEP||1|3|0.500|2.00it/s\n"
    b"(DiffusionWorker pid=7) \rH3STEP||2|3|1.000| 2.00it/s\n(DiffusionWorker pid=7) \rH3STEP||3|3|1.500|1.20s/it\n"
    b"(DiffusionWorker pid=7) \rH3STEP||3|3|1.500|1.20s/it\n(DiffusionWorker pid=7) \n"
)
LOADING = b"Loading safetensors checkpoint shards:  12% Completed | 3/29 [00:03<00:30,  1.16s/it]\r"
DOWNLOAD = b"\rH3STEP|model.safetensors|3|29|1.000|1.00it/s\n\rmodel: 10%|# | 1/10 [00:01<00:09, 1.0s/it]\n"


def test_the_bar_we_ask_for() -> None:
    assert ProgressReader().feed(OUR_BAR) == [
        Phase.DENOISE,
        Step(0, 3, 0.0, None),
        Step(1, 3, 0.5, 0.5),
        Step(2, 3, 1.0, 0.5),
        Step(3, 3, 1.5, 1.2),
        Phase.DECODE,
    ]


def test_the_default_bar_is_split_by_cr() -> None:
    assert ProgressReader().feed(DEFAULT_BAR) == [
        Phase.DENOISE,
        Step(0, 3, 0.0, None),
        Step(1, 3, 6.0, 6.74),
        Step(2, 3, 13.0, 6.7),
        Step(3, 3, 62.0, 6.74),
        Phase.DECODE,
    ]


@given(cut=st.lists(st.integers(0, len(OUR_BAR)), max_size=8))
def test_where_the_bytes_are_cut_does_not_matter(cut: list[int]) -> None:
    reader, whole = ProgressReader(), ProgressReader().feed(OUR_BAR)
    edges = [0, *sorted(cut), len(OUR_BAR)]
    pieces = [OUR_BAR[a:b] for a, b in itertools.pairwise(edges)]
    assert [reading for piece in pieces for reading in reader.feed(piece)] == whole


def test_other_bars_are_not_steps() -> None:
    assert ProgressReader().feed(LOADING + DOWNLOAD) == []


def test_phases_and_colour_codes() -> None:
    log = (
        b"\x1b[36m(DiffusionWorker pid=9)\x1b[0;0m INFO 11-29 10:00:00 [serving_video.py:1] "
        b"Video sampling params: steps=3\n"
        b"INFO 11-29 [x.py:1] Video response encoding route selected: bytes\n"
        b"INFO 11-29 [x.py:1] Video request video_gen_1 persisted video_gen_1 output file.\n"
    )
    assert ProgressReader().feed(log) == [Phase.PREPARE, Phase.MUX, Phase.SAVED]
