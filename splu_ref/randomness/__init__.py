"""Where random integers come from: system entropy, keyed, seeded, recorded tape, enumeration."""

from splu_ref.randomness.byte_rules import ByteSource
from splu_ref.randomness.enumeration import EnumerationSource, outcomes
from splu_ref.randomness.key import Key
from splu_ref.randomness.keyed import KeyedRecords, KeyedSource
from splu_ref.randomness.protocol import Draws, IntArray, PlanSecret, Randomness, UniformSource
from splu_ref.randomness.seeded import SeededSource
from splu_ref.randomness.system import SystemSource
from splu_ref.randomness.tape import RecordingSource, TapeSource

__all__ = [
    "ByteSource",
    "Draws",
    "EnumerationSource",
    "IntArray",
    "Key",
    "KeyedRecords",
    "KeyedSource",
    "PlanSecret",
    "Randomness",
    "RecordingSource",
    "SeededSource",
    "SystemSource",
    "TapeSource",
    "UniformSource",
    "outcomes",
]
