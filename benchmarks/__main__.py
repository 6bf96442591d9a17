"""Run every benchmark."""

from __future__ import annotations

from benchmarks import estimating, guarantees, publishing, reconstructing, starting

publishing.main()
estimating.main()
reconstructing.main()
guarantees.main()
starting.main()
