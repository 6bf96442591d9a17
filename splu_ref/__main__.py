"""``python -m splu_ref`` is the same program as ``splu-ref``."""

from __future__ import annotations

import sys

from splu_ref.cli import main

sys.exit(main())
