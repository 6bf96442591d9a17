"""Run every benchmark."""

from __future__ import annotations

from benchmarks import estimating, guarantees, publishing

publishing.main()
estimating.main()
guarantees.main()
