"""Elementary channels: identity, constant, diagonal, retention, additive noise, blocks and mixtures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from splu_ref.channels.channel import Channel, In, Law, Out, mixed, require_same_states
from splu_ref.channels.parameters import Exact, ParameterError, exact, probability


def identity(labels: Sequence[In]) -> Channel[In, In]:
    """Return the identity channel, which publishes the true state."""
    return Channel({label: {label: Fraction(1)} for label in labels}, tuple(labels))


def constant(inputs: Sequence[In], law: Mapping[Out, Exact]) -> Channel[In, Out]:
    """Return the channel that publishes by one law, whatever the true state is."""
    one = _exactly(law)
    return Channel(dict.fromkeys(inputs, one), tuple(one))


def others_share(keep: Fraction, size: int) -> Fraction:
    """Return the probability of each of ``size`` - 1 other states, (1-p)/(m-1) with p = ``keep``."""
    return (1 - keep) / (size - 1)


def diagonal(labels: Sequence[In], keep: Exact) -> Channel[In, In]:
    """Return the channel that publishes the true state with ``keep``, and otherwise a uniform other one.

    Parameters
    ----------
    labels
        The states, at least two.
    keep
        Probability p of the true state, 0 to 1; each of the m - 1 others has (1-p)/(m-1).
    """
    p = probability(keep, "keep")
    if len(labels) < 2:
        raise ParameterError(f"{len(labels)} states leave no other one to publish: give at least two")
    other = others_share(p, len(labels))
    return Channel(
        {own: {label: p if label == own else other for label in labels} for own in labels}, tuple(labels)
    )


def retention(keep: Exact, replacing: Mapping[In, Exact]) -> Channel[In, In]:
    """Return retention replacement: retain the state with ``keep``, otherwise draw it from ``replacing``.

    Parameters
    ----------
    keep
        Retention probability p, 0 to 1. The replacement may equal the true state, which is published with
        p + (1-p) g, g its probability in ``replacing``.
    replacing
        The law of the replacement, over all states; a state may have probability 0.
    """
    labels, p = tuple(replacing), probability(keep, "keep")
    return mixture([(p, identity(labels)), (1 - p, constant(labels, replacing))])


def additive(noise: Mapping[int, Exact], low: int, high: int) -> Channel[int, int]:
    """Return the channel that adds independent noise to a whole number from ``low`` to ``high``.

    Published values may lie outside of the range, because they are not truncated: the matrix is not square.

    Parameters
    ----------
    noise
        The law of what is added.
    low, high
        The least and the largest true number.

    Raises
    ------
    ParameterError
        If there is no number in the range, or the noise is no law.
    """
    law = _exactly(noise)
    if low > high or not law:
        raise ParameterError(f"from {low} to {high} and {len(law)} kinds of noise: give one of each at least")
    return Channel(
        {own: {own + step: chance for step, chance in law.items()} for own in range(low, high + 1)},
        tuple(range(low + min(law), high + max(law) + 1)),
    )


def from_matrix(
    inputs: Sequence[In], rows: Sequence[Sequence[Exact]], outputs: Sequence[Out]
) -> Channel[In, Out]:
    """Return the channel with the given entries, rows by ``inputs`` and columns by ``outputs``."""
    if len(set(inputs)) < len(inputs):
        raise ParameterError("a true state stands twice among the rows: name each one once")
    if len(rows) != len(inputs) or any(len(row) != len(outputs) for row in rows):
        raise ParameterError(f"the matrix must have {len(inputs)} rows of {len(outputs)} entries")
    laws = {
        label: _exactly(dict(zip(outputs, row, strict=True))) for label, row in zip(inputs, rows, strict=True)
    }
    return Channel(laws, tuple(outputs))


def blocks(channels: Sequence[Channel[In, Out]]) -> Channel[In, Out]:
    """Return one channel for each part of a partition of the states: a state goes through that of its part.

    Raises
    ------
    ParameterError
        If a state belongs to two parts.
    """
    laws: dict[In, Law[Out]] = {}
    outputs: dict[Out, None] = {}
    for channel in channels:
        twice = laws.keys() & channel.laws.keys()
        if twice:
            raise ParameterError(f"state {next(iter(twice))!r} belongs to two parts: give each state one")
        laws.update(channel.laws)
        outputs.update(dict.fromkeys(channel.outputs))
    return Channel(laws, tuple(outputs))


def mixture(weighted: Sequence[tuple[Exact, Channel[In, Out]]]) -> Channel[In, Out]:
    """Return the channel that goes through one of several, chosen with the given weights.

    Parameters
    ----------
    weighted
        Pairs of a weight, at least 0, and a channel; the weights add up to 1 and all channels have the same
        true states.
    """
    if not weighted:
        raise ParameterError("a mixture needs at least one channel")
    first = weighted[0][1]
    for _, channel in weighted:
        require_same_states(first, channel)
    weights = [probability(weight, "weight") for weight, _ in weighted]
    return Channel(
        {
            state: mixed(zip(weights, (channel.laws[state] for _, channel in weighted), strict=True))
            for state in first.laws
        },
        tuple(dict.fromkeys(label for _, channel in weighted for label in channel.outputs)),
    )


def _exactly(law: Mapping[Out, Exact]) -> dict[Out, Fraction]:
    return {label: exact(entry, f"the probability of {label!r}") for label, entry in law.items()}
