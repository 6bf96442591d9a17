"""Attacks that learn from a release which values go with which other columns; nothing predicts them."""

from experiments.attacks.learned import LEARNING, LearnedOutcome, Learner, LearningName, attack_by_learning

__all__ = ["LEARNING", "LearnedOutcome", "Learner", "LearningName", "attack_by_learning"]
