"""Check a certificate about published data by arithmetic alone: ``python certificate_checker.py FILE``.

This one file needs Python's standard library and nothing else. It trusts nothing in the certificate: from the
parameters (and, for a threshold, three witness numbers) it computes the whole statement and the whole
evidence again, and a certificate is valid only if both are equal to what it computed, digit for digit.

The quantity. A value with f records is published f' times, where f' is binomial: n = gamma f
independent trials, each successful with probability 1/gamma. If there is a parameter "retention" p, then f of
the trials succeed with p and the other (gamma-1) f with q = (1-p)/(gamma-1). "Error j" means |f' - f| >= j,
the sum of an upper tail Pr(f' >= f + j) and a lower tail Pr(f' <= f - j). A relative error of at least
epsilon is error j = ceil(epsilon f) (Definition 2 of the paper); one of more than epsilon is error
j = floor(epsilon f) + 1 (its Theorem 4). Multiplied by gamma^n, every probability here is an integer, its
numerator; with p = u/w and q = s/t in lowest terms, multiplied by (w t^(gamma-1))^f.

The lemma. For a fixed j >= 1 neither tail falls when f grows by 1. (The upper tail gains gamma trials and its
limit rises by 1: the change is (1/gamma) times the sum over i < gamma of b(n+i; f+j) - b(n; f+j), where
b(m; a) is the probability of a successes in m trials, and b(m+1; a) >= b(m; a) whenever gamma a >= m+1. The
lower tail is the same with a = f+1-j and both signs turned round. With a retention the brackets are weighted
by the chances of the gamma added trials, and none is negative if the larger chance is added last: the proof
is in the specification.) So on a run of counts with the same j the error is least likely at the first count
of the run and most likely at the last.

Why each claim follows.
* small-sum-privacy: the least probability of an error over f = 1..alpha. By the lemma it is taken at the
  first count of some run. Every run is visited; the smallest values are compared exactly. With a parameter
  "releases" R, f' is the mean of R independent published counts. Their sum has the law of the published
  count at R f, so f' errs at f as one count does at R f, with j = ceil(epsilon R f) or
  floor(epsilon R f) + 1; the lemma, applied R times, holds for runs of the same j.
* error-probability: one numerator, computed exactly.
* concept-error: of the N = rows records, n = predicate_count satisfy a predicate, x3 = concept_count of them
  have a value s, f = sensitive_count of all have it, and K = decoys_in_predicate others of the predicate
  have s among their decoys. Then y3 ~ Bin(x3 + K, 1/gamma) records of the predicate and, independently,
  y1 ~ Bin(gamma f - x3 - K, 1/gamma) others are published with s. Every pair is visited, and the corrected
  estimate of x3 computed from it: with f' = y3 + y1 it is
  (gamma (N - f') y3 - n (gamma - 1) f') / (N - gamma f'), cut off at 0 and n. Where gamma f' >= N there is
  none, which counts as an error. So one such certificate refutes a promise for all predicates.
* d-gamma: a tuple is published with probability alpha + beta if it is in the original, and with beta if not,
  independently of all others, so that its posterior depends only on whether it is published. Let x be its
  prior, 0 < x <= d. If it is published, the posterior x (alpha+beta)/(x alpha + beta) grows with x, so is at
  most gamma exactly if it is at d, which is beta gamma (1-d) >= (alpha+beta) d (1-gamma); it is never below
  the prior, and d <= gamma. If it is not published, posterior over prior is
  (1-alpha-beta)/(1-beta - x alpha),
  which falls to (1-alpha-beta)/(1-beta) as x does, and so stays at d/gamma or above exactly if
  (1-alpha-beta) gamma >= (1-beta) d; it is at most 1. Both comparisons are made in whole numbers.
* utility-threshold: t_f is the least count from which on the error has probability at most t_e. Three steps:
  at t_f - 1 the exact probability exceeds t_e; from t_f to tail_from - 1 every run's last count has at most
  t_e; from tail_from on Chernoff's bound holds: for z >= 1, Pr(f' >= (1+epsilon) f) <= r^f with
  r = (1 + (z-1)/gamma)^gamma / z^(1+epsilon), and for 0 <= z <= 1 likewise below with 1-epsilon. With
  F = tail_from, r^F is at most (1 + (z-1)/gamma)^(gamma F) / z^k, where k = floor((1+epsilon) F) above and
  ceil((1-epsilon) F) below. The two numbers together are at most t_e <= 1, so each r <= 1, and r^f only
  falls after F. With a retention p, (1+p(z-1)) (1+q(z-1))^(gamma-1) stands for (1 + (z-1)/gamma)^gamma.

Draws within a group. With a parameter "draws" the gamma draws of a group are dependent, and each record still
retains its true value with probability 1/gamma. The groups are independent, and a group publishes each of its
values in a random number of places with mean one. With capped:M the groups have an order; in the first M
groups of each value its slot is marked, and the marked slots of a group get the places of a multinomial draw.
With all-or-none:A one slot is chosen; the marked ones, those of values with at most A records, get all places
if chosen, and otherwise none. In both cases the u unmarked slots share the remaining places evenly, and the
remainder goes to some of them at random.
* Up to M records the law of f' is the binomial one: small-sum-privacy with alpha <= M, error-probability with
  frequency <= M, and utility-threshold if its tail begins at M + 1 or before, are the same as without draws.
  (Given the remaining places, an even share is the least spread of all with its mean: the mean of any convex
  function of a share, such as z^share, is at most that of independent draws. So Chernoff's bound holds above
  M too.)
  With all-or-none:A and alpha <= A, f' is gamma times the number of chosen groups out of f, and every count
  is visited.
* utility-bound: let f exceed the bound. The groups of v where its slot is not marked have together at most
  S marked slots of other values: A (values - 1) for all-or-none; for capped M (values - 1) less
  M (gamma - 1), because v's M marked groups, which precede its others, have so many slots of other values,
  and as many of their marked ones are therefore not in the others. With M_u(z) the mean of
  z^(share - 1), at least 1, and B(z) = (1 + (z-1)/gamma)^gamma / z for each of the M groups in which v is
  marked (none with all-or-none): the mean of z^(f' - f) is at most B(z)^M times the largest
  M_u(z)^ceil(S/(gamma-u)), 1 <= u < gamma. Times z^-k for a z >= 1 that bounds Pr(f' - f >= k), and times
  z^k for a z <= 1 Pr(f - f' >= k). The two at k = ceil(epsilon t_f) are together at most t_e, and fall as k
  grows. Without values, draws are capped and Chernoff's bound without draws is at most t_e at t_f.

Three claims are about retention replacement: a record retains its true value with p = retention, and
otherwise takes one drawn from a law of replacements, which may be the true value again.
* breach: the law is uniform over m = values. Under a prior by counts n_u with sum N, the set Q = secret has
  the prior w / N, w its sum, which must be at most rho1. Value v is published with probability p + (1-p)/m
  where it is the true one and (1-p)/m elsewhere, so that the posterior of Q, which v must belong to, is
  (p n_v + (1-p) w / m) / (p n_v + (1-p) N / m). It must be at least rho2.
* safe: without counts, the amplification 1 + p m / (1-p) must be below
  G = rho2 (1-rho1) / (rho1 (1-rho2)): posterior odds are at most the amplification times prior odds, so that
  no prior and no set has a breach. With counts: a set without v has a posterior of at most its prior, and the
  posterior of one with v grows with w. So for each v the largest w <= rho1 N of a set with v decides; it is
  found among all sums of the other counts. The largest posterior must be below rho2.
* sample-size: of n records, c satisfy a predicate, and so does a share b of the replacements. The published
  count X is a sum of n independent trials: c have the chance p + (1-p) b, the others (1-p) b. The estimate of
  the share c/n is (X/n - (1-p) b) / p, which is off by epsilon or more exactly if X differs from its mean by
  p epsilon n or more. At rows - 1 one probability is computed exactly and must be above delta. From F =
  bound.from on, Hoeffding's inequality gives at most 2 exp(-2 n (p epsilon)^2); a sum of terms x^k / k!, each
  rounded down, must reach 2/delta, x = 2 F (p epsilon)^2. Between the two nothing is claimed.

One claim is about any matrix.
* optimal-operator: of m values with the counts n_u, N in all, row u of the matrix P is the law by which value
  u is published. It is admitted if no belief rises from at most rho1 to more than rho2. Against "any" prior
  that is: no entry is more than G = rho2 (1-rho1) / (rho1 (1-rho2)) times another one of its column. Under
  the counts as prior it is: for each published value v and each value u ("values"), or each set of values u
  ("sets"), of at most rho1 N records, the sum of n_u P[u][v] is at most rho2 times that of all values. The
  worst set is found by dynamic programming over the values with all pairs of a weight and a gain that no
  lighter set reaches. The objective is the sum of w_u P[u][u], where w_u is n_u/N ("share") or 1/m ("mean");
  or the least P[u][u] ("least"), which is at most that sum for any weights w_u >= 0 that add up to 1, and the
  evidence gives some. Numbers y_u bound it for every admitted matrix A, if they have this property, and P is
  optimal if their sum is its objective. Under a prior: with prices z >= 0 on some of the sets, y_u + n_u
  (Z(u, v) - rho2 Z(v)) >= w_u if u = v, and >= 0 otherwise, where Z(v) is the sum of all prices on sets seen
  at v and Z(u, v) of those that contain u. Multiply by A[u][v] and add everything: the prices sum to at most
  0, so the sum of the y_u is at least the objective of A. Against any prior: let s = w_u - y_u for u = v and
  -y_u otherwise; in each column G times the sum of the positive s is at most that of the negative ones, the
  sign turned round. With l the least entry of a column of A no other is above G l, so the sum of s A[u][v] is
  at most 0. The evidence is not unique: the statement holds its digest.

Rounding. There are no floating-point numbers. Long computations carry two integers between which the
truth lies. A bound in the evidence is the true value rounded to 256 bits (down for a minimum, up for a
maximum); where the two integers do not settle that rounding, the exact numerator does. A certificate that
would take too long is refused: before the work if the parameters show it, and before each exact sum, whose
work is counted. A statement with other words, and lists of another length than the arithmetic gives, are
refuted before anything is computed, and a list at its first wrong entry.

Exit code and first word: 0 "valid", 1 "false", 2 "unreadable" (or of another schema, or too large).
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

_Answer = tuple[str, dict[str, Any]]  # the statement and the evidence that follow from the parameters

SCHEMA = "splu-ref/certificate/1"
MAX_BYTES = 4_000_000  # of a certificate
MAX_TRIALS = 1_000_000  # gamma f
MAX_BITS = 4_000_000  # of gamma^(gamma f)
MAX_EXACT = 60_000_000_000  # terms of an exact sum times their bits
MAX_TERMS = 40_000_000  # terms of all rounded sums together
MAX_PAIRS = 1_000_000  # of published counts, for a concept
MAX_OWNERS = 10_000  # gamma f, for a concept
MAX_EXPONENT = 1_000  # above ln of any number that a parameter can give
MAX_VALUES = 500  # counts of a prior
MAX_RARE = 400  # alpha, for all-or-none draws
MAX_GROUP = 64  # gamma, for a bound of draws
MAX_NOISE = 10**12  # marked slots, for a bound of draws
MAX_TILT = 64  # bits of a tilt, for a bound of draws
MAX_SUMS = 50_000_000_000  # different counts of a prior, times all of them, times the sums that are formed
MAX_SETS = 5_000_000  # pairs of a weight and a gain
MAX_SUMMED = (
    200_000_000_000  # the same of all exact sums together; with a retention, times digits of a factor
)
WORK, KEEP = 384, 256  # bits carried, bits kept
FINEST = 8_000  # bits after the point where bounds are added up
_BLANK = "\0"  # in a sentence, for a number that is not yet computed
BLOCK = 64  # factors between two stored factorials


class Unreadable(ValueError):  # noqa: N818 - the word that the program prints
    """Not a certificate of this schema, or one too large to check in bounded time."""


class _Refuted(Exception):  # noqa: N818 - not an error of the program
    """The certificate can be read, and its statement is false."""


@dataclass(frozen=True)
class Verdict:
    """Whether a certificate holds, what it is about, and the statement or the reason against it."""

    valid: bool
    claim: str
    reason: str


# ---- numbers that are known to lie between two bounds ---------------------------------------------


class _Between(NamedTuple):
    """A number from ``low`` times 2^exponent to ``high`` times 2^exponent, both ends included."""

    low: int
    high: int
    exponent: int

    def _trim(self) -> _Between:
        drop = self.high.bit_length() - WORK
        return self if drop <= 0 else _Between(self.low >> drop, -(-self.high >> drop), self.exponent + drop)

    def times(self, other: _Between) -> _Between:
        return _Between(self.low * other.low, self.high * other.high, self.exponent + other.exponent)._trim()

    def over(self, other: _Between) -> _Between:
        up = 2 * WORK
        low, high = (self.low << up) // other.high, -(-(self.high << up) // other.low)
        return _Between(low, high, self.exponent - other.exponent - up)._trim()

    def plus(self, other: _Between) -> _Between:
        if not self.high or not other.high:
            return self if self.high else other
        big, small = (self, other) if self.exponent >= other.exponent else (other, self)
        gap = big.exponent - small.exponent
        drop = max(0, gap - 2 * WORK)  # bits of the small number far below the last bit of the big one
        low, high, gap = small.low >> drop, -(-small.high >> drop), gap - drop
        return _Between((big.low << gap) + low, (big.high << gap) + high, big.exponent - gap)._trim()


_ONE, _NOTHING = _Between(1, 1, 0), _Between(0, 0, 0)


def _power(base: int, exponent: int) -> _Between:
    result = _ONE
    for bit in bin(exponent)[2:]:
        result = result.times(result)
        if bit == "1":
            result = result.times(_Between(base, base, 0))
    return result


_FACTORIALS = [_ONE]  # of 0, BLOCK, 2 BLOCK, ...


def _factorial(m: int) -> _Between:
    while len(_FACTORIALS) <= m // BLOCK:
        factors = math.perm(len(_FACTORIALS) * BLOCK, BLOCK)
        _FACTORIALS.append(_FACTORIALS[-1].times(_Between(factors, factors, 0)))
    factors = math.perm(m, m % BLOCK)
    return _FACTORIALS[m // BLOCK].times(_Between(factors, factors, 0))


def _rounded(numerator: int, denominator: int, *, up: bool) -> tuple[int, int]:
    """Return (m, s): the fraction rounded to m / 2^s with 2^255 <= m < 2^256, or (0, 0) for nothing."""
    if numerator == 0:
        return 0, 0
    shift = KEEP + 1 + denominator.bit_length() - numerator.bit_length()
    mantissa, rest = divmod(numerator << max(shift, 0), denominator << max(-shift, 0))
    while mantissa >> KEEP:  # one bit too many, or two
        rest, mantissa, shift = rest | (mantissa & 1), mantissa >> 1, shift - 1
    if up and rest:
        mantissa += 1
        if mantissa >> KEEP:
            mantissa, shift = mantissa >> 1, shift - 1
    return mantissa, shift


# ---- the probability of an error ------------------------------------------------------------------


class _Law(NamedTuple):
    """f' for a group size, p = u/w and q = s/t; ``plain`` if p = q = 1/gamma."""

    gamma: int
    u: int
    w: int
    s: int
    t: int

    @property
    def plain(self) -> bool:
        return self.u == self.s == 1 and self.w == self.t == self.gamma

    def whole(self, f: int) -> int:
        """Return the integer that probabilities at f are multiplied by."""
        return int(self.w**f * self.t ** ((self.gamma - 1) * f))


def law_of(gamma: int, p: Fraction) -> _Law:
    """Return the law of f' for a group size and a retention probability p."""
    q = Fraction(p.denominator - p.numerator, p.denominator * (gamma - 1))
    return _Law(gamma, p.numerator, p.denominator, q.numerator, q.denominator)


_unspent = ContextVar("_unspent", default=MAX_SUMMED)  # of the work of exact sums


def _sizes(law: _Law, f: int) -> tuple[int, int]:
    """Return the bits of a term of an exact sum, and how many times each is gone through."""
    n = law.gamma * f
    if law.plain:
        return n * law.gamma.bit_length(), 1
    own, other = law.w.bit_length(), law.t.bit_length()
    return f * own + (n - f) * other, 1 + (own + other + n.bit_length()) // 30  # digits, to a machine


def _numerator(law: _Law, f: int, j: int) -> int:
    """Return the numerator of error j, exactly: everything less the values of f' within f-j+1 .. f+j-1.

    Without a retention the values outside are added up instead where they are fewer.
    """
    gamma, n = law.gamma, law.gamma * f
    if j > f and f + j > n:
        return 0
    first, last = max(0, f - j + 1), min(n, f + j - 1)
    outside = first + n - last
    bits, factor = _sizes(law, f)
    terms = min(outside, last - first + 1) if law.plain else last + 1
    left = _unspent.get() - bits * factor * terms
    if left < 0:
        raise Unreadable("the parameters call for exact sums that are too large together")
    _unspent.set(left)
    if not law.plain:
        total = law.whole(f)
        trials = (f, Fraction(law.u, law.w)), (n - f, Fraction(law.s, law.t))
        for k, term in zip(range(last + 1), _masses(*trials), strict=False):
            total -= term if k >= first else 0
        return total
    if outside <= last - first:
        return _terms(gamma, n, 0, first - 1) + _terms(gamma, n, last + 1, n)
    return law.whole(f) - _terms(gamma, n, first, last)


def _terms(gamma: int, n: int, first: int, last: int) -> int:
    """Return the sum of the numerators of f' = first .. last, without a retention."""
    return sum(_plain_masses(gamma, n, first, last))


def _plain_masses(gamma: int, n: int, first: int, last: int) -> Iterator[int]:
    """Yield the numerators of first .. last successes in n trials with probability 1/gamma."""
    if first > last:
        return
    term = math.comb(n, first) * (gamma - 1) ** (n - first)
    for x in range(first, last + 1):
        yield term
        term = term * (n - x) // ((x + 1) * (gamma - 1))


def _masses(first: tuple[int, Fraction], second: tuple[int, Fraction]) -> Iterator[int]:
    """Yield the numerators of 0, 1, 2, ... successes among f trials of chance u/w and m of chance s/t.

    They are the coefficients of (w-u + u z)^f (t-s + s z)^m. Its derivative times (w-u + u z) (t-s + s z) is
    the polynomial times f u (t-s + s z) + m s (w-u + u z); comparing coefficients of z^k gives each from the
    two before.
    """
    (f, chance), (m, rest) = first, second
    u, s, own, other = chance.numerator, rest.numerator, (1 - chance).numerator, (1 - rest).numerator
    slope, mixed = f * u * other + m * s * own, own * s + u * other
    before, now = 0, own**f * other**m
    for k in range(f + m + 1):
        yield now
        above = (slope - k * mixed) * now + (f + m - k + 1) * u * s * before
        before, now = now, above // ((k + 1) * own * other)


def _tail(gamma: int, n: int, x: int, *, upper: bool) -> _Between:
    """Enclose Pr(f' >= x), for x > n/gamma, or Pr(f' <= x), for x < n/gamma: first term times sum of ratios.

    The ratio a/b of neighboring terms is below 1 and falls. A term rounded down i times is too small by at
    most i units of 2^-WORK. The terms after the last, itself at most ``count`` units, are below a geometric
    series with the last ratio.
    """
    if not 0 <= x <= n:
        return _NOTHING
    a, b = (n - x, (x + 1) * (gamma - 1)) if upper else (x * (gamma - 1), n - x + 1)
    down, rise = (1, gamma - 1) if upper else (gamma - 1, 1)
    term, total, count = 1 << WORK, 0, 0
    while term:
        total += term
        term = term * a // b
        a, b, count = a - down, b + rise, count + 1
    series = _Between(total, total + count * count + count * b // (b - a) + 1, -WORK)
    ways = _factorial(n).over(_factorial(x).times(_factorial(n - x)))
    return ways.times(_power(gamma - 1, n - x)).over(_power(gamma, n)).times(series)


def _bound(law: _Law, f: int, j: int, *, up: bool) -> tuple[int, int]:
    """Return Pr(error j) rounded to 256 bits."""
    if law.plain:
        n = law.gamma * f
        value = _tail(law.gamma, n, f + j, upper=True).plus(_tail(law.gamma, n, f - j, upper=False))
        (mantissa, shift), high = (_rounded(end, 1, up=up) for end in value[:2])
        if (mantissa, shift) == high:
            return mantissa, shift - value.exponent if mantissa else 0
    return _rounded(_numerator(law, f, j), law.whole(f), up=up)


# ---- published counts: from the parameters to the statement and the evidence -----------------------


def _error(f: int, epsilon: Fraction, *, strict: bool = False) -> int:
    return math.floor(epsilon * f) + 1 if strict else math.ceil(epsilon * f)


def _window(gamma: int, f: int, j: int) -> dict[str, str]:
    return {"f": f"{f:x}", "first": f"{max(0, f - j + 1):x}", "last": f"{min(gamma * f, f + j - 1):x}"}


def _entry(gamma: int, f: int, j: int, bound: tuple[int, int]) -> dict[str, str]:
    return {**_window(gamma, f, j), "mantissa": f"{bound[0]:x}", "shift": f"{bound[1]:x}"}


def _setting(law: _Law, *more: str) -> str:
    """Return the start of a statement, with the further conditions that are not empty."""
    named = [f"gamma = {law.gamma}"]
    if not law.plain:
        named.append(f"retention = {Fraction(law.u, law.w)}")
    named += [each for each in more if each]
    return "With " + ", ".join(named[:-1]) + (" and " if named[1:] else "") + named[-1]


def _runs(epsilon: Fraction, alpha: int, *, strict: bool) -> list[tuple[int, int]]:
    """Return the first count of every run that meets 1..alpha, with its j."""
    f, runs = 1, []
    while f <= alpha:
        j = _error(f, epsilon, strict=strict)
        runs.append((f, j))
        f = math.ceil(j / epsilon) if strict else math.floor(j / epsilon) + 1  # where j grows
    return runs


def _small_sum_privacy(parameters: dict[str, Any], given: object, said: object) -> _Answer:
    law, alpha = _law(parameters), _whole(parameters, "alpha", 1)
    epsilon, draws = _fraction(parameters, "epsilon"), _draws(parameters)
    if draws is not None and alpha > draws[1]:
        raise Unreadable("parameters.alpha is above the bound of the draws, where counts depend on the table")
    if draws is not None and draws[0] == "all-or-none":
        return _all_or_none_privacy(parameters, law.gamma, epsilon, alpha, given, said)
    times = _whole(parameters, "releases", 2) if "releases" in parameters else 1
    most = min(alpha, math.floor(times * epsilon * alpha) + 1)
    refuse_if_too_large(law, times * alpha, epsilon, 2 * most)
    bounds: dict[tuple[int, int], tuple[int, int]] = {}
    evidence, words = {}, []
    signs = {"theorem_4": ">", "definition_2": ">="}
    all_runs = {form: _runs(times * epsilon, alpha, strict=sign == ">") for form, sign in signs.items()}
    listed: dict[str, object] = {}
    for form, entry in _object(given, tuple(signs), "evidence").items():
        where = f"evidence.{form}"
        listed[form] = _object(entry, ("argmin", "numerator", "candidates"), where)["candidates"]
        _require_entries_readable(listed[form], f"{where}.candidates")
    entries = {form: _as_long(listed[form], all_runs[form], f"evidence.{form}.candidates") for form in signs}
    mean = f"f' the mean of {times} independent published counts" if times > 1 else ""
    start = f"{_setting(law, _draws_phrase(draws), mean)}, for every count f from 1 to {alpha}: "
    event = {
        form: f"|f' - f| {sign} ({epsilon}) f has a probability of at least " for form, sign in signs.items()
    }
    _framed(
        said, start + "; ".join(f"{each}{_BLANK}, least at f = {_BLANK}" for each in event.values()) + "."
    )
    for form in signs:
        runs, candidates = all_runs[form], []
        for number, (f, j) in enumerate(runs):
            if (f, j) not in bounds:
                bounds[f, j] = _bound(law, times * f, j, up=False)
            candidates.append({**_entry(law.gamma, times * f, j, bounds[f, j]), "f": f"{f:x}"})
            # Here, and not at the end: a list that is wrong at its start costs no more than its start.
            _compare(entries[form][number], candidates[-1], f"evidence.{form}.candidates[{number}]")
        # In ascending order of value: nothing first, then larger shifts, then smaller mantissas.
        size = {run: (bounds[run][0] > 0, -bounds[run][1], bounds[run][0]) for run in runs}
        least = min(size.values())
        exact = {(f, j): _numerator(law, times * f, j) for f, j in runs if size[f, j] == least}
        most = max(f for f, _ in exact)
        # Brought to the same denominator; among equals the least f comes first.
        _, f, j = min((top and top * law.whole(times * (most - f)), f, j) for (f, j), top in exact.items())
        evidence[form] = {"argmin": f"{f:x}", "numerator": f"{exact[f, j]:x}", "candidates": candidates}
        value = _decimal(exact[f, j], law.whole(times * f), up=False)
        words.append(f"{event[form]}{value}, least at f = {f}")
    return f"{start}{'; '.join(words)}.", evidence


def _error_probability(parameters: dict[str, Any], given: object, said: object) -> _Answer:
    law, f = _law(parameters), _whole(parameters, "frequency", 1)
    epsilon, draws = _fraction(parameters, "epsilon"), _draws(parameters)
    if draws is not None and (draws[0] != "capped" or f > draws[1]):
        raise Unreadable("with draws there is this claim for capped ones and counts up to the cap only")
    refuse_if_too_large(law, f, epsilon, 0)
    _object(given, ("f", "first", "last", "numerator"), "evidence")
    j = _error(f, epsilon)
    event = f"{_setting(law, _draws_phrase(draws), f'the count f = {f}')}: |f' - f| >= ({epsilon}) f"
    statement = f"{event} has a probability of at most {_BLANK}, which is exact or rounded up."
    _framed(said, statement)
    top = _numerator(law, f, j)
    value = _decimal(top, law.whole(f), up=True)
    return statement.replace(_BLANK, value), {**_window(law.gamma, f, j), "numerator": f"{top:x}"}


def _concept_error(parameters: dict[str, Any], given: object, said: object) -> _Answer:
    gamma, epsilon = _whole(parameters, "gamma", 2), _fraction(parameters, "epsilon")
    rows, f, n, x3 = (_whole(parameters, name, 1) for name in _CONCEPT[:-1])
    decoys = int(_match(parameters[_CONCEPT[-1]], "0|[1-9][0-9]{0,11}", f"parameters.{_CONCEPT[-1]}"))
    inside, outside = x3 + decoys, gamma * f - x3 - decoys
    # The records with s and those that have it as a decoy are others, inside and outside of the predicate.
    fits = inside <= n and x3 <= f and decoys <= (gamma - 1) * f and outside <= rows - n
    if rows % gamma or not fits:
        raise Unreadable("no table has a predicate with these counts")
    if gamma * f > MAX_OWNERS or (inside + 1) * (outside + 1) > MAX_PAIRS:
        raise Unreadable("the parameters are too large for a check in bounded time")
    _object(given, ("numerator",), "evidence")
    statement = (
        f"With gamma = {gamma}: where x3 = {x3} of the {n} records of a predicate carry a value, which "
        f"f = {f} of {rows} records carry and which {decoys} others of the predicate have among their "
        f"decoys, the corrected estimate of x3 is off by at least ({epsilon}) x3 with a probability of at "
        f"most {_BLANK}, which is exact or rounded up."
    )
    _framed(said, statement)
    low, high = (1 - epsilon) * x3, (1 + epsilon) * x3
    second, wrong = list(_plain_masses(gamma, outside, 0, outside)), 0
    for y3, mass in enumerate(_plain_masses(gamma, inside, 0, inside)):
        missed = 0
        for y1, other in enumerate(second):
            published = y3 + y1
            spread = rows - gamma * published
            raw = gamma * (rows - published) * y3 - n * (gamma - 1) * published
            top = min(max(raw, 0), n * spread)
            below = top * low.denominator <= low.numerator * spread
            above = top * high.denominator >= high.numerator * spread
            missed += other if spread <= 0 or below or above else 0
        wrong += mass * missed
    value = _decimal(wrong, gamma ** (gamma * f), up=True)
    return statement.replace(_BLANK, value), {"numerator": f"{wrong:x}"}


def _utility_threshold(parameters: dict[str, Any], evidence: object, said: object) -> _Answer:
    law, t_f = _law(parameters), _whole(parameters, "t_f", 1)
    epsilon, t_e = _fraction(parameters, "epsilon"), _fraction(parameters, "t_e")
    given = _object(evidence, ("violation", "ends", "tail"), "evidence")
    tail = _object(given["tail"], ("from", "upper", "lower"), "evidence.tail")
    start = _hex(tail["from"], "evidence.tail.from")
    if start < 1 or t_e > 1:
        raise Unreadable("evidence.tail.from must be at least 1, and parameters.t_e at most 1")
    draws = _draws(parameters)
    if draws is not None and (draws[0] != "capped" or max(start, t_f) > draws[1] + 1):
        raise Unreadable(
            "with draws there is this claim for capped ones only, its tail from the cap or below"
        )
    gap = max(start - t_f, 0)
    refuse_if_too_large(law, max(start, t_f), epsilon, min(gap, math.floor(epsilon * gap) + 1))

    if t_f > 1 and isinstance(given["violation"], dict):
        _object(given["violation"], ("f", "first", "last", "numerator"), "evidence.violation")
    _require_entries_readable(given["ends"], "evidence.ends")
    extremes = (("upper", law.gamma - 1), ("lower", 1))
    needed = [side for side, extreme in extremes if epsilon <= extreme and t_e < 1]
    tilts = {side: _tilt(tail[side], f"evidence.tail.{side}") for side in needed}

    runs, f = [], math.floor(_error(t_f, epsilon) / epsilon)  # the last count with the same j
    while f < start:
        runs.append(f)
        f = math.floor(_error(f + 1, epsilon) / epsilon)
    claimed_ends = _as_long(given["ends"], runs, "evidence.ends")
    words = f"of at most {t_e} for every count f >= {t_f}"
    words += f", and above {t_e} at f = {t_f - 1}" if t_f > 1 else ""
    statement = f"{_setting(law, _draws_phrase(draws))}: |f' - f| >= ({epsilon}) f has a probability {words}."
    _framed(said, statement)

    # From tail_from on. Where a side has no values, or t_e is 1, there is nothing to prove.
    sides: dict[str, Any] = {"from": f"{start:x}", "upper": None, "lower": None}
    at_most = Fraction(0)
    for side, tilt in tilts.items():
        sides[side], bound = _chernoff(law, start, epsilon, side, tilt)
        at_most += bound
    if at_most > t_e:
        raise _Refuted(f"the Chernoff bound from f = {start} on is above {t_e}")

    # At t_f - 1.
    violation = None
    if t_f > 1:
        f, j = t_f - 1, _error(t_f - 1, epsilon)
        top = _numerator(law, f, j)
        if top * t_e.denominator <= t_e.numerator * law.whole(f):
            raise _Refuted(f"at f = {f} the probability is not above {t_e}, so that {t_f} is not the least")
        violation = {**_window(law.gamma, f, j), "numerator": f"{top:x}"}

    # From t_f to tail_from - 1. A run that ends later is bounded by its end, which Chernoff bounds.
    ends = []
    for number, f in enumerate(runs):
        j = _error(f, epsilon)
        m, s = _bound(law, f, j, up=True)
        ends.append(_entry(law.gamma, f, j, (m, s)))
        _compare(claimed_ends[number], ends[-1], f"evidence.ends[{number}]")
        # Rounded up it may be just above t_e and the true value not: then the numerator decides.
        if m * t_e.denominator > t_e.numerator << s:
            top = _numerator(law, f, j)
            if top * t_e.denominator > t_e.numerator * law.whole(f):
                raise _Refuted(f"at f = {f} the probability is above {t_e}")
    return statement, {"violation": violation, "ends": ends, "tail": sides}


def _tilt(entry: object, where: str) -> tuple[int, int]:
    """Return the numerator and the denominator of a tilt."""
    given = _object(entry, ("numerator", "denominator", "mantissa", "shift"), where)
    p, q = (_hex(given[name], f"{where}.{name}") for name in ("numerator", "denominator"))
    if q < 1 or math.gcd(p, q) != 1:
        raise Unreadable(f"{where}: the tilt is not a fraction in lowest terms")
    return p, q


def _chernoff(
    law: _Law, start: int, epsilon: Fraction, side: str, tilt: tuple[int, int]
) -> tuple[dict[str, str], Fraction]:
    """Return the entry of one side of the tail, and the mean of z^(f' - k) at f = F for its z = p/q."""
    where, (p, q) = f"the {side} tail", tilt
    k = math.floor((1 + epsilon) * start) if side == "upper" else math.ceil((1 - epsilon) * start)
    if (p < q) if side == "upper" else (p > q or (p == 0 and k > 0)):
        raise _Refuted(f"{where}: the tilt is on the wrong side of 1, or 0 although epsilon is not 1")
    above, below = _power(q, k), _power(p, k)
    for chance, trials in (
        (Fraction(law.u, law.w), start),
        (Fraction(law.s, law.t), (law.gamma - 1) * start),
    ):
        base = 1 + chance * Fraction(p - q, q)
        above = above.times(_power(base.numerator, trials))
        below = below.times(_power(base.denominator, trials))
    value = above.over(below)
    mantissa, shift = _rounded(value.high, 1, up=True)
    if (mantissa, shift) != _rounded(value.low, 1, up=True) or shift < value.exponent:
        raise _Refuted(f"{where}: the bound is far above 1, or {WORK} bits do not settle its rounding")
    shift -= value.exponent
    numbers = {"numerator": p, "denominator": q, "mantissa": mantissa, "shift": shift}
    return {name: f"{number:x}" for name, number in numbers.items()}, _upward(mantissa, shift)


def _upward(mantissa: int, shift: int) -> Fraction:
    """Return mantissa / 2^shift, or a number above it that compares with every t_e in the same way.

    A bound may be below 2^-(10^14), and its denominator larger than any memory. What is added here is below
    2^-7700, and a t_e of 400 digits is 0 or above 2^-1330. If the other bound has a shift above 4000, both
    together stay below 2^-3700; if not, it differs from t_e by 0 or by more than 2^-5400.
    """
    return Fraction(mantissa, 1 << min(shift, FINEST))


# ---- dependent draws within a group ---------------------------------------------------------------------


def _draws(parameters: dict[str, Any]) -> tuple[str, int] | None:
    """Return the name of the law of draws and its bound; None without the parameter."""
    if "draws" not in parameters:
        return None
    if "retention" in parameters:
        raise Unreadable("parameters: with draws the retention is 1/gamma, and left out")
    name, _, bound = _match(
        parameters["draws"], "(capped|all-or-none):[1-9][0-9]{0,11}", "parameters.draws"
    ).partition(":")
    return name, int(bound)


def _draws_phrase(draws: tuple[str, int] | None) -> str:
    return "" if draws is None else f"draws = {draws[0]}:{draws[1]}"


def _all_or_none_privacy(
    parameters: dict[str, Any], gamma: int, epsilon: Fraction, alpha: int, given: object, said: object
) -> _Answer:
    """Return the least errors of counts that are gamma times a binomial number of groups: of every count."""
    if "releases" in parameters:
        raise Unreadable("parameters: for all-or-none draws there is this claim for one release only")
    if alpha > MAX_RARE:
        raise Unreadable("the parameters are too large for a check in bounded time")
    for form, entry in _object(given, ("theorem_4", "definition_2"), "evidence").items():
        _object(entry, ("argmin", "numerator"), f"evidence.{form}")
    start = f"With gamma = {gamma} and draws = {parameters['draws']}, for every count f from 1 to {alpha}: "
    event = {
        form: f"|f' - f| {sign} ({epsilon}) f has a probability of at least "
        for form, sign in (("theorem_4", ">"), ("definition_2", ">="))
    }
    _framed(
        said, start + "; ".join(f"{each}{_BLANK}, least at f = {_BLANK}" for each in event.values()) + "."
    )
    evidence: dict[str, Any] = {}
    words = []
    for form, says in event.items():
        found = []
        for f in range(1, alpha + 1):
            j = _error(f, epsilon, strict=form == "theorem_4")
            first, last = max(0, (f - j) // gamma + 1), min(f, -(-(f + j) // gamma) - 1)  # chosen groups
            found.append((Fraction(gamma**f - _terms(gamma, f, first, last), gamma**f), f))
        least, argmin = min(found)
        numerator = int(least * gamma**argmin)
        evidence[form] = {"argmin": f"{argmin:x}", "numerator": f"{numerator:x}"}
        value = _decimal(numerator, gamma**argmin, up=False)
        words.append(f"{says}{value}, least at f = {argmin}")
    return f"{start}{'; '.join(words)}.", evidence


def _utility_bound(parameters: dict[str, Any], evidence: object, said: object) -> _Answer:
    law, t_f, draws = _law(parameters), _whole(parameters, "t_f", 1), _draws(parameters)
    epsilon, t_e = _fraction(parameters, "epsilon"), _fraction(parameters, "t_e")
    if draws is None or t_e > 1:
        raise Unreadable("parameters: there must be draws, and t_e must be at most 1")
    (name, bound), column = draws, ""
    values = _whole(parameters, "values", law.gamma) if "values" in parameters else None
    if (values is None and name != "capped") or (values is not None and t_f <= bound):
        raise Unreadable("parameters: all-or-none draws need values, and with values t_f is above the bound")
    if law.gamma > MAX_GROUP or t_f * law.gamma > MAX_NOISE or bound * (values or 1) > MAX_NOISE:
        raise Unreadable("the parameters are too large for a check in bounded time")
    given = _object(evidence, ("upper", "lower"), "evidence")
    tilts = {}
    for side, extreme in (("upper", law.gamma - 1), ("lower", 1)):
        if epsilon <= extreme:
            tilts[side] = _tilt(given[side], f"evidence.{side}")
            if max(tilts[side]).bit_length() > MAX_TILT or (values is not None and not tilts[side][0]):
                raise Unreadable(
                    f"evidence.{side}: a part of the tilt has more than {MAX_TILT} bits, or is 0 with values"
                )
    if values is not None:
        column = f", in a column of {values} values"
    statement = (
        f"{_setting(law, _draws_phrase(draws))}{column}, whatever the table: |f' - f| >= ({epsilon}) f has a "
        f"probability of at most {t_e} for every count f >= {t_f}."
    )
    _framed(said, statement)
    sides: dict[str, Any] = {"upper": None, "lower": None}
    at_most = Fraction(0)
    for side, tilt in tilts.items():
        if values is None:
            sides[side], part = _chernoff(law, t_f, epsilon, side, tilt)
        else:
            slots = bound * (values - 1) - (bound * (law.gamma - 1) if name == "capped" else 0)
            own = bound if name == "capped" else 0
            sides[side], part = _slots(law, name, own, slots, _error(t_f, epsilon), side, tilt)
        at_most += part
    if at_most > t_e:
        raise _Refuted(f"the bound at f = {t_f} is above {t_e}")
    return statement, sides


def _slots(
    law: _Law, name: str, own: int, slots: int, k: int, side: str, tilt: tuple[int, int]
) -> tuple[dict[str, str], Fraction]:
    """Return the entry of one side, and its bound: of z^(f' - f), times z^-k above and z^k below."""
    where, gamma, (p, q) = f"evidence.{side}", law.gamma, tilt
    if (p < q) if side == "upper" else (p > q):
        raise _Refuted(f"{where}: the tilt is on the wrong side of 1")
    z = Fraction(p, q)
    drawn = (1 + (z - 1) / gamma) ** gamma / z
    shift_by = _raised(min(z, 1 / z), k).times(_raised(drawn, own))
    found = []
    for u in range(1, gamma):
        value = shift_by.times(_raised(_share(gamma, u, name, z), -(-slots // (gamma - u))))
        mantissa, shift = _rounded(value.high, 1, up=True)
        if (mantissa, shift) != _rounded(value.low, 1, up=True) or shift < value.exponent:
            raise _Refuted(f"{where}: the bound is far above 1, or {WORK} bits do not settle its rounding")
        found.append((value.exponent - shift, mantissa))  # in the order of the bounds: mantissas are as long
    exponent, mantissa = max(found)
    entry = {"numerator": p, "denominator": q, "mantissa": mantissa, "shift": -exponent}
    return {each: f"{number:x}" for each, number in entry.items()}, _upward(mantissa, -exponent)


def _raised(base: Fraction, exponent: int) -> _Between:
    return _power(base.numerator, exponent).over(_power(base.denominator, exponent))


def _share(gamma: int, u: int, name: str, z: Fraction) -> Fraction:
    """Return the mean of z^(share - 1) of one of u slots that share the places that are left to them."""
    if name == "all-or-none":
        share, rest = divmod(gamma, u)
        mean = (u - rest) * z**share + rest * z ** (share + 1) + gamma - u
        return mean / (gamma * z)
    total = Fraction(0)
    for left, weight in enumerate(_plain_shares(gamma, u)):
        share, rest = divmod(left, u)
        total += weight * ((u - rest) * z**share + rest * z ** (share + 1))
    return Fraction(total / (u * gamma**gamma * z))


def _plain_shares(gamma: int, u: int) -> list[int]:
    """Return how many of the gamma^gamma draws of a group fall 0 .. gamma times on u of its slots."""
    return [math.comb(gamma, left) * u**left * (gamma - u) ** (gamma - left) for left in range(gamma + 1)]


# ---- retention replacement --------------------------------------------------------------------------


def _levels(parameters: dict[str, Any]) -> tuple[Fraction, Fraction, Fraction, int]:
    """Return the retention, rho1, rho2 and the number of values."""
    p, low, high = (_fraction(parameters, name) for name in ("retention", "rho1", "rho2"))
    if p > 1 or low == 0 or low >= high or high >= 1:
        raise Unreadable("parameters: retention must be at most 1, and 0 < rho1 < rho2 < 1")
    return p, low, high, _whole(parameters, "values", 2)


def _prior(parameters: dict[str, Any], values: int) -> list[int]:
    """Return the counts of a prior, all above 0; values that are left out have none."""
    text = _match(parameters["counts"], "[1-9][0-9]{0,11}( [1-9][0-9]{0,11})*", "parameters.counts")
    counts = [int(each) for each in text.split(" ")]
    if len(counts) > values or len(counts) > MAX_VALUES:
        raise Unreadable(f"parameters.counts must have at most {MAX_VALUES} counts, one for a value")
    return counts


def _replacement(p: Fraction, values: int) -> str:
    return f"With retention = {p} and replacements drawn uniformly from {values} values"


def _posterior(p: Fraction, values: int, seen: int, weight: int, total: int) -> Fraction:
    """Return the posterior of a set of ``weight`` records, ``seen`` of which have the published value."""
    other = (1 - p) / values
    return (p * seen + other * weight) / (p * seen + other * total)


def _breach(parameters: dict[str, Any], evidence: object, _: object) -> _Answer:
    p, low, high, values = _levels(parameters)
    counts = _prior(parameters, values)
    given = _object(evidence, ("secret", "observed"), "evidence")
    if not isinstance(given["secret"], list):
        raise Unreadable("evidence.secret must be a list of places of the counts")
    secret = [_hex(each, "evidence.secret") for each in given["secret"]]
    observed = _hex(given["observed"], "evidence.observed")
    if sorted({place for place in secret if place < len(counts)}) != secret:
        raise _Refuted("evidence.secret is not an ascending list of places of the counts")
    if observed not in secret:
        raise _Refuted("evidence.observed is not a place of the secret")
    weight, total = sum(counts[place] for place in secret), sum(counts)
    prior, posterior = Fraction(weight, total), _posterior(p, values, counts[observed], weight, total)
    if prior > low:
        raise _Refuted(f"the set has a prior of {prior}, above rho1 = {low}")
    if posterior < high:
        raise _Refuted(f"the set has a posterior of {posterior}, below rho2 = {high}")
    named = ", ".join(str(place + 1) for place in secret)
    statement = (
        f"{_replacement(p, values)}: where the values have the counts {parameters['counts']}, seeing value "
        f"{observed + 1} lifts the belief in one of the values {named} from {prior}, at most {low}, to "
        f"{posterior}, at least {high}."
    )
    return statement, {"secret": [f"{place:x}" for place in secret], "observed": f"{observed:x}"}


def _safe(parameters: dict[str, Any], evidence: object, _: object) -> _Answer:
    p, low, high, values = _levels(parameters)
    largest = _object(evidence, ("largest",), "evidence")["largest"]
    _object(largest, ("numerator", "denominator"), "evidence.largest")
    if "counts" in parameters:
        counts = _prior(parameters, values)
        found = _largest_posterior(p, values, counts, math.floor(low * sum(counts)))
        if found >= high:
            raise _Refuted(f"a set of values has a posterior of {found}, not below {high}")
        words = (
            f"where the values have the counts {parameters['counts']}, what is published lifts the belief in "
            f"no set of values from at most {low} to more than {found}, below {high}"
        )
    else:
        least = high * (1 - low) / (low * (1 - high))
        if p == 1 or 1 + p * values / (1 - p) >= least:
            raise _Refuted(f"the amplification is not below {least}")
        found = 1 + p * values / (1 - p)
        words = (
            f"what is published has an amplification of {found}, below the {least} from which on some prior "
            f"lets it lift a belief from at most {low} to at least {high}"
        )
    ends = {"numerator": f"{found.numerator:x}", "denominator": f"{found.denominator:x}"}
    return f"{_replacement(p, values)}: {words}.", {"largest": ends}


def _largest_posterior(p: Fraction, values: int, counts: list[int], room: int) -> Fraction:
    """Return the largest posterior of a set with at most ``room`` records; 0 if no value fits."""
    small, total = [count for count in counts if count <= room], sum(counts)
    if len(set(small)) * len(small) * room > MAX_SUMS:
        raise Unreadable("the parameters are too large for a check in bounded time")
    largest = Fraction(0)
    for own in set(small):
        others, left, sums = list(small), room - own, 1  # the bits of the sums that the others reach
        others.remove(own)
        for count in others:
            sums |= (sums << count) & ((2 << left) - 1)
        largest = max(largest, _posterior(p, values, own, own + sums.bit_length() - 1, total))
    return largest


def _sample_size(parameters: dict[str, Any], evidence: object, _: object) -> _Answer:
    p, share, delta = (_fraction(parameters, name) for name in ("retention", "share", "delta"))
    epsilon, rows = _fraction(parameters, "epsilon"), _whole(parameters, "rows", 1)
    if not 0 < p < 1 or not 0 < share < 1 or not 0 < delta < 1:
        raise Unreadable("parameters: retention, share and delta must be above 0 and below 1")
    given = _object(evidence, ("violation", "bound"), "evidence")
    start = _hex(_object(given["bound"], ("from",), "evidence.bound")["from"], "evidence.bound.from")
    violating: dict[str, Any] = {}
    if rows > 1:
        violating = _object(given["violation"], ("count", "first", "last", "numerator"), "evidence.violation")
        if _hex(violating["count"], "evidence.violation.count") > rows - 1:
            raise Unreadable(f"evidence.violation.count is above {rows - 1} rows")
        _refuse_long_sum(rows - 1, int(violating["count"], 16), p, share, epsilon)
    if not _reaches(2 * start * (p * epsilon) ** 2, 2 / delta):
        raise _Refuted(f"Hoeffding's bound is not proved to be at most {delta} at {start} rows")
    statement = (
        f"With retention = {p} and a share of {share} of the replacements: from {start} rows on, the "
        f"estimate of a share is off by at least {epsilon} with a probability of at most {delta}, whatever "
        f"the true count"
    )
    violation = None
    if rows > 1:
        n, count = rows - 1, int(violating["count"], 16)
        violation = {"count": f"{count:x}", **_missed(n, count, p, share, epsilon, delta)}
        statement += f"; with {n} rows, {count} of them counted, it is above {delta}"
    return f"{statement}.", {"violation": violation, "bound": {"from": f"{start:x}"}}


def _chances(p: Fraction, share: Fraction) -> tuple[Fraction, Fraction]:
    """Return the chances of a record that satisfies the predicate, and of any other, to be counted."""
    return p + (1 - p) * share, (1 - p) * share


def _correct(n: int, count: int, p: Fraction, share: Fraction, epsilon: Fraction) -> tuple[int, int]:
    """Return the least and the largest published count that is no error."""
    own, other = _chances(p, share)
    mean, apart = count * own + (n - count) * other, p * epsilon * n
    return max(0, math.floor(mean - apart) + 1), min(n, math.ceil(mean + apart) - 1)


def _refuse_long_sum(n: int, count: int, p: Fraction, share: Fraction, epsilon: Fraction) -> None:
    """Raise if the probability of an error in ``n`` rows would take too long to compute."""
    own, other = (chance.denominator for chance in _chances(p, share))
    bits = count * own.bit_length() + (n - count) * other.bit_length()
    digits = 1 + (own.bit_length() + other.bit_length() + n.bit_length()) // 30
    last = _correct(n, count, p, share, epsilon)[1]
    if n > MAX_TRIALS or bits > MAX_BITS or bits * digits * (last + 2) > MAX_SUMMED:
        raise Unreadable("the parameters are too large for a check in bounded time")


def _missed(
    n: int, count: int, p: Fraction, share: Fraction, epsilon: Fraction, delta: Fraction
) -> dict[str, str]:
    """Return the published counts that are no error, and the numerator of all others: it is above delta."""
    own, other = _chances(p, share)
    first, last = _correct(n, count, p, share, epsilon)
    whole = own.denominator**count * other.denominator ** (n - count)
    top = whole
    for k, term in zip(range(last + 1), _masses((count, own), (n - count, other)), strict=False):
        top -= term if k >= first else 0
    if top * delta.denominator <= delta.numerator * whole:
        raise _Refuted(f"with {n} rows, {count} of them counted, the probability is not above {delta}")
    return {"first": f"{first:x}", "last": f"{last:x}", "numerator": f"{top:x}"}


def _reaches(x: Fraction, level: Fraction) -> bool:
    """Return whether e^x is shown to be at least ``level``: by its series, rounded down."""
    if x > MAX_EXPONENT:
        return True  # no level has so many digits
    term = total = 1 << WORK
    k = 0
    while term:
        k += 1
        term = term * x.numerator // (k * x.denominator)
        total += term
    return total * level.denominator >= level.numerator << WORK


def _d_gamma(parameters: dict[str, Any], given: object, said: object) -> _Answer:
    alpha, beta, d, gamma = (_fraction(parameters, name) for name in _TUPLES)
    kept = alpha + beta
    if alpha == 0 or kept > 1:
        raise Unreadable("parameters.alpha must be above 0, and alpha + beta at most 1")
    if d == 0 or d > gamma or gamma >= 1:
        raise Unreadable("parameters.d must be above 0 and at most gamma, and gamma below 1")
    for name, sides in _object(given, ("published", "unpublished"), "evidence").items():
        _object(sides, ("left", "right"), f"evidence.{name}")
    statement = (
        f"With alpha = {alpha} and beta = {beta}, the alpha-beta algorithm is ({d}, {gamma})-private: for "
        f"every prior of a tuple above 0 and at most {d}, tuples independent, its posterior is at most "
        f"{gamma}, and at least {d / gamma} times the prior."
    )
    _framed(said, statement)
    scale = alpha.denominator * beta.denominator * d.denominator * gamma.denominator
    evidence = {}
    for name, left, right in (
        ("published", beta * gamma * (1 - d), kept * d * (1 - gamma)),
        ("unpublished", (1 - kept) * gamma, (1 - beta) * d),
    ):
        if left < right:
            raise _Refuted(f"the condition on a {name} tuple does not hold")
        evidence[name] = {"left": f"{int(left * scale):x}", "right": f"{int(right * scale):x}"}
    return statement, evidence


# ---- operators --------------------------------------------------------------------------------------


class _Operator(NamedTuple):
    """The parameters of the claim optimal-operator."""

    counts: list[int]
    low: Fraction
    high: Fraction
    keep: str
    against: str

    @property
    def room(self) -> int:
        return math.floor(self.low * sum(self.counts))

    @property
    def ratio(self) -> Fraction:
        return self.high * (1 - self.low) / (self.low * (1 - self.high))


def _optimal_operator(parameters: dict[str, Any], evidence: object, _: object) -> _Answer:
    low, high = _fraction(parameters, "rho1"), _fraction(parameters, "rho2")
    if not 0 < low < high < 1:
        raise Unreadable("parameters: 0 < rho1 < rho2 < 1")
    required = _Operator(
        _prior(parameters, MAX_VALUES), low, high,
        _match(parameters["keep"], "share|mean|least", "parameters.keep"),
        _match(parameters["against"], "any|values|sets", "parameters.against"),
    )  # fmt: skip
    given = _object(evidence, ("denominator", "matrix", "scale", "weights", "rows", "prices"), "evidence")
    unit, scale = (_whole_of(given[name], f"evidence.{name}") for name in ("denominator", "scale"))
    matrix = [
        _wholes(row, required.counts, f"evidence.matrix[{number}]")
        for number, row in enumerate(_sized(given["matrix"], required.counts, "evidence.matrix"))
    ]
    weights = _wholes(given["weights"], required.counts, "evidence.weights")
    rows = _wholes(given["rows"], required.counts, "evidence.rows", signed=True)
    prices = _prices(given["prices"])
    largest = _largest_gains(required, matrix)
    _require_places(required, prices)
    if unit == 0 or scale == 0 or any(sum(row) != unit for row in matrix):
        raise _Refuted("a row of evidence.matrix does not add up to evidence.denominator")
    _require_admitted(required, matrix, largest)
    kept = _require_weights(required, matrix, weights, unit, scale)
    if Fraction(sum(rows), scale) != kept:
        raise _Refuted(f"evidence.rows do not add up to what the matrix keeps, {kept}")
    if required.against == "any":
        _require_columns(required, weights, rows)
    else:
        _require_entries(required, weights, rows, prices)
    digest = hashlib.sha256(json.dumps(evidence, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    whose = {
        "any": "under any prior no belief",
        "values": "under this prior no belief in a single value",
        "sets": "under this prior no belief in a set of values",
    }[required.against]
    what = {
        "share": "the share of the records that are published with their own value",
        "mean": "the mean of the diagonal",
        "least": "the least entry of the diagonal",
    }[required.keep]
    statement = (
        f"Where the values have the counts {parameters['counts']}, of all operators that lift {whose} from "
        f"at most {low} to more than {high}, the one of the evidence is one with the largest value of "
        f"{what}, {kept}; the digest of the evidence is {digest}."
    )
    return statement, given


def _largest_gains(required: _Operator, matrix: list[list[int]]) -> list[int]:
    """Return the largest gain of a set for each column; nothing against any prior."""
    left, largest = MAX_SETS, []
    for column in zip(*matrix, strict=True) if required.against != "any" else ():
        seen = [count * entry for count, entry in zip(required.counts, column, strict=True)]
        small = [pair for pair in zip(required.counts, seen, strict=True) if pair[0] <= required.room]
        if required.against == "values":
            largest.append(max((gain for _, gain in small), default=0))
        else:
            gain, left = _largest_gain(small, required.room, left)
            largest.append(gain)
    return largest


def _require_admitted(required: _Operator, matrix: list[list[int]], largest: list[int]) -> None:
    """Raise unless no belief rises above rho2."""
    for number, column in enumerate(zip(*matrix, strict=True)):
        if required.against == "any":
            if max(column) > required.ratio * min(column):
                raise _Refuted(f"entries of column {number + 1} differ by a factor above {required.ratio}")
            continue
        seen = sum(count * entry for count, entry in zip(required.counts, column, strict=True))
        if largest[number] > required.high * seen:
            raise _Refuted(f"seeing value {number + 1} lifts a belief above {required.high}")


def _largest_gain(items: list[tuple[int, int]], room: int, left: int) -> tuple[int, int]:
    """Return the largest sum of gains of items whose weights fit, and the remaining work."""
    reached = [(0, 0)]  # by ascending weight and gain
    for weight, gain in items:
        left -= len(reached)
        if left < 0:
            raise Unreadable("the parameters are too large for a check in bounded time")
        more = [(total + weight, sum_ + gain) for total, sum_ in reached if total + weight <= room]
        merged: list[tuple[int, int]] = []
        for pair in sorted(reached + more, key=lambda each: (each[0], -each[1])):
            if not merged or pair[1] > merged[-1][1]:
                merged.append(pair)
        reached = merged
    return reached[-1][1], left


def _require_weights(
    required: _Operator, matrix: list[list[int]], weights: list[int], unit: int, scale: int
) -> Fraction:
    """Return the objective of the matrix; raise unless the weights are those of the objective, or free."""
    diagonal = [row[place] for place, row in enumerate(matrix)]
    if sum(weights) != scale:
        raise _Refuted("evidence.weights do not add up to evidence.scale")
    if required.keep == "least":
        return Fraction(min(diagonal), unit)
    named = required.counts if required.keep == "share" else [1] * len(diagonal)
    if any(weight * sum(named) != each * scale for weight, each in zip(weights, named, strict=True)):
        raise _Refuted("evidence.weights are not those of the objective")
    kept = sum(weight * entry for weight, entry in zip(weights, diagonal, strict=True))
    return Fraction(kept, unit * scale)


def _require_columns(required: _Operator, weights: list[int], rows: list[int]) -> None:
    """Raise unless the row multipliers bound every matrix of a bounded amplification."""
    ratio = required.ratio
    gained, paid = sum(-each for each in rows if each < 0), sum(each for each in rows if each > 0)
    for place, (weight, row) in enumerate(zip(weights, rows, strict=True)):
        short = weight - row
        above = gained - max(-row, 0) + max(short, 0)
        below = paid - max(row, 0) + max(-short, 0)
        if above * ratio.numerator > below * ratio.denominator:
            raise _Refuted(f"the multipliers do not balance in column {place + 1}")


def _require_entries(
    required: _Operator, weights: list[int], rows: list[int], prices: list[tuple[int, list[int], int]]
) -> None:
    """Raise unless row multipliers and prices bound every matrix that is admitted under the prior."""
    size = len(rows)
    high, own = required.high, [[0] * size for _ in rows]
    every = [0] * size
    for published, secret, amount in prices:
        if sum(required.counts[place] for place in secret) > required.room:
            raise _Refuted(f"a set with a prior above {required.low} has a price")
        if required.against == "values" and len(secret) != 1:
            raise _Refuted("a set of several values has a price")
        every[published] += amount
        for place in secret:
            own[place][published] += amount
    for place, row in enumerate(rows):
        for published in range(size):
            paid = own[place][published] * high.denominator - every[published] * high.numerator
            gain = weights[place] if place == published else 0
            if (row - gain) * high.denominator + required.counts[place] * paid < 0:
                raise _Refuted(f"the multipliers leave the entry {place + 1}, {published + 1} open")


def _prices(given: object) -> list[tuple[int, list[int], int]]:
    """Return the published value, the places of the set and the price of each set that has one."""
    if not isinstance(given, list):
        raise Unreadable("evidence.prices must be a list")
    found = []
    for number, entry in enumerate(given):
        where = f"evidence.prices[{number}]"
        each = _object(entry, ("published", "secret", "amount"), where)
        if not isinstance(each["secret"], list):
            raise Unreadable(f"{where}.secret must be a list of places of the counts")
        secret = [_whole_of(place, f"{where}.secret") for place in each["secret"]]
        published = _whole_of(each["published"], f"{where}.published")
        found.append((published, secret, _whole_of(each["amount"], f"{where}.amount")))
    return found


def _require_places(required: _Operator, prices: list[tuple[int, list[int], int]]) -> None:
    """Raise unless prices are on sets of the counts, and there are none against any prior."""
    if required.against == "any" and prices:
        raise _Refuted("evidence.prices has entries, and against any prior there are none")
    size = len(required.counts)
    for number, (published, secret, _) in enumerate(prices):
        if published >= size or not secret or secret != sorted(set(secret)) or secret[-1] >= size:
            raise _Refuted(
                f"evidence.prices[{number}] does not name places of the counts, in ascending order"
            )


def _wholes(given: object, counts: list[int], where: str, *, signed: bool = False) -> list[int]:
    return [_whole_of(each, where, signed=signed) for each in _sized(given, counts, where)]


def _sized(given: object, counts: list[int], where: str) -> list[Any]:
    if not isinstance(given, list) or len(given) != len(counts):
        raise Unreadable(f"{where} must be a list with an entry for each of the counts")
    return given


def _whole_of(given: object, where: str, *, signed: bool = False) -> int:
    """Return an integer in its one hexadecimal spelling: no leading zeros, no -0, few enough digits."""
    return int(_match(given, "0|" + ("-?" if signed else "") + "[1-9a-f][0-9a-f]{0,1999}", where), 16)


# ---- reading and comparing ------------------------------------------------------------------------

_ENTRY = ("f", "first", "last", "mantissa", "shift")
_CONCEPT = ("rows", "sensitive_count", "predicate_count", "concept_count", "decoys_in_predicate")
_TUPLES = ("alpha", "beta", "d", "gamma")
_Compute = Callable[[dict[str, Any], object, object], _Answer]  # of parameters, evidence and statement
_CLAIMS: dict[str, tuple[tuple[str, ...], tuple[str, ...], _Compute]] = {  # parameters, and those left out
    "small-sum-privacy": (
        ("gamma", "epsilon", "alpha"),
        ("retention", "releases", "draws"),
        _small_sum_privacy,
    ),
    "error-probability": (("gamma", "epsilon", "frequency"), ("retention", "draws"), _error_probability),
    "utility-threshold": (("gamma", "epsilon", "t_e", "t_f"), ("retention", "draws"), _utility_threshold),
    "utility-bound": (("gamma", "epsilon", "t_e", "t_f", "draws"), ("values",), _utility_bound),
    "concept-error": (("gamma", "epsilon", *_CONCEPT), (), _concept_error),
    "breach": (("retention", "values", "rho1", "rho2", "counts"), (), _breach),
    "safe": (("retention", "values", "rho1", "rho2"), ("counts",), _safe),
    "sample-size": (("retention", "share", "epsilon", "delta", "rows"), (), _sample_size),
    "d-gamma": (_TUPLES, (), _d_gamma),
    "optimal-operator": (("counts", "rho1", "rho2", "keep", "against"), (), _optimal_operator),
}


def _object(value: object, keys: Sequence[str], where: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(keys):
        raise Unreadable(f"{where} must be an object with the keys {', '.join(keys)} and no other")
    return value


def _match(value: object, pattern: str, where: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise Unreadable(f"{where} must be a string that matches {pattern}")
    return value


def _require_entries_readable(listed: object, where: str) -> None:
    """Raise ``Unreadable`` if an object in a list of computed entries has other keys than an entry."""
    for number, entry in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(entry, dict):
            _object(entry, _ENTRY, f"{where}[{number}]")


def _hex(value: object, where: str) -> int:
    return int(_match(value, "0|[1-9a-f][0-9a-f]{0,63}", where), 16)


def _whole(parameters: dict[str, Any], name: str, least: int) -> int:
    number = int(_match(parameters[name], "[1-9][0-9]{0,11}", f"parameters.{name}"))
    if number < least:
        raise Unreadable(f"parameters.{name} must be at least {least}")
    return number


def _law(parameters: dict[str, Any]) -> _Law:
    gamma = _whole(parameters, "gamma", 2)
    if "retention" not in parameters:
        return law_of(gamma, Fraction(1, gamma))
    retention = _fraction(parameters, "retention")
    if not 0 < retention < 1 or retention == Fraction(1, gamma):
        raise Unreadable("parameters.retention must be above 0, below 1 and other than 1/gamma")
    return law_of(gamma, retention)


def _fraction(parameters: dict[str, Any], name: str) -> Fraction:
    pattern = "0|[1-9][0-9]{0,399}(/[1-9][0-9]{0,399})?"
    text = _match(parameters[name], pattern, f"parameters.{name}")
    value = Fraction(text)
    if str(value) != text or (name == "epsilon" and value == 0):
        raise Unreadable(f"parameters.{name} is 0 or not in lowest terms")
    return value


def refuse_if_too_large(law: _Law, f: int, epsilon: Fraction, sums: int) -> None:
    """Raise if counts up to ``f`` and ``sums`` rounded probabilities would take too long to compute."""
    n = law.gamma * f
    reach = math.floor(epsilon * f) + 1
    bits, factor = _sizes(law, f)
    if law.plain:
        window = min(n, math.floor(2 * epsilon * f)) + 3
        # The ratios are below 1/(1+epsilon): so many terms at most until their product is below 2^-WORK.
        terms = 2 * min(400 + 28 * math.isqrt(f), math.floor(266 * (1 + epsilon) / epsilon) + 2)
        exact = bits > MAX_BITS or bits * window > MAX_EXACT
    else:
        terms = min(n, f + reach) + 1
        exact = bits > MAX_BITS or bits * terms * factor * (sums + 2) > MAX_SUMMED
    if n > MAX_TRIALS or exact or terms * sums > MAX_TERMS:
        raise Unreadable("the parameters are too large for a check in bounded time")


def _decimal(numerator: int, denominator: int, *, up: bool) -> str:
    """Return a probability rounded to twelve significant digits, with fewer only where that is exact."""
    if numerator == 0:
        return "0"
    bits = numerator.bit_length() - denominator.bit_length()
    place = (bits - 1) * 30103 // 100000 - 1  # of the first digit, or a place before it
    digits, rest = divmod(numerator * 10 ** (11 - place), denominator)
    while digits >= 10**12:
        digits, last = divmod(digits, 10)
        rest, place = rest | last, place + 1
    if up and rest:
        digits += 1
        if digits == 10**12:
            digits, place = digits // 10, place + 1
    text = str(digits) if rest else str(digits).rstrip("0")
    if -6 <= place < 0:
        return "0." + "0" * (-place - 1) + text
    return text[0] + ("." + text[1:] if text[1:] else "") + (f"e{place}" if place else "")


def _compare(found: object, computed: object, where: str) -> None:
    """Raise unless ``found`` is ``computed``; only as deep as ``computed`` is."""
    if isinstance(computed, dict):
        if not isinstance(found, dict):
            raise _Refuted(f"{where} is not what the arithmetic gives")
        entries = _object(found, tuple(computed), where)
        for key, value in computed.items():
            _compare(entries[key], value, f"{where}.{key}")
    elif isinstance(computed, list):
        for index, entry in enumerate(_as_long(found, computed, where)):
            _compare(entry, computed[index], f"{where}[{index}]")
    elif found != computed:
        raise _Refuted(f"{where} is not what the arithmetic gives")


def _framed(found: object, sentence: str) -> None:
    """Raise unless a statement is ``sentence``, whatever numbers stand for its blanks; before any work."""
    pattern = "[0-9.e-]{1,40}".join(re.escape(part) for part in sentence.split(_BLANK))
    if not isinstance(found, str) or not re.fullmatch(pattern, found):
        raise _Refuted("statement is not what the arithmetic gives")


def _as_long(found: object, computed: Sequence[object], where: str) -> list[Any]:
    """Return ``found``; raise unless it is a list as long as ``computed``."""
    if not isinstance(found, list):
        raise _Refuted(f"{where} is not what the arithmetic gives")
    if len(found) != len(computed):
        raise _Refuted(f"{where} has {len(found)} entries, and the arithmetic gives {len(computed)}")
    return found


def check(certificate: object) -> Verdict:
    """Check a certificate that has been read from JSON; raise ``Unreadable`` if it is not one."""
    keys = ("schema", "claim", "parameters", "statement", "evidence", "produced_by")
    top = _object(certificate, keys, "the certificate")
    claim = top["claim"]
    if top["schema"] != SCHEMA or not isinstance(claim, str) or claim not in _CLAIMS:
        raise Unreadable(f"schema and claim must be {SCHEMA} and one of {', '.join(_CLAIMS)}")
    for key, value in _object(top["produced_by"], ("version", "spec"), "produced_by").items():
        _match(value, "[0-9A-Za-z.+-]{1,64}", f"produced_by.{key}")
    names, more, compute = _CLAIMS[claim]
    if isinstance(top["parameters"], dict):
        names = (*names, *(name for name in more if name in top["parameters"]))
    _unspent.set(MAX_SUMMED)
    try:
        parameters = _object(top["parameters"], names, "parameters")
        statement, evidence = compute(parameters, top["evidence"], top["statement"])
        _compare(top["statement"], statement, "statement")
        _compare(top["evidence"], evidence, "evidence")
    except _Refuted as refuted:
        return Verdict(False, claim, str(refuted))
    return Verdict(True, claim, statement)


def check_text(text: str) -> Verdict:
    """Check a certificate given as JSON text; raise ``Unreadable`` if it is not one."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Unreadable(f"the certificate is longer than {MAX_BYTES} bytes")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise Unreadable("a key stands twice in the same object")
        return dict(pairs)

    def number(_: str) -> NoReturn:
        raise Unreadable("a number stands outside a string")

    try:
        certificate = json.loads(
            text, object_pairs_hook=unique, parse_int=number, parse_float=number, parse_constant=number
        )
    except Unreadable:
        raise
    except (ValueError, RecursionError):
        raise Unreadable("the file is not JSON, or nested too deeply") from None
    return check(certificate)


def main(argv: Sequence[str] | None = None) -> int:
    """Check the file named on the command line, print one line, and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    names = [argument for argument in arguments if argument != "--json"]
    try:
        if len(names) != 1:
            raise Unreadable("usage: python certificate_checker.py FILE [--json]")
        if not Path(names[0]).is_file():  # to open a pipe may wait for ever, and a device may have no end
            raise FileNotFoundError
        with Path(names[0]).open("rb") as file:
            verdict = check_text(file.read(MAX_BYTES + 1).decode())
        code, word = (0, "valid") if verdict.valid else (1, "false")
    except (OSError, ValueError, MemoryError) as error:
        reason = str(error) if isinstance(error, Unreadable) else f"no text can be read from {names[0]!a}"
        verdict, code, word = Verdict(False, "", reason), 2, "unreadable"
    if "--json" in arguments:
        answer = {"valid": verdict.valid, "claim": verdict.claim or None, "reason": verdict.reason}
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        sys.stdout.write(f"{word}: {verdict.reason}\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
