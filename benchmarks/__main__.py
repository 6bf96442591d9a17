"""Run every benchmark."""

from __future__ import annotations

from benchmarks import guarantees, publishing

publishing.main()
guarantees.main()
