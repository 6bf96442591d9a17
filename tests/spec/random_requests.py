"""Small random requests of every operation, in order or with one fault, from a seed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from random import Random
from typing import TypeAlias

Request: TypeAlias = dict[str, object]

NAMES = ("a", "b", "é", 'z, "q"', "")
FAULTS: tuple[object, ...] = (
    *(None, True, 1.0, -1, 0, 1, 2, 2**53, -(2**53), "", "x", "0", "1", "-1", "1/0", "1/2", "3", " 1", "1e2"),
    *(
        "9007199254740993",
        "0" * 401,
        "ab",
        "AB",
        "\ud800",
        [],
        {},
        [[]],
        [0],
        ["x"],
        [[0]],
        [["1/2"]],
        [None],
    ),
)
"""Values of which each is wrong for some field."""


def request_of(operation: str, seed: int) -> Request:
    """Return a request; about one in three has a field too few, a field too many, or a wrong value."""
    choice = Random(f"{operation} {seed}")
    request: Request = {"op": operation, **MAKERS[operation](choice)}
    fault = choice.randrange(9)
    name = choice.choice(sorted(request.keys() - {"op"}))
    if fault == 0:
        del request[name]
    elif fault == 1:
        request[name] = choice.choice(FAULTS)
    elif fault == 2:
        extra = choice.choice(("more", "tape", "retention", "draws", "bound", "unit"))
        request.setdefault(extra, choice.choice(FAULTS))
    return request


def _tape(choice: Random, size: int) -> str:
    """Return a tape, mostly long enough; with few different keys, so that items tie."""
    if choice.randrange(8) == 0:
        size = choice.randrange(size + 1)
    if choice.randrange(3) == 0:
        words = [bytes(4), b"\0\0\0\1", b"\xff\xff\xff\xff", b"\0\0\0\2"]
        return b"".join(choice.choice(words) for _ in range(size // 4 + 40)).hex()
    return choice.randbytes(size).hex()


def _codes(choice: Random, gamma: int = 2) -> list[int]:
    """Return codes, mostly of a table that can be published with this gamma."""
    if choice.randrange(6) == 0:
        return [choice.randrange(5) for _ in range(choice.randrange(1, 9))]
    values = gamma + choice.randrange(3)
    codes = [code for _ in range(choice.randrange(1, 4)) for code in choice.sample(range(values), gamma)]
    codes += choice.sample(range(values), choice.randrange(gamma))
    choice.shuffle(codes)
    return codes


def _exact(choice: Random, text: tuple[str, ...]) -> str:
    return choice.choice(text)


RETENTIONS = (
    "1/2",
    "1/3",
    "2/3",
    "0.4",
    "3/4",
    "1",
    "1/4",
    "2/6",
    "7/9",
    "0",
    "-1/2",
    "5/4",
    "1/9223372036854775808",
)
METHODS = ("anatomy", "cyclic", "mixed", "anatomy", "cyclic", "mixed", "mixing")
LAWS = (
    "independent",
    "capped:1",
    "capped:2",
    "all-or-none:1",
    "all-or-none:2",
    "capped:0",
    "capped",
    "",
    "capped: 1",
)


def _splu_gen(choice: Random, *, laws: bool = True) -> Request:
    gamma = choice.choice((2, 2, 3, 3, 4, 1))
    request: Request = {"gamma": choice.choice((gamma, gamma, str(gamma))), "method": choice.choice(METHODS)}
    kind = choice.randrange(3)
    if kind == 1:
        request["retention"] = _exact(choice, RETENTIONS)
    if kind == 2 and laws:
        request["draws"] = choice.choice(LAWS)
    return request


def _gamma(request: Request) -> int:
    return max(2, int(str(request["gamma"])))


def _below(choice: Random) -> Request:
    bound = choice.choice((1, 2, 3, 5, 256, 257, 2**32, 2**53 + 1, 2**64 + 3, 10**30, 0))
    return {
        "bound": bound if bound < 2**53 else str(bound),
        "size": choice.randrange(6),
        "tape": _tape(choice, 120),
    }


def _items(choice: Random) -> Request:
    return {"size": choice.randrange(30), "tape": _tape(choice, 160)}


def _order(choice: Random) -> Request:
    return {"codes": [choice.randrange(3) for _ in range(choice.randrange(9))], "tape": _tape(choice, 80)}


def _subset(choice: Random) -> Request:
    return {
        "population": choice.choice((0, 1, 7, 300, 2**40)),
        "count": choice.randrange(8),
        "tape": _tape(choice, 60),
    }


def _seeded(choice: Random) -> Request:
    return {"seed": choice.randbytes(choice.randrange(5)).hex(), "size": choice.choice((0, 1, 31, 4097))}


def _key(choice: Random) -> str:
    keys = (bytes(32), bytes(range(32)), choice.randbytes(16) * 2, choice.randbytes(31))
    return choice.choice((*keys, *(choice.randbytes(32) for _ in range(12)))).hex()


def _key_file(choice: Random) -> Request:
    ends = (b"\n", b"\r\n", b"", b"\r", b"\n\n", b" ")
    line = choice.choice((b"splu-ref-key-1 ", b"splu-ref-key-1 ", b"splu-ref-key-2 "))
    digits = choice.choice((_key(choice), _key(choice), _key(choice).upper())).encode()
    return {"file": (line + digits + choice.choice(ends)).hex()}


def _identities(choice: Random, size: int) -> list[str]:
    found = [choice.randbytes(4).hex() for _ in range(size)]
    return found if choice.randrange(8) or size < 2 else [found[0], *found[:-1]]


def _context(choice: Random, size: int) -> Request:
    request: Request = {"columns": [choice.choice(NAMES) for _ in range(choice.randrange(3))]}
    request["records"] = [choice.randbytes(choice.randrange(3)).hex() for _ in range(size)]
    for name in ("id_column", "missing"):
        if choice.randrange(2):
            request[name] = choice.choice(NAMES)
    return request


def _release_key(choice: Random) -> Request:
    facts = [
        [name, choice.choice(NAMES)]
        for name in choice.sample(("gamma", "draws", "plan", "x"), choice.randrange(4))
    ]
    if facts and choice.randrange(8) == 0:
        facts.append(facts[0])
    parts = {
        "key": _key(choice),
        "mechanism": choice.choice(NAMES),
        "facts": facts,
        "sensitive": [choice.choice(NAMES)],
    }
    return {**parts, **_context(choice, choice.randrange(4))}


def _keyed(choice: Random) -> Request:
    size = choice.randrange(7)
    return {
        "release_key": _key(choice),
        "column": choice.choice(NAMES),
        "identities": _identities(choice, size),
        "codes": [choice.randrange(3) for _ in range(choice.choice((size, size, size, size + 1)))],
        "bound": choice.choice((1, 2, 5, 10**6)),
        "remainder": choice.randrange(size + 2),
    }


def _plan_secret(choice: Random) -> Request:
    return {
        "release_key": _key(choice),
        "column": choice.choice(NAMES),
        "block": choice.randrange(3),
        "size": 40,
    }


def _plan(choice: Random) -> Request:
    gamma = choice.choice((2, 3, 4, 1))
    codes = _codes(choice, max(2, gamma))
    if choice.randrange(5):
        codes = codes[: len(codes) - len(codes) % max(2, gamma)] or [0, 1]
    histogram = [codes.count(value) for value in range(max(codes) + choice.randrange(1, 3))]
    request: Request = {"histogram": histogram, "gamma": gamma, "method": choice.choice(METHODS)}
    if request["method"] == "mixed":
        request["tape"] = _tape(choice, 900)
    return request


def _draws(choice: Random) -> Request:
    request = _splu_gen(choice, laws=False)
    del request["method"]
    return {**request, "size": choice.randrange(6), "tape": _tape(choice, 80)}


def _publish(choice: Random) -> Request:
    request = _splu_gen(choice)
    return {**request, "sensitive": _codes(choice, _gamma(request)), "tape": _tape(choice, 1800)}


def _release(choice: Random) -> Request:
    request = _splu_gen(choice)
    codes = _codes(choice, _gamma(request))
    columns = [choice.sample(codes, len(codes)) for _ in range(choice.randrange(1, 4))]
    return {**request, "sensitive": columns, "tape": _tape(choice, 5000)}


def _publish_keyed(choice: Random) -> Request:
    request = _splu_gen(choice)
    codes = _codes(choice, _gamma(request))
    size = choice.choice((len(codes), len(codes), len(codes), len(codes) + 1))
    parts = {
        "key": _key(choice),
        "column": choice.choice(NAMES),
        "identities": _identities(choice, len(codes)),
    }
    return {**request, "sensitive": codes, **parts, **_context(choice, size)}


def _domains(choice: Random, *, laws: bool = False, distinct: bool = False) -> list[Request]:
    size, columns = choice.randrange(1, 5), []
    for number in range(choice.randrange(1, 3)):
        domain = choice.sample(("a", "b", "c", "é", ""), choice.randrange(2, 5))
        cells = [choice.choice(domain) for _ in range(size)]
        if distinct and number == 0 and size <= len(domain):
            cells = choice.sample(domain, size)
        column: Request = {
            "column": choice.choice(("v", "w", "a"))[:1] + str(number),
            "domain": domain,
            "cells": cells,
        }
        if laws:
            parts = [choice.randrange(3) for _ in domain[1:]]
            column["law"] = [f"{part}/{sum(parts) + 1}" for part in (1, *parts)]
        fault = choice.randrange(24)
        if fault == 0:
            column["domain"] = [*domain, domain[0]]
        elif fault == 1:
            column["more"] = 1
        elif fault == 2:
            del column[choice.choice(sorted(column))]
        elif fault == 3:
            column["op"] = "x"
        columns.append(column)
    return columns


def _retention(choice: Random) -> Request:
    replacing = choice.choice(("uniform", "given", "identity", "uniform", "given", "other"))
    request: Request = {
        "retention": _exact(choice, RETENTIONS),
        "replacing": replacing,
        "order": choice.choice(("kept", "shuffled", "kept", "shuffled", "reversed")),
        "sensitive": _domains(choice, laws=replacing == "given"),
    }
    if choice.randrange(2):
        request["unit"] = choice.choice(("cell", "record"))
    return request


def _publish_retention(choice: Random) -> Request:
    return {**_retention(choice), "tape": _tape(choice, 200)}


def _publish_retention_keyed(choice: Random) -> Request:
    request = _retention(choice)
    columns = request["sensitive"]
    assert isinstance(columns, list)
    cells = columns[0].get("cells", [])
    return {
        **request,
        "key": _key(choice),
        "identities": _identities(choice, len(cells)),
        **_context(choice, len(cells)),
    }


def _swap(choice: Random) -> Request:
    size = choice.randrange(1, 7)
    columns = [[choice.randrange(4) for _ in range(size)] for _ in range(choice.randrange(1, 3))]
    return {"sensitive": columns, "retention": _exact(choice, RETENTIONS), "tape": _tape(choice, 260)}


def _law(choice: Random, size: int) -> list[str]:
    parts = [choice.randrange(4) for _ in range(size - 1)]
    texts = [f"{part}/{sum(parts) + 1}" for part in (1, *parts)]
    if choice.randrange(30) == 0:
        texts[0] = choice.choice(("-1/2", "1", "2"))
    return choice.sample(texts, size)


def _matrix(choice: Random, columns: int | None = None) -> list[list[str]]:
    rows = choice.randrange(1, 5)
    return [_law(choice, columns or rows) for _ in range(rows)]


def _operator(choice: Random) -> Request:
    matrix = _matrix(choice)
    codes = [choice.randrange(len(matrix)) for _ in range(choice.randrange(1, 6))]
    order = choice.choice(("kept", "shuffled"))
    return {"sensitive": codes, "matrix": matrix, "order": order, "tape": _tape(choice, 80)}


def _pg(choice: Random) -> Request:
    size = choice.randrange(1, 12)
    quasi = [[choice.randrange(9) for _ in range(size)] for _ in range(choice.randrange(1, 4))]
    values = choice.randrange(2, 5)
    codes = [choice.randrange(values) for _ in range(choice.choice((size, size, size, size, size + 1)))]
    parts = {"least": choice.randrange(1, 4), "values": values, "retention": _exact(choice, RETENTIONS)}
    return {"sensitive": codes, "quasi": quasi, **parts, "tape": _tape(choice, 200)}


def _alpha_beta(choice: Random) -> Request:
    alpha = _exact(choice, ("1/4", "1/2", "1/3", "1", "0", "0.1", "1/9223372036854775808"))
    beta = _exact(choice, ("1/4", "0", "1/2", "1/3", "-1", "1/9223372036854775809"))
    sensitive = _domains(choice, distinct=True)
    if choice.randrange(6) == 0:  # more than 2**20 tuples, of which some fakes are published
        values = [f"{number:02}" for number in range(32)]
        sensitive = [
            {"column": f"c{number}", "domain": values, "cells": [values[number]]} for number in range(5)
        ]
        beta = _exact(choice, ("1/10000000", "1/5000000", "0", "1/123456789"))
    return {"sensitive": sensitive, "alpha": alpha, "beta": beta, "tape": _tape(choice, 400)}


def _two_tables(choice: Random) -> Request:
    request = _splu_gen(choice, laws=False)
    request.pop("retention", None)
    return {**request, "sensitive": _codes(choice, _gamma(request)), "tape": _tape(choice, 1800)}


def _distribution_based(choice: Random) -> Request:
    return {"sensitive": _codes(choice), "tape": _tape(choice, 200)}


def _noisy(choice: Random) -> Request:
    budget = _exact(
        choice, ("1", "1/2", "0.3", "7/3", "ln 2", "ln 3/2", "ln 1", "0", "-1", "ln", "ln  2", "5")
    )
    return {
        "counts": [choice.randrange(9) for _ in range(choice.randrange(4))],
        "budget": budget,
        "tape": _tape(choice, 900),
    }


CELLS = (
    "x",
    "y",
    "z",
    "",
    "NA",
    " ",
    "é",
    '"q"',
    '"a,b"',
    '"a""b"',
    '"',
    " NA ",
    "\u00a0",
    "nan",
    "\0",
    "\r",
)


def _file(choice: Random) -> Request:
    width, height = choice.randrange(1, 4), choice.choice((0, 1, 2, 3, 4, 5))
    cells = choice.choice((CELLS[:3], CELLS[:3], CELLS[:9], CELLS))
    rows = [[choice.choice(cells) for _ in range(width + (choice.randrange(60) == 0))] for _ in range(height)]
    header = ["a", "b", "c"][:width] if choice.randrange(20) else [choice.choice("ab") for _ in range(width)]
    end = choice.choice(("\n", "\r\n"))
    content = end.join([*(",".join(row) for row in [header, *rows]), ""]).encode()
    change = choice.randrange(12)
    content = {0: b"\xef\xbb\xbf" + content, 1: content.rstrip(), 2: content + b"\xff"}.get(change, content)
    name = choice.choice(("t.csv", "T.CSV", "t.csv.gz", "t.csv", "t.csv", "t.csv", "t.txt", "t.parquet"))
    packed = name.endswith(".gz") and choice.randrange(6)
    return {"name": name, "file": (gzip.compress(content, mtime=0) if packed else content).hex()}


def _column_codes(choice: Random) -> Request:
    request = {**_file(choice), "column": choice.choice("aaaaab")}
    return {**request, "missing": choice.choice(("", "?", "x"))} if choice.randrange(2) else request


def _identify(choice: Random) -> Request:
    request = _file(choice)
    return {**request, "id_column": choice.choice("aaaaab")} if choice.randrange(2) else request


def _counts(choice: Random) -> Request:
    rows = choice.randrange(2, 30)
    inside, published = choice.randrange(rows + 1), choice.randrange(max(1, rows // 2))
    both = choice.randrange(min(inside, published) + 1)
    counts = {"rows": rows, "predicate_count": inside, "published_count": published, "both_count": both}
    return {**counts, "gamma": choice.randrange(1, 6)}


def _estimate(choice: Random) -> Request:
    if choice.randrange(2):
        return {"method": choice.choice(("exact", "exact", "exact", "other")), **_counts(choice)}
    request: Request = {
        "method": "mle",
        "published_count": choice.randrange(50),
        "gamma": choice.randrange(1, 6),
    }
    return {**request, "bound": choice.randrange(60)} if choice.randrange(2) else request


def _conjunction(choice: Random) -> Request:
    request = _counts(choice)
    return {**request, "retention": _exact(choice, RETENTIONS[:10])} if choice.randrange(2) else request


def _interval(choice: Random) -> Request:
    confidence = _exact(choice, ("0.95", "1/2", "9/10", "0", "1", "99/100"))
    return {
        "published_count": choice.randrange(12),
        "gamma": choice.randrange(1, 5),
        "confidence": confidence,
    }


def _transition(choice: Random) -> Request:
    if choice.randrange(2):
        request: Request = {
            "model": "two-state",
            "gamma": choice.randrange(1, 5),
            "rows": choice.randrange(1, 30),
        }
        request["frequency"] = choice.randrange(7)
    else:
        request = _plan(choice)
        request.pop("tape", None)
        request["model"] = choice.choice(("per-value", "per-value", "per-record"))
    return {**request, "retention": _exact(choice, RETENTIONS[:10])} if choice.randrange(2) else request


def _channel(choice: Random) -> Request:
    matrix = _matrix(choice, choice.choice((None, None, None, 2, 3)))
    if len(matrix) > 1 and choice.randrange(3) == 0:
        matrix[1] = matrix[0]
    return {"matrix": matrix}


def _breach(choice: Random) -> Request:
    matrix = _matrix(choice, choice.choice((None, 2, 3)))
    levels = {
        "rho1": _exact(choice, ("1/10", "1/4", "1/2", "0")),
        "rho2": _exact(choice, ("1/2", "3/4", "1/3", "1")),
    }
    request: Request = {"matrix": matrix, **levels}
    if choice.randrange(2):
        request["counts"] = [choice.randrange(5) for _ in range(choice.choice((len(matrix), len(matrix), 3)))]
    return request


def _entropy(choice: Random) -> Request:
    records, columns = choice.randrange(1, 3), choice.randrange(1, 4)
    tables = [[choice.randrange(2) for _ in range(records)] for _ in range(choice.randrange(1, 5))]
    if choice.randrange(4):
        tables = [list(table) for table in dict.fromkeys(map(tuple, tables))]
    return {
        "tables": tables,
        "prior": _law(choice, len(tables)),
        "matrix": [_law(choice, columns) for _ in tables],
    }


def _permanent(choice: Random) -> Request:
    size = choice.randrange(1, 5)
    entries = ("0", "1/2", "1", "1/3", "2", "0.25", "0", "1/7")
    rows = [[choice.choice(entries) for _ in range(size)] for _ in range(size)]
    if choice.randrange(12) == 0:
        rows[0] = [*rows[0], "-1"]
    return {"likelihoods": rows}


def _error(choice: Random) -> Request:
    request: Request = {
        "gamma": choice.randrange(1, 6),
        "epsilon": _exact(choice, ("0.3", "1/2", "1", "2", "5", "0", "1/3")),
    }
    return {**request, "retention": _exact(choice, RETENTIONS[:12])} if choice.randrange(2) else request


def _error_probability(choice: Random) -> Request:
    return {**_error(choice), "frequency": choice.randrange(12)}


def _privacy_minimum(choice: Random) -> Request:
    return {**_error(choice), "alpha": choice.randrange(8)}


def _utility_threshold(choice: Random) -> Request:
    return {**_error(choice), "t_e": _exact(choice, ("1/2", "1/3", "1", "3/4", "0", "2", "1/5"))}


def _concept(choice: Random) -> Request:
    gamma, f = choice.randrange(1, 4), choice.randrange(1, 4)
    x, decoys = choice.randrange(f + 1), choice.randrange(4)
    inside = x + decoys + choice.randrange(3)
    counts = {
        "sensitive_count": f,
        "predicate_count": inside,
        "concept_count": x,
        "decoys_in_predicate": decoys,
    }
    epsilon = _exact(choice, ("0.3", "1", "1/2", "0"))
    return {"gamma": gamma, "epsilon": epsilon, **counts, "rows": inside + gamma * f + choice.randrange(9)}


MAKERS: dict[str, Callable[[Random], Request]] = {
    "below": _below,
    "coins": _items,
    "permutation": _items,
    "order_within": _order,
    "subset": _subset,
    "seeded": _seeded,
    "key_file": _key_file,
    "release_key": _release_key,
    "keyed": _keyed,
    "plan_secret": _plan_secret,
    "plan": _plan,
    "draws": _draws,
    "publish": _publish,
    "release": _release,
    "publish_keyed": _publish_keyed,
    "publish_retention": _publish_retention,
    "publish_retention_keyed": _publish_retention_keyed,
    "publish_swap": _swap,
    "publish_operator": _operator,
    "publish_pg": _pg,
    "publish_alpha_beta": _alpha_beta,
    "publish_two_tables": _two_tables,
    "publish_distribution_based": _distribution_based,
    "publish_counts": _noisy,
    "read_table": _file,
    "column_codes": _column_codes,
    "identities": _identify,
    "table_digest": _file,
    "estimate": _estimate,
    "conjunction": _conjunction,
    "interval": _interval,
    "transition": _transition,
    "channel_inverse": _channel,
    "amplification": _channel,
    "breach_profile": _breach,
    "entropy_loss": _entropy,
    "permanent_posterior": _permanent,
    "error_probability": _error_probability,
    "privacy_minimum": _privacy_minimum,
    "utility_threshold": _utility_threshold,
    "concept_error": _concept,
}
"""What makes the request of an operation."""
