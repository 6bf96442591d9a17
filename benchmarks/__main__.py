"""Run every benchmark."""

from __future__ import annotations

from benchmarks import estimating, guarantees, publishing, reconstructing, running, starting

publishing.main()  # first: what curves leave to the allocator would hide the peaks of memory
running.main([])
estimating.main()
reconstructing.main()
guarantees.main()
starting.main()
