"""How long work reports on itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called now and then with the number of counts treated and the number in all."""
