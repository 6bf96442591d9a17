"""Vectors of certificates that agree with themselves and say what is not so, and of a retention."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from splu_ref.certificates import error_certificate, privacy_certificate, threshold_certificate
from splu_ref.certificates.form import Certificate
from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.groups.certificates import PAGE, PRODUCER, tampered
from splu_ref.guarantees import ErrorProbability, error_offset, privacy_minimum, utility_threshold
from splu_ref.guarantees.plateaus import Plateaus
from splu_ref.guarantees.utility import UtilityThreshold

Document: TypeAlias = dict[str, Any]

UNSOUND = ("Unsound",)
SOUND_OR_NOT = ("tail-later", "upper-tilt-flat", "lower-tilt-flat")
"""Other witnesses than the producer's: whether they prove the claim is for the arithmetic to say."""


def groups() -> Iterator[Group]:
    """Yield the vector files of what a checker must find out by arithmetic."""
    about = "Thresholds that are too high, too low, or proved by a tail that is none."
    yield Group("certificate", "unsound-threshold", about, PAGE, tuple(_thresholds()))
    about = "Minima that are not the least, and errors of other parameters."
    yield Group("certificate", "unsound-minimum", about, PAGE, (*_minima(), *_dressed()))
    about = "Certificates with a retention, without the one they need, and with one they do not have."
    yield Group("certificate", "retention", about, PAGE, tuple(_retained()), {}, ("retention",))
    about = "Small and attained values, and statements about them."
    yield Group("certificate", "values", about, PAGE, tuple(_values()))


def certificate_case(name: str, certificate: Certificate | Document, *flags: str) -> Case:
    """Return the vector to be of a certificate, whoever produced it."""
    return Case(name, {"text": json.dumps({**certificate, "produced_by": PRODUCER})}, flags)


def _checked(found: UtilityThreshold) -> UtilityThreshold:
    """Return the claim with the number of ends that belongs to its threshold and tail."""
    plateaus = Plateaus(found.epsilon, found.tail_from, strict=False)
    ends = [plateaus.end(number) for number in range(len(plateaus))]
    return replace(found, checked=sum(found.threshold <= end < found.tail_from for end in ends))


def _thresholds() -> Iterator[Case]:
    for gamma, epsilon, t_e in ((3, "1/2", "1/10"), (2, "1/2", "1/20"), (5, "3/2", "1/20"), (2, "1", "1/8")):
        true = utility_threshold(gamma, epsilon, t_e)
        label = f"gamma-{gamma}-epsilon-{epsilon}".replace("/", "_")

        def made(name: str, true: UtilityThreshold = true, label: str = label, **changed: Any) -> Case:
            claimed = _checked(replace(true, **changed))
            parameters = (claimed.gamma, claimed.epsilon, claimed.t_e)
            flags = UNSOUND if changed and name not in SOUND_OR_NOT else ()
            return certificate_case(
                f"{label}-{name}", threshold_certificate(*parameters, found=claimed), *flags
            )

        least, tail = true.threshold, true.tail_from
        yield made("true")
        yield made("too-high", threshold=least + 1, tail_from=max(tail, least + 1))
        yield made("far-too-high", threshold=least + 7, tail_from=max(tail, least + 7))
        for below in (1, 2, 5):
            if least > below:
                yield made(f"too-low-by-{below}", threshold=least - below)
        if least > 1:
            yield made("from-1-on", threshold=1)
        if tail > least:
            yield made("tail-too-early", tail_from=least)
        yield made("tail-at-1", tail_from=1, threshold=1)
        yield made("tail-later", tail_from=tail + 9)
        upper, lower = true.upper_tilt, true.lower_tilt
        if upper is not None:
            yield made("upper-tilt-flat", upper_tilt=1 + (upper - 1) / 7)
        if lower:
            yield made("lower-tilt-flat", lower_tilt=1 - (1 - lower) / 7)
        honest = threshold_certificate(gamma, epsilon, t_e)
        for name, changed in (*_smaller_tails(honest), *_other_tilts(honest)):
            yield certificate_case(f"{label}-{name}", changed, *UNSOUND)


def _smaller_tails(honest: Certificate) -> Iterator[tuple[str, Document]]:
    """Yield a threshold with a tail that begins early, and numbers in it that would be small enough."""
    for side in ("upper", "lower"):
        document: Document = json.loads(json.dumps(honest))
        tail = document["evidence"]["tail"]
        if tail[side] is None:
            continue
        tail[side]["shift"] = f"{int(tail[side]['shift'], 16) + 40:x}"
        yield f"{side}-number-smaller", document
    document = json.loads(json.dumps(honest))
    ends = document["evidence"]["ends"]
    if ends:
        del ends[0]
        yield "an-end-left-out", document


def _other_tilts(honest: Certificate) -> Iterator[tuple[str, Document]]:
    """Yield tilts at 1, on the wrong side of it, and 0; the numbers stay, and no tail is bounded by them."""
    for side, tilts in {"upper": ("1/1", "1/2", "0/1"), "lower": ("1/1", "3/2", "0/1")}.items():
        for tilt in tilts:
            document: Document = json.loads(json.dumps(honest))
            sides = document["evidence"]["tail"]
            if sides[side] is None or (tilt == "0/1" and document["parameters"]["epsilon"] == "1"):
                continue
            sides[side]["numerator"], sides[side]["denominator"] = tilt.split("/")
            yield f"{side}-tilt-{tilt.replace('/', '_')}", document


def _minima() -> Iterator[Case]:
    for gamma, epsilon, alpha in ((5, "3/10", 12), (3, "1/4", 20), (2, "1", 5)):
        true = privacy_minimum(gamma, epsilon, alpha)
        label = f"gamma-{gamma}-epsilon-{epsilon}".replace("/", "_")
        yield certificate_case(f"{label}-true", privacy_certificate(gamma, epsilon, alpha))
        for strict, names in ((True, ("t_p", "argmin")), (False, ("t_p_definition", "argmin_definition"))):
            for other in {1, 2, alpha} - {getattr(true, names[1])}:
                offset = error_offset(true.epsilon, other, strict=strict)
                changed: dict[str, Any] = {
                    names[0]: ErrorProbability(true.law, other, offset),
                    names[1]: other,
                }
                claimed = privacy_certificate(gamma, epsilon, alpha, minimum=replace(true, **changed))
                yield certificate_case(f"{label}-{names[1].replace('_', '-')}-{other}", claimed, *UNSOUND)
        for form in ("theorem_4", "definition_2"):
            document: Document = json.loads(json.dumps(privacy_certificate(gamma, epsilon, alpha)))
            candidates = document["evidence"][form]["candidates"]
            if len(candidates) > 1:
                least = document["evidence"][form]["argmin"]
                kept = [each for each in candidates if each["f"] != least]
                document["evidence"][form]["candidates"] = kept
                yield certificate_case(
                    f"{label}-{form.replace('_', '-')}-without-the-least", document, *UNSOUND
                )
        document = json.loads(json.dumps(privacy_certificate(gamma, epsilon, alpha)))
        for form in document["evidence"].values():
            for each in form["candidates"]:
                each["mantissa"] = f"{int(each['mantissa'], 16) + 1:x}"
        yield certificate_case(f"{label}-rounded-up", document, *UNSOUND)
        document = json.loads(json.dumps(privacy_certificate(gamma, epsilon, alpha)))
        evidence = document["evidence"]
        evidence["definition_2"] = evidence["theorem_4"]
        yield certificate_case(f"{label}-one-form-twice", document, *UNSOUND)


def _dressed() -> Iterator[Case]:
    """Yield certificates of one claim in the words of another."""

    def dressed(certificate: Certificate, name: str, other: str) -> Document:
        own = certificate["parameters"][name]
        words = {
            "epsilon": f"({own})",
            "gamma": f"gamma = {own}",
            "frequency": f"f = {own}",
            "alpha": f"to {own}:",
        }
        said = {
            "epsilon": f"({other})",
            "gamma": f"gamma = {other}",
            "frequency": f"f = {other}",
            "alpha": f"to {other}:",
        }
        statement = certificate["statement"].replace(words[name], said[name])
        return {
            **certificate,
            "parameters": {**certificate["parameters"], name: other},
            "statement": statement,
        }

    error, privacy = error_certificate(3, "1/2", 8), privacy_certificate(3, "1/2", 8)
    for name, other in (("epsilon", "1/3"), ("epsilon", "3/4"), ("gamma", "2"), ("frequency", "7")):
        yield certificate_case(
            f"error-as-{name}-{other.replace('/', '_')}", dressed(error, name, other), *UNSOUND
        )
    for name, other in (
        ("epsilon", "1/3"),
        ("epsilon", "3/4"),
        ("gamma", "4"),
        ("alpha", "9"),
        ("alpha", "7"),
    ):
        yield certificate_case(
            f"minimum-as-{name}-{other.replace('/', '_')}", dressed(privacy, name, other), *UNSOUND
        )


def _retained() -> Iterator[Case]:
    made: dict[str, Certificate] = {
        "error": error_certificate(3, "1/2", 6, retention="1/2"),
        "minimum": privacy_certificate(3, "1/2", 7, retention="1/2"),
        "threshold": threshold_certificate(3, "1/2", "1/4", retention="1/2"),
        "error-of-low-retention": error_certificate(4, "3/10", 5, retention="1/10"),
        "minimum-of-low-retention": privacy_certificate(4, "1/3", 9, retention="1/10"),
        "threshold-of-high-retention": threshold_certificate(2, "1/2", "1/10", retention="4/5"),
    }
    for name, certificate in made.items():
        yield certificate_case(name, certificate)
        for change, changed in tampered({**certificate, "produced_by": PRODUCER}):
            yield Case(f"{name}-{change}", {"text": json.dumps(changed)}, ("Tampered",))
        parameters = dict(certificate["parameters"])
        own = parameters.pop("retention")
        plain = (
            certificate["statement"]
            .replace(f" and retention = {own}", "")
            .replace(f", retention = {own}", "")
        )
        yield certificate_case(
            f"{name}-without", {**certificate, "parameters": parameters, "statement": plain}, *UNSOUND
        )
        for other in ("1/3", "1/4", "1/2", "1", "0", "2/4", "0.5", "3/2"):
            if other == own:
                continue
            statement = certificate["statement"].replace(f"retention = {own}", f"retention = {other}")
            claimed = {
                **certificate,
                "parameters": {**parameters, "retention": other},
                "statement": statement,
            }
            spelt = other in ("1", "0", "2/4", "0.5", "3/2", f"1/{parameters['gamma']}")
            flags = ("Unreadable",) if spelt else UNSOUND
            yield certificate_case(f"{name}-as-{other.replace('/', '_')}", claimed, *flags)
    plain_error = error_certificate(3, "1/2", 6)
    statement = plain_error["statement"].replace("gamma = 3 and", "gamma = 3, retention = 1/2 and")
    claimed = {
        **plain_error,
        "parameters": {**plain_error["parameters"], "retention": "1/2"},
        "statement": statement,
    }
    yield certificate_case("plain-error-as-1_2", claimed, *UNSOUND)


def _values() -> Iterator[Case]:
    for frequency in (9, 10, 11, 12, 40):
        yield certificate_case(f"small-{frequency}", error_certificate(2, 1, frequency))
    for gamma, epsilon, frequency in (
        (10, "3/10", 10),
        (2, "1/2", 2),
        (5, "1/5", 25),
        (3, "1000000", 2),
        (7, "1/7", 1),
    ):
        yield certificate_case(f"error-{gamma}-{frequency}", error_certificate(gamma, epsilon, frequency))
    for gamma, epsilon, frequency in ((3, "1/2", 7), (2, "3/4", 5), (4, "1", 6)):
        level = ErrorProbability(
            (true := privacy_minimum(gamma, epsilon, 1)).law, frequency, error_offset(true.epsilon, frequency)
        ).exact()
        yield certificate_case(
            f"attained-{gamma}-{frequency}", threshold_certificate(gamma, epsilon, level), "Limit"
        )
    # The probability at t_f - 1 attains t_e, or an end does: not above it, and so no violation.
    for gamma, epsilon, frequency in ((3, "1/2", 7), (2, "3/4", 5)):
        true_error = privacy_minimum(gamma, epsilon, 1)
        offset = error_offset(true_error.epsilon, frequency)
        level = ErrorProbability(true_error.law, frequency, offset).exact()
        found = utility_threshold(gamma, epsilon, level)
        claimed = _checked(
            replace(found, threshold=frequency + 1, tail_from=max(found.tail_from, frequency + 1))
        )
        unsound = threshold_certificate(gamma, epsilon, level, found=claimed)
        yield certificate_case(f"attained-below-{gamma}-{frequency}", unsound, "Limit", *UNSOUND)
    for gamma, epsilon, t_e in ((3, "1/2", "1/10"), (2, "1/2", "1/5")):
        base = utility_threshold(gamma, epsilon, t_e)
        level = _tail_bound(threshold_certificate(gamma, epsilon, t_e))
        found = utility_threshold(gamma, epsilon, level)
        tails: dict[str, Any] = {
            "tail_from": base.tail_from,
            "upper_tilt": base.upper_tilt,
            "lower_tilt": base.lower_tilt,
        }
        attained = threshold_certificate(gamma, epsilon, level, found=_checked(replace(found, **tails)))
        yield certificate_case(f"tail-attained-{gamma}", attained, "Limit", "Exact")


def _tail_bound(certificate: Document | Certificate) -> Fraction:
    """Return the sum of the two rounded numbers of a certificate's tail."""
    sides: Document = json.loads(json.dumps(certificate))["evidence"]["tail"]
    return sum(
        (
            Fraction(int(sides[side]["mantissa"], 16), 1 << int(sides[side]["shift"], 16))
            for side in ("upper", "lower")
        ),
        Fraction(0),
    )
