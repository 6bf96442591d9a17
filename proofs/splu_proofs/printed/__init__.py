"""Refuted formulas exactly as printed, for comparison only. Nothing of the library may use them."""
