"""The sources of bytes: system, seeded, recorded."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest

from splu_ref.channels.parameters import TapeExhaustedError
from splu_ref.randomness import (
    Draws,
    EnumerationSource,
    Key,
    KeyedSource,
    Randomness,
    RecordingSource,
    ReleaseContext,
    SeededSource,
    SystemSource,
    TapeSource,
    UniformSource,
)


def seeded_stream(seed: bytes, length: int) -> bytes:
    """Return the start of the stream, from its definition."""
    message = b"splu-ref/seeded/1" + len(seed).to_bytes(8, "big") + seed
    blocks = range(length // 4096 + 1)
    return b"".join(hashlib.shake_256(message + k.to_bytes(8, "big")).digest(4096) for k in blocks)[:length]


@pytest.mark.parametrize(("seed", "text"), [(42, b"42"), (-1, b"-1"), (0, b"0"), (b"42", b"42"), (b"", b"")])
def test_seeded_stream_is_the_documented_one_however_it_is_cut(seed: int | bytes, text: bytes) -> None:
    expected = seeded_stream(text, 20_000)
    source = SeededSource(seed)
    cuts = [1, 0, 3, 4092, 5, 4096, 1, 9000, 2802]
    assert sum(cuts) == 20_000
    assert b"".join(source.read(count) for count in cuts) == expected


def test_seeds_that_are_prefixes_of_one_another_give_other_streams() -> None:
    streams = {SeededSource(seed).read(32) for seed in (b"", b"\0", b"\0" * 8, b"\0" * 9, b"1", 11, 1111)}
    assert len(streams) == 7


def release(records: Callable[[], Sequence[bytes]]) -> ReleaseContext:
    return ReleaseContext(
        method="", facts={}, sensitive=["v"], id_column=None, missing=None, columns=["v"], records=records
    )


def test_every_source_has_the_interface_and_its_name() -> None:
    keyed = KeyedSource(Key(bytes(31) + b"!"))
    sources: list[Randomness] = [
        SystemSource(),
        SeededSource(1),
        TapeSource(b""),
        RecordingSource(TapeSource(b"")),
        keyed,
        EnumerationSource(),
    ]
    bound: list[Draws] = [
        source.for_release(release(lambda: [b"a"])).for_records("v", lambda: [b"a"]) for source in sources
    ]
    assert [draws.name for draws in bound] == [source.name for source in sources]
    assert [source.name for source in sources] == [
        "system",
        "seeded",
        "tape",
        "tape",
        "keyed",
        "enumeration",
    ]


def test_streams_belong_to_no_record() -> None:
    def never() -> list[bytes]:
        raise AssertionError("a stream must not ask for records or identities")

    for source in (SystemSource(), SeededSource(1), TapeSource(b""), EnumerationSource()):
        assert source.for_release(release(never)).for_records("v", never) is source
        assert source.select_records(np.array([2])) is source
        assert source.plan_secret() is source


def test_a_recording_replays_every_kind_of_choice() -> None:
    def choices(source: UniformSource) -> list[list[int]]:
        codes = np.arange(3000) % 3
        return [
            [source.integer_below(5)],
            source.below(5, 100).tolist(),
            source.below(300, 100).tolist(),
            source.permutation(3000).tolist(),
            source.order_within(codes).tolist(),
            source.subset(10, 3).tolist(),
        ]

    recording = RecordingSource(SystemSource())
    made = choices(recording)
    tape = TapeSource(recording.recorded)
    assert choices(tape) == made
    assert tape.consumed == len(recording.recorded) >= 1 + 100 + 200 + 4 * 3000 + 4 * 3000 + 3
    with pytest.raises(TapeExhaustedError, match="1 bytes wanted, 0 left"):
        tape.read(1)


def test_what_a_test_draws_is_the_same_in_every_run(request: pytest.FixtureRequest) -> None:
    """A test that holds with 95 % would pass where it was written and fail where it is believed."""
    if request.config.getoption("entropy") == "system":
        pytest.skip("the entropy of the system was requested")
    drawn = Random(f"{request.config.getoption('entropy')} {request.node.nodeid}")
    assert SystemSource().read(16) == drawn.randbytes(16)
    assert Key.generate().secret == drawn.randbytes(32)


@pytest.mark.entropy
def test_system_source_reads_what_is_requested_and_never_repeats() -> None:
    source = SystemSource()
    reads = [source.read(count) for count in (16, 16, 1000, 16)]
    assert [len(data) for data in reads] == [16, 16, 1000, 16]
    assert len(set(reads)) == 4
    assert SystemSource().read(16) not in reads


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_process_repeats_no_bytes_of_its_parent_and_can_still_sort() -> None:
    """In a fresh interpreter: forking the test process itself would copy its threads' locks."""
    program = """
import os, sys, warnings
import polars, numpy
from splu_ref.randomness import SystemSource
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads before a fork
polars.Series(numpy.arange(300_000)[::-1]).sort()  # starts the thread pool that a child cannot use
source = SystemSource()
source.read(32)
for _ in range(2):
    child = os.fork()
    if child == 0:
        source.permutation(200_000)
        sys.stdout.write(source.read(32).hex() + "\\n")
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
sys.stdout.write(source.read(32).hex() + "\\n")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    lines = done.stdout.split()
    assert len(lines) == len(set(lines)) == 3


def test_without_openssl_the_operating_system_is_read_itself() -> None:
    program = """
import os, sys
import numpy, polars, splu_ref.channels.parameters  # whatever else asks for entropy, asks now
sys.modules["ssl"] = None
os.urandom = lambda count: bytes([7]) * count
from splu_ref.randomness import SystemSource
sys.stdout.write(SystemSource().read(24).hex())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "07" * 24
