"""Speed and memory, as ratios within one run against named baselines: ``python -m benchmarks``."""
