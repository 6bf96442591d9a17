"""Draw which claim rests on which, which fall with a refuted one, and which hold instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from layered import Edge, Layout, layout, reduced

from splu_proofs.claim import Claim, Status

STEP, ROW, WIDTH, HEIGHT, MARGIN = 116, 34, 66, 24, 12
"""Distance of layers and of places, size of a box, and margin, in pixels."""


def claim_graph(drawing: Iterable[Claim]) -> str:
    """Return the drawing as one line of SVG; its colors follow the page.

    Arrows from and to claims that are not in the drawing are left out.
    """
    claims = {claim.id: claim for claim in drawing}
    supports = reduced(
        (other, claim.id) for claim in claims.values() for other in claim.rests_on if other in claims
    )
    repairs = [(claim.id, claim.corrected_by) for claim in claims.values() if claim.corrected_by in claims]
    drawn = layout(list(claims), [*supports, *repairs])
    return "".join(_svg(claims, supports, repairs, drawn))


def _svg(claims: dict[str, Claim], supports: list[Edge], repairs: list[Edge], drawn: Layout) -> Iterator[str]:
    across = max(layer for layer, _ in drawn.places.values()) * STEP + WIDTH + 2 * MARGIN
    lowest = max(place for points in (drawn.places.values(), *drawn.routes.values()) for _, place in points)
    down = lowest * ROW + HEIGHT + 2 * MARGIN
    yield f'<svg class="claim-graph" viewBox="0 0 {across:g} {down:g}" width="{across:g}" height="{down:g}" '
    yield 'role="img" aria-label="Which claim rests on which; the table below says the same in words">'
    yield "<defs>"
    for kind in ("rests", "falls", "instead"):
        yield f'<marker id="to-{kind}" class="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        yield 'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
    yield "</defs>"
    for start, end in supports:
        falls = claims[start].status is claims[end].status is Status.REFUTED
        yield _arrow(drawn.routes[start, end], "falls" if falls else "rests")
    for edge in repairs:
        yield _arrow(drawn.routes[edge], "instead")
    for claim in claims.values():
        yield _box(claim, *drawn.places[claim.id])
    yield "</svg>"


def _arrow(route: list[tuple[int, float]], kind: str) -> str:
    points = [(layer * STEP + MARGIN, place * ROW + MARGIN + HEIGHT / 2) for layer, place in route]
    x, y = points[0]
    path = f"M{x + WIDTH:g} {y:.1f}"
    x += WIDTH
    for number, (to_x, to_y) in enumerate(points[1:], 2):
        middle = (x + to_x) / 2
        path += f"C{middle:g} {y:.1f} {middle:g} {to_y:.1f} {to_x:g} {to_y:.1f}"
        x, y = to_x, to_y
        if number < len(points):  # straight through the room that a box would take
            x += WIDTH
            path += f"H{x:g}"
    return f'<path class="edge {kind}" d="{path}" marker-end="url(#to-{kind})"/>'


def _box(claim: Claim, layer: int, place: float) -> str:
    x, y = layer * STEP + MARGIN, place * ROW + MARGIN
    name = claim.id.partition(".")[2]
    return (
        f'<a href="{claim.id}.html" class="{claim.status}">'
        f"<title>{escape(claim.title)}: {claim.status}</title>"
        f'<rect x="{x:g}" y="{y:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{x + WIDTH / 2:g}" y="{y + HEIGHT / 2:.1f}">{escape(name)}</text></a>'
    )
