(* Prints what is proved: each theorem, the definitions that its statement
   uses, and what its proof rests on. The Makefile compares the output with
   statements.txt, which was read beside the English statements.            *)

From mathcomp Require Import all_ssreflect all_algebra.
From SPLU Require Import Binomial Counting.
From Kernel Require Import Law Checker Minimum Rounding Exact Tuples Privacy Threshold AllOrNone Concept DGamma.
From Kernel Require Import Trials RetentionSawtooth Retention RetentionLaw RetentionPrivacy Replacement Belief Safe SafeCounts.
Set Printing Width 100.
Set Printing Depth 1000.

Check check_privacy_sound.
Print Assumptions check_privacy_sound.
Print privacy_statement.
Print form_holds.

Check check_error_sound.
Print Assumptions check_error_sound.
Print error_statement.

Check check_threshold_sound.
Print Assumptions check_threshold_sound.
Print threshold_statement.

Check privacy_by_counting.
Print Assumptions privacy_by_counting.

Check check_privacy_at_sound.
Print Assumptions check_privacy_at_sound.
Print privacy_statement_at.
Print form_holds_at.
Print mean_wrong_at.

Check check_error_at_sound.
Print Assumptions check_error_at_sound.
Print error_statement_at.
Print wrong_at.
Print chances_hold.
Print unit_at.
Print chance.

Check check_threshold_at_sound.
Print Assumptions check_threshold_at_sound.
Print threshold_statement_at.

Check check_all_or_none_sound.
Print Assumptions check_all_or_none_sound.
Print all_or_none_statement.
Print rare_form_holds.
Print rare_wrong.

Check check_concept_sound.
Print Assumptions check_concept_sound.
Print concept_statement.
Print concept_wrong.
Print concept_missed.
Print corrected.
Print mean.

Check equal_trials.
Print Assumptions equal_trials.
Check retained_plain.
Print Assumptions retained_plain.
Check retention_sawtooth_above.
Print Assumptions retention_sawtooth_above.
Check retention_sawtooth_below.
Print Assumptions retention_sawtooth_below.
Print retained.
Print slots.
Print trials.
Print outcome.

Check check_tuples_sound.
Print Assumptions check_tuples_sound.
Print tuples_statement.
Print posterior.
Print ratio.

Check check_breach_sound.
Print Assumptions check_breach_sound.
Print breach_statement.
Print levels_hold.
Print listed.
Print share.

Check check_safe_sound.
Print Assumptions check_safe_sound.
Print safe_statement.
Check check_counted_sound.
Print Assumptions check_counted_sound.
Print counted_statement.
Print amplification.
Print dangerous.
Print no_breach.
Print is_law.
Print after.
Print before.
Print published.

Print mean_wrong.
Print wrong.
Print event.
Print off_by_more.
Print off.
Print prob.
Print mass.
Print outcomes.
Print zeros.
Print success.
Print failure.
