"""What a published value says about a true one: exact row-stochastic matrices and what follows from them.

Rows are true states, columns published states, entries fractions. A channel knows no mechanism; that the code
of a mechanism has the law of the channel it declares is shown by enumerating its random choices.
"""

from splu_ref.channels.amplification import Amplification, amplification
from splu_ref.channels.breach import (
    Breach,
    Levels,
    retention_limit_for,
    worst_prior,
    worst_property,
)
from splu_ref.channels.channel import Channel, Law
from splu_ref.channels.coarsening import coarsened, coarsening
from splu_ref.channels.decoy_groups import decoy_groups, two_state
from splu_ref.channels.elementary import (
    additive,
    blocks,
    constant,
    diagonal,
    from_matrix,
    identity,
    mixture,
    retention,
)
from splu_ref.channels.interval_privacy import (
    Interval,
    IntervalPrivacy,
    interval_privacy,
    shortest_interval,
)
from splu_ref.channels.inverse import DependentRowsError, Inverse, inverse
from splu_ref.channels.logarithm import natural_logarithm
from splu_ref.channels.posterior import posterior
from splu_ref.channels.predicate_count import PredicateCount
from splu_ref.channels.published_count import PublishedCount
from splu_ref.channels.set_breach import (
    most_telling,
    posterior_within,
    product_posterior,
    product_retention_limit,
    retained_posterior,
    set_retention_limit,
)
from splu_ref.channels.tensor import Tensor

__all__ = [
    "Amplification",
    "Breach",
    "Channel",
    "DependentRowsError",
    "Interval",
    "IntervalPrivacy",
    "Inverse",
    "Law",
    "Levels",
    "PredicateCount",
    "PublishedCount",
    "Tensor",
    "additive",
    "amplification",
    "blocks",
    "coarsened",
    "coarsening",
    "constant",
    "decoy_groups",
    "diagonal",
    "from_matrix",
    "identity",
    "interval_privacy",
    "inverse",
    "mixture",
    "most_telling",
    "natural_logarithm",
    "posterior",
    "posterior_within",
    "product_posterior",
    "product_retention_limit",
    "retained_posterior",
    "retention",
    "retention_limit_for",
    "set_retention_limit",
    "shortest_interval",
    "two_state",
    "worst_prior",
    "worst_property",
]
