"""Publishing of files larger than memory on one machine."""

from __future__ import annotations

from splu_ref.mechanisms.streaming.publishing import StreamedRelease, publish

__all__ = ["StreamedRelease", "publish"]
