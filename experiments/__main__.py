"""``python -m experiments``."""

from __future__ import annotations

import sys

from experiments.program import main

if __name__ == "__main__":
    sys.exit(main())
