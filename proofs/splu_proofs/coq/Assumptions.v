(* What each theorem rests on: the answer must be "Closed under the global
   context", that is, no axiom at all. The Makefile counts the answers and
   requires one for every theorem and corollary of this folder.            *)

From SPLU Require Import Binomial Counting Sawtooth MaximumLikelihood.
From SPLU Require Import Chebyshev Chernoff PrintedErrorBound ProbB.

(* The law of the published count (splu.B in part). *)
Print Assumptions prob_total.
Print Assumptions law_by_counting.
Print Assumptions mean_is_f.
Print Assumptions variance.

(* splu.S *)
Print Assumptions sawtooth_above.
Print Assumptions sawtooth_below.
Print Assumptions sawtooth_above_monotone.
Print Assumptions sawtooth_below_monotone.

(* splu.T2 *)
Print Assumptions likelihood_rises.
Print Assumptions likelihood_falls.
Print Assumptions published_count_is_the_mle.
Print Assumptions mle_under_a_public_bound.

(* splu.T3, refuted *)
Print Assumptions witness_probability.
Print Assumptions witness_bound.
Print Assumptions witness.
Print Assumptions printed_bound_refuted.
Print Assumptions nothing_smaller.
Print Assumptions fails_almost_everywhere.

(* splu.T3c *)
Print Assumptions chebyshev.
Print Assumptions chernoff_above.
Print Assumptions chernoff_below.

(* splu.PB *)
Print Assumptions probB_le_probA.
Print Assumptions further_trials_do_not_help.
Print Assumptions other_records_do_not_help.
