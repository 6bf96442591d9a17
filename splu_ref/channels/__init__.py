"""What a published value says about a true one: exact row-stochastic matrices and what follows from them.

Rows are true states, columns published states, entries fractions. A channel knows no mechanism; that the code
of a mechanism has the law of the channel it declares is shown by enumerating its random choices.
"""

from splu_ref.channels.amplification import Amplification, amplification
from splu_ref.channels.breach import (
    Breach,
    Levels,
    likeliest_set,
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
from splu_ref.channels.entropy import entropy, min_entropy_leakage, mutual_information
from splu_ref.channels.entropy_loss import EntropyLoss, ValueLoss, entropy_loss
from splu_ref.channels.group_draws import DrawsName, GroupDraws
from splu_ref.channels.growth import Growth, growth
from splu_ref.channels.interval_privacy import (
    Interval,
    IntervalPrivacy,
    interval_privacy,
    shortest_interval,
)
from splu_ref.channels.inverse import DependentRowsError, Inverse, count_weights, inverse, query_weights, rank
from splu_ref.channels.log_form import LogForm
from splu_ref.channels.logarithm import natural_logarithm
from splu_ref.channels.perturbed_group import PerturbedGroup
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
from splu_ref.channels.swapping import (
    Pairs,
    histogram_pairs,
    swapped_pairs,
    swapped_retention,
    swapping,
)
from splu_ref.channels.tensor import Tensor
from splu_ref.channels.tuple_count import TupleCount
from splu_ref.channels.vulnerability import (
    bayes_capacity,
    gain_vulnerability,
    prior_vulnerability,
    vulnerability,
)
from splu_ref.channels.world import Table, World

__all__ = [
    "Amplification",
    "Breach",
    "Channel",
    "DependentRowsError",
    "DrawsName",
    "EntropyLoss",
    "GroupDraws",
    "Growth",
    "Interval",
    "IntervalPrivacy",
    "Inverse",
    "Law",
    "Levels",
    "LogForm",
    "Pairs",
    "PerturbedGroup",
    "PredicateCount",
    "PublishedCount",
    "Table",
    "Tensor",
    "TupleCount",
    "ValueLoss",
    "World",
    "additive",
    "amplification",
    "bayes_capacity",
    "blocks",
    "coarsened",
    "coarsening",
    "constant",
    "count_weights",
    "decoy_groups",
    "diagonal",
    "entropy",
    "entropy_loss",
    "from_matrix",
    "gain_vulnerability",
    "growth",
    "histogram_pairs",
    "identity",
    "interval_privacy",
    "inverse",
    "likeliest_set",
    "min_entropy_leakage",
    "mixture",
    "most_telling",
    "mutual_information",
    "natural_logarithm",
    "posterior",
    "posterior_within",
    "prior_vulnerability",
    "product_posterior",
    "product_retention_limit",
    "query_weights",
    "rank",
    "retained_posterior",
    "retention",
    "retention_limit_for",
    "set_retention_limit",
    "shortest_interval",
    "swapped_pairs",
    "swapped_retention",
    "swapping",
    "two_state",
    "vulnerability",
    "worst_prior",
    "worst_property",
]
