"""The system's entropy: the source to publish with."""

from __future__ import annotations

import os

from splu_ref.randomness.byte_rules import ByteSource

try:
    from ssl import RAND_bytes as _random_bytes
except ImportError:  # a Python built without OpenSSL
    _random_bytes = os.urandom


class SystemSource(ByteSource):
    """Fresh bytes for every request: never stored, never repeated.

    The bytes come from OpenSSL's generator (AES-256 in counter mode, NIST SP 800-90A), which the operating
    system seeds and which draws a new seed in a forked process; where Python has no OpenSSL, from
    ``os.urandom`` itself. For the 4.8 MB that half a million records need, ``os.urandom`` takes about as long
    as both sorts together, OpenSSL a tenth of that.
    """

    name = "system"

    def read(self, count: int) -> bytes:
        """Return ``count`` fresh bytes; none is kept, so a forked process repeats none of its parent's."""
        return _random_bytes(count)
