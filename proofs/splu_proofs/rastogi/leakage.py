"""rastogi.D23, LEAK: (d, gamma)-privacy, and which leakage a failure of it is."""

from __future__ import annotations

from ..terms import Claim, Derivation, Grade, Identity, Status

D23 = Claim(
    id="rastogi.D23",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Definitions 2.1 and 2.3",
    title="(d, gamma)-privacy",
    statement=(
        r"\frac{d}{\gamma} \le \frac{\Pr[t \mid V]}{\Pr[t]} \text{ and } \Pr[t \mid V] \le \gamma "
        r"\text{ for every } t \text{ with } 0 < \Pr[t] \le d \text{ and every } V"
    ),
    words=(
        "The adversary's tuples are independent, and of each he either is certain or believes at most d. "
        "Tuples of prior 0 or 1 are left out: nothing can be learned of them. With d above gamma no "
        "algorithm that ever publishes a genuine tuple keeps the second condition, so 0 < d <= gamma < 1 is "
        "meant. The second condition bounds beliefs in presence alone: a release may make somebody certain "
        "that a tuple is nearly absent, as far as the first one lets it."
    ),
    hypotheses=(r"0 < d \le \gamma < 1", r"\text{tuples independent under the prior}"),
    status=Status.DEFINITION,
    grade=None,
)

LEAK = Claim(
    id="rastogi.LEAK",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), after Definition 2.3",
    title="negative and positive leakage",
    statement=(
        r"\Pr[t \mid V] < \tfrac{d}{\gamma}\Pr[t] \Rightarrow \Pr[t \mid V] < \Pr[t]; \quad "
        r"\Pr[t \mid V] > \gamma \Rightarrow \Pr[t \mid V] > \Pr[t]"
    ),
    words=(
        "A tuple that fails the first condition is believed less than before, one that fails the second "
        "more: d/gamma is at most 1, and the prior at most d, which is at most gamma. So no tuple fails "
        "both, and the names are right. A tuple may be believed less without failing the first condition."
    ),
    hypotheses=(r"0 < \Pr[t] \le d \le \gamma < 1",),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.D23",),
)


@LEAK.derivation
def what_fails_moves_the_belief() -> Derivation:
    """Write what is left over in each case as a product of what is at least 0."""
    return Derivation(
        setting="x is the prior and y the posterior, 0 < x <= d <= gamma.",
        steps=(
            Identity(
                name="failing the first",
                says="x - y = (x d/gamma - y) + x (gamma - d)/gamma: positive if the first term is.",
                variables={"x": 1, "y": 1, "d": 1, "gamma": 1},
                left=lambda x, y, *_: x - y,
                right=lambda x, y, d, gamma: (x * d / gamma - y) + x * (gamma - d) / gamma,
            ),
            Identity(
                name="failing the second",
                says="y - x = (y - gamma) + (gamma - d) + (d - x): positive if the first term is.",
                variables={"x": 1, "y": 1, "d": 1, "gamma": 1},
                left=lambda x, y, *_: y - x,
                right=lambda x, y, d, gamma: (
                    ((y - gamma) * gamma + (gamma - d) * gamma + (d - x) * gamma) / gamma
                ),
            ),
        ),
        conclusion="A tuple that fails (i) has fallen, one that fails (ii) has risen; so none fails both.",
    )
