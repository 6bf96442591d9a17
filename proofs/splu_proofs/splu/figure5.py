"""splu.F5: figure 5, the sawtooth of the error probability over small counts, which is true."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import error_probability

from ..arithmetic.law import error, error_beyond
from ..terms import Claim, Comparisons, Grade, Status

F5 = Claim(
    id="splu.F5",
    module=__name__,
    source="Fu et al. 2014, §4.2, Figure 5",
    title="figure 5",
    statement=(
        r"\varepsilon=0.3,\ \gamma\in\{5,10,20\}:\quad f\mapsto \Pr(|f'-f|>\varepsilon f)\text{ is a "
        r"sawtooth on }1\le f\le 10"
    ),
    words=(
        "True: the error probability falls only where floor(0.3 f) rises, at f = 4, 7 and 10, and does not "
        "fall in between except from f = 1 to 3, where it is over 0.59 for each gamma. With Definition 2's "
        "reading it differs at f = 10 alone, where 0.3 f is whole."
    ),
    hypotheses=(r"\varepsilon = 3/10",),
    status=Status.PROVED,
    grade=Grade.EXACT,
    complete="it is about ten counts at three group sizes",
    rests_on=("splu.L2", "splu.S"),
    licenses=("splu_ref.guarantees.count_error:error_probability",),
    tests=("tests/proofs/test_measures.py::test_figure_5_is_the_sawtooth_of_the_paper",),
)

EPSILON = Fraction(3, 10)
GAMMAS = (5, 10, 20)
FREQUENCIES = range(1, 11)


@F5.computation(cases=12, perturbed="splu_proofs.arithmetic.law:error larger")
def teeth_where_the_window_widens() -> Comparisons:
    """Compute the curve for each gamma and find where it falls."""
    for gamma in GAMMAS:
        curve = {f: error_beyond(gamma, EPSILON, f) for f in FREQUENCIES}
        falls = [f for f in FREQUENCIES if f > 1 and curve[f] < curve[f - 1]]
        yield (falls, "=", [4, 7, 10], f"gamma = {gamma}: the curve falls at {falls}")
        yield (min(curve[f] for f in (1, 2, 3)), "=", curve[1], f"gamma = {gamma}: f <= 3")
        yield (curve[1], ">", Fraction("0.59"), f"gamma = {gamma}: f <= 3")
        differing = [f for f in FREQUENCIES if error(gamma, EPSILON, f) != curve[f]]
        yield (differing, "=", [10], f"gamma = {gamma}: the two readings differ at {differing}")


@F5.computation(
    cases=30,
    perturbed=(
        "splu_ref.guarantees.count_error:error_probability larger",
        "splu_proofs.arithmetic.law:error_beyond larger",
    ),
)
def the_library_follows() -> Comparisons:
    """Compare the library's error probabilities along the curves."""
    for gamma in GAMMAS:
        for f in FREQUENCIES:
            found = error_probability(gamma, EPSILON, f, strict=True).exact()
            yield (found, "=", error_beyond(gamma, EPSILON, f), f"gamma = {gamma}, f = {f}")


def data() -> dict[str, object]:
    """Return what figure 5 shows, exactly, in the printed form and in that of Definition 2.

    Returns
    -------
    dict
        ``epsilon`` (Fraction), and ``series``: for every gamma a dict with ``gamma``, ``frequencies``
        (f, int), ``printed`` (error means > epsilon f, Fraction) and ``true`` (error means >= epsilon f,
        Fraction).
    """
    return {
        "epsilon": EPSILON,
        "series": [
            {
                "gamma": gamma,
                "frequencies": list(FREQUENCIES),
                "printed": [error_beyond(gamma, EPSILON, f) for f in FREQUENCIES],
                "true": [error(gamma, EPSILON, f) for f in FREQUENCIES],
            }
            for gamma in GAMMAS
        ],
    }
