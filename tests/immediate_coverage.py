"""A plugin of pytest: slipcover stops watching a line as soon as it has run, in worker processes too.

Its setting ``immediate`` does not reach them: they watch a line many times, which takes as long again as the
tests. It is loaded by ``-p``, before the plugin of slipcover, which starts watching when it is imported.
"""

from __future__ import annotations

from functools import partial

import slipcover  # type: ignore[import-untyped]  # it comes without types

slipcover.Slipcover = partial(slipcover.Slipcover, immediate=True)
