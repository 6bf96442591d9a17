(* What the theorems rest on: the answer must be "Closed under the global
   context", that is, no axiom at all. One question about all of them takes
   a fraction of the time of one for each. The Makefile requires every
   theorem and corollary of this folder in the list.                       *)

From SPLU Require Import Binomial Counting Sawtooth MaximumLikelihood.
From SPLU Require Import Chebyshev Chernoff PrintedErrorBound ProbB.
From SPLU Require Import Mechanism Posterior Transition Levels Thresholds PurePredicates Retained.

Definition theorems := (
  (* splu.B *)
  @published_count_law,
  @prob_total,
  @law_by_counting,
  @mean_is_f,
  @variance,
  (* splu.S *)
  @sawtooth_above,
  @sawtooth_below,
  @sawtooth_above_monotone,
  @sawtooth_below_monotone,
  (* splu.T2 *)
  @likelihood_rises,
  @likelihood_falls,
  @published_count_is_the_mle,
  @mle_under_a_public_bound,
  (* splu.T3, refuted *)
  @witness_probability,
  @witness_bound,
  @witness,
  @printed_bound_refuted,
  @nothing_smaller,
  @fails_almost_everywhere,
  (* splu.T3c *)
  @chebyshev,
  @chernoff_above,
  @chernoff_below,
  (* splu.PB *)
  @probB_le_probA,
  @further_trials_do_not_help,
  @other_records_do_not_help,
  (* splu.POST and splu.DOMc *)
  @published_value_law,
  @posterior_of_one_record,
  @posterior_of_the_published_value,
  @posterior_of_any_value,
  @posterior_given_the_groups,
  @few_values_are_possible,
  (* splu.POSTp *)
  @posterior_at_retention,
  @posterior_at_retention_at_most,
  (* splu.M1, refuted *)
  @decoy_law,
  @printed_share_too_large,
  @printed_share_right_at_the_limit,
  @smallest_counterexample,
  @printed_share_refuted,
  @printed_share_right_below_four_records,
  @printed_mean,
  (* splu.M1c *)
  @transition_law,
  @gained_law,
  @corrected_mean,
  (* splu.L2 and splu.T4 *)
  @printed_level_law,
  @printed_level_is_conservative,
  @level_holds_for_every_count,
  @tight_window,
  @printed_minimum_at_a_plateau_start,
  @error_minimum_at_a_plateau_start,
  @promises_something,
  @closed_form_for_small_epsilon,
  (* splu.L1c *)
  @chebyshev_threshold,
  @least_threshold,
  @tail_above,
  @tail_below,
  @two_tails_from_one_count,
  @one_tail_from_one_count,
  (* splu.L3, refuted *)
  @published_count_of_holders,
  @corrected_estimate_whole,
  @printed_estimate_whole,
  @pure_error_at_most,
  @small_pure_error_at_most,
  @count_error_of_two,
  @conjunction_error_of_two,
  @guarantee_for_conjunctions_refuted,
  (* splu.KEEP *)
  @most_that_is_retained,
  @least_chance_to_retain,
  @transition_is_an_operator,
  @frequencies_are_a_law,
  @splu_gen_keeps_the_bound,
  @splu_gen_retains_p
).

Print Assumptions theorems.
