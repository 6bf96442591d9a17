"""An audit of claims as SARIF 2.1.0: every verdict at the line of its claim, for code-scanning services."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import quote

from splu_ref import __version__
from splu_ref.audit.claims import Verdict
from splu_ref.model import Json
from splu_ref.report.claims_model import AuditedClaim, ClaimsAudit

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
RULES = {
    Verdict.REFUTED: (
        "ClaimRefuted",
        "error",
        "The claim is false.",
        "Take the claim back, or promise the number that is given in its place.",
    ),
    Verdict.NARROWED: (
        "ClaimNarrowed",
        "warning",
        "The claim is false as stated and true for a part of what it speaks of.",
        "Restrict the claim to the part for which it is true.",
    ),
    Verdict.NOT_DECIDED: (
        "ClaimNotDecided",
        "none",
        "Neither the claim nor its contrary was shown.",
        "Promise what was shown, or claim less.",
    ),
    Verdict.CONFIRMED: (
        "ClaimConfirmed",
        "none",
        "The claim is true.",
        "Nothing needs to be done.",
    ),
}

_KINDS = {Verdict.CONFIRMED: "pass", Verdict.NOT_DECIDED: "open"}
"""Any other verdict is a failure. Only failures have a level."""


def sarif(audit: ClaimsAudit) -> bytes:
    """Return a SARIF log with one result per claim: of kind ``pass``, ``open`` or ``fail``."""
    log: dict[str, Json] = {
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "splu-ref",
                        "version": __version__,
                        "rules": [_rule(verdict) for verdict in RULES],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, uri(audit.file)) for each in audit.claims],
            }
        ],
    }
    return json.dumps(log, indent=2).encode("ascii") + b"\n"


def uri(path: str) -> str:
    """Return a path as SARIF wants it: relative to the working folder if it lies in it, else a file URI."""
    place = Path(path)
    if place.is_absolute() and place.is_relative_to(Path.cwd()):
        place = place.relative_to(Path.cwd())
    if place.is_absolute():
        return place.as_uri()
    return quote(os.fsencode(place.as_posix()))


def _rule(verdict: Verdict) -> Json:
    name, level, words, remedy = RULES[verdict]
    return {
        "id": _rule_id(verdict),
        "name": name,
        "shortDescription": {"text": words},
        "help": {"text": remedy},
        "defaultConfiguration": {"level": level},
    }


def _rule_id(verdict: Verdict) -> str:
    return f"claim-{verdict.replace(' ', '-')}"


def _result(each: AuditedClaim, file: str) -> Json:
    claim, finding = each.claim, each.finding
    _, level, _, _ = RULES[finding.verdict]
    quotes = [
        f"It repeats {quoted.id} ({quoted.title}), which is refuted: rely on {quoted.corrected_by}."
        for quoted in finding.quotes
    ]
    message = f"Claim {claim.id} is {finding.verdict}: {each.sentence}. Stated: {finding.stated}."
    return {
        "ruleId": _rule_id(finding.verdict),
        "ruleIndex": list(RULES).index(finding.verdict),
        "kind": _KINDS.get(finding.verdict, "fail"),
        "level": level,
        "message": {"text": " ".join([message, *quotes])},
        "locations": [
            {
                "physicalLocation": _place(file, claim.line, each.last_line),
                "logicalLocations": [{"name": claim.id, "kind": "object"}],
            }
        ],
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": _place(file, each.key_line, each.key_line),
                "message": {"text": f"The verdict turns on {finding.key}."},
            }
        ],
        "partialFingerprints": {"claim/v1": claim.id},
        "properties": {"certificate": each.path("decides"), "recompute": finding.recompute},
    }


def _place(file: str, first: int, last: int) -> Json:
    return {"artifactLocation": {"uri": file}, "region": {"startLine": first, "endLine": last}}
