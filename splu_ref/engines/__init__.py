"""Engines that hold tables no single process could: the mechanisms are asked for one part at a time."""
