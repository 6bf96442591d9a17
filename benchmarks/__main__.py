"""Run every benchmark."""

from __future__ import annotations

from benchmarks import estimating, guarantees, publishing, starting

publishing.main()
estimating.main()
guarantees.main()
starting.main()
