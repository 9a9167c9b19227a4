"""The step reader against the byte forms that server-api §7.1 gives."""

import itertools

import pytest
from hypothesis import given, settings
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


@settings(deadline=None)
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


PLAIN_BAR = (
    b"(APIServer pid=1) \rH3STEP 0/3 00:00<?  ?it/s\n(APIServer pid=1) \rH3STEP 1/3 00:06<00:12  6.00s/it\n"
    b"(APIServer pid=1) \rH3STEP 2/3 00:12<00:06  6.00s/it\n(APIServer pid=1) \rH3STEP 3/3 00:18<00:00  6.00s/it\n"
    b"(APIServer pid=1) \rH3STEP 3/3 00:18<00:00  6.00s/it\n(APIServer pid=1) \n"
)
GLUED = (
    "(DiffusionWorker_TP0 pid=4242) \n  0%|          | 0/50 [00:00<?, ?it/s]\x1b[A"
    "\r 54%|█████▍    | 27/50 [1:58:03<1:36:11, 262.35s/it](DiffusionWorker_TP0 pid=4242) INFO 11-29 [x.py:1] text"
    "\r100%|##########| 50/50 [04:38<00:00,  2.50it/s]INFO:     Shutting down\n"
).encode()
WINDOWS = OUR_BAR + b"INFO 11-29 [continuation.py:145] MiniMax H3 continuation window 2/2: frames [124..)\n" + OUR_BAR
STEPPED = (
    b"DEBUG 11-29 [step_scheduler.py:56] StepScheduler add_request: video_gen_1 (step=0/2, waiting=0)\n"
    b"DEBUG 11-29 [p.py:2934] MiniMax H3 denoise step: 1 request(s) packed into 90 rows\n"
    b"DEBUG 11-29 [p.py:2934] MiniMax H3 denoise step: 1 request(s) packed into 90 rows\n"
)
COLOURED = (
    b"\x1b[0;36m(DiffusionWorker_SP0 pid=9)\x1b[0;0m \r\x1b[32mH3STEP||0|2|0.000|?it/s\x1b[0m\n"
    b"\x1b[0;36m(DiffusionWorker_SP0 pid=9)\x1b[0;0m \rH3STEP||1|2|262.350| 262.35s/it\r\n"
    b"\x1b[0;36m(DiffusionWorker_SP0 pid=9)\x1b[0;0m \rH3STEP||2|2|524.700| 262.35s/it\r\n"
)
LOGS = {
    "ours": OUR_BAR,
    "default": DEFAULT_BAR,
    "plain": PLAIN_BAR,
    "glued": GLUED,
    "windows": WINDOWS,
    "stepped": STEPPED,
    "coloured": COLOURED,
    "others": LOADING + DOWNLOAD + DEFAULT_BAR,
}


def told(log: bytes) -> list[tuple[int, int]]:
    return [(one.n, one.total) for one in ProgressReader().feed(log) if isinstance(one, Step)]


def test_every_form_of_the_bar() -> None:
    assert told(PLAIN_BAR) == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert told(GLUED) == [(0, 50), (27, 50), (50, 50)]
    assert told(WINDOWS) == [(n, 3) for n in (0, 1, 2, 3)] * 2
    assert told(STEPPED) == [(0, 2), (1, 2), (2, 2)]
    assert told(COLOURED) == [(0, 2), (1, 2), (2, 2)]
    hours = [one for one in ProgressReader().feed(GLUED) if isinstance(one, Step)][1]
    assert (hours.elapsed, hours.seconds_per_step) == (7083.0, 262.35)


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_a_log_torn_at_every_byte_tells_the_same(log: bytes) -> None:
    whole = ProgressReader().feed(log)
    for cut in range(len(log) + 1):
        reader = ProgressReader()
        assert reader.feed(log[:cut]) + reader.feed(log[cut:]) == whole, log[max(0, cut - 20) : cut + 20]
    reader = ProgressReader()
    assert [one for byte in log for one in reader.feed(bytes([byte]))] == whole


@settings(deadline=None)
@given(data=st.data(), log=st.sampled_from(sorted(LOGS)))
def test_where_the_chunks_end_does_not_matter(data: st.DataObject, log: str) -> None:
    whole, text = ProgressReader().feed(LOGS[log]), LOGS[log]
    edges = [0, *sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=30))), len(text)]
    reader = ProgressReader()
    assert [one for a, b in itertools.pairwise(edges) for one in reader.feed(text[a:b])] == whole


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_noise_tells_nothing_and_breaks_nothing(noise: bytes) -> None:
    reader = ProgressReader()
    reader.feed(noise)
    assert (3, 3) in [(one.n, one.total) for one in reader.feed(b"\n" + OUR_BAR) if isinstance(one, Step)]
