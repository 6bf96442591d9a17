"""Where random integers come from: system entropy, keyed, seeded, recorded tape, enumeration."""

from splu_ref.randomness.byte_rules import ByteSource
from splu_ref.randomness.enumeration import EnumerationSource, exact_law, outcomes
from splu_ref.randomness.key import Key
from splu_ref.randomness.keyed import KeyedRecords, KeyedRelease, KeyedSource
from splu_ref.randomness.protocol import (
    Draws,
    IntArray,
    PlanSecret,
    Randomness,
    ReleaseRandomness,
    UniformSource,
)
from splu_ref.randomness.release_context import (
    Fact,
    ReleaseContext,
    TableSum,
    record_digest,
    release_key,
    table_digest,
)
from splu_ref.randomness.seeded import SeededSource
from splu_ref.randomness.system import SystemSource
from splu_ref.randomness.tape import RecordingSource, TapeSource

__all__ = [
    "ByteSource",
    "Draws",
    "EnumerationSource",
    "Fact",
    "IntArray",
    "Key",
    "KeyedRecords",
    "KeyedRelease",
    "KeyedSource",
    "PlanSecret",
    "Randomness",
    "RecordingSource",
    "ReleaseContext",
    "ReleaseRandomness",
    "SeededSource",
    "SystemSource",
    "TableSum",
    "TapeSource",
    "UniformSource",
    "exact_law",
    "outcomes",
    "record_digest",
    "release_key",
    "table_digest",
]
