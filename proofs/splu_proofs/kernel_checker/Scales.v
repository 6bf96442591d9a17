(* A comparison with a goal that is far smaller than what is compared: both at a coarser scale. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Law Checker Bridge Lower LowerBounds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Exceeds.

Variables (c : base) (g : N).
Hypotheses (unit_c : (0 < nat_of (unit c))%N) (g_gt1 : (1 < nat_of g)%N).

Lemma lowered_ok goal d :
  let s := lowered c goal d in (nat_of goal < (nat_of s.1 + 1) * nat_of (unit c) ^ nat_of s.2)%N.
Proof.
pose P (s : N * N) := (nat_of goal < (nat_of s.1 + 1) * nat_of (unit c) ^ nat_of s.2)%N.
suff : P (lowered c goal d) by []; rewrite /lowered.
apply: (@until_keeps _ P) => [[x k] below_x | ]; rewrite /P /=; last by rewrite expn0 muln1 addn1.
rewrite nat_of_div (_ : nat_of (k + 1) = (nat_of k).+1) ?expnS ?mulnA; last by clear; lia.
apply: leq_trans (below_x : (nat_of goal < (nat_of x + 1) * nat_of (unit c) ^ nat_of k)%N) _; rewrite leq_mul2r; apply/orP; right.
by rewrite !addn1; apply: ltn_ceil.
Qed.

(* A number that is at most goal / unit^E is below (low + 1) / unit^(E - d). *)
Lemma lowered_goal (x : rat) E goal d : 0 <= x -> (nat_of d <= nat_of E)%N -> x * unit_of c E <= (nat_of goal)%:R ->
  let s := lowered c goal d in (nat_of s.2 <= nat_of d)%N -> x * unit_of c (E - d) <= (nat_of s.1 + 1)%:R.
Proof.
move=> x0 le_dE goal_ok s le_sd; have U0 := unit_gt0 unit_c.
rewrite -(ler_pmul2r (U0 d)) -mulrA -unitD (_ : (E - d + d = E)%num); last by move: le_dE; clear; lia.
apply: (le_trans goal_ok); rewrite /unit_of -natrM ler_nat; apply: (leq_trans (ltnW (lowered_ok goal d))).
by rewrite leq_mul2l leq_pexp2l // orbT.
Qed.

(* Is x, at most goal / unit^E, below the probability of error j? *)
Lemma exceeds_ok (x : rat) E f j goal up down : 0 <= x -> (0 < nat_of j)%N -> below c g up -> below c g down ->
  x * unit_of c E <= (nat_of goal)%:R -> exceeds c g f j E goal up down ->
  x < prob (nat_of g) (nat_of g * nat_of f) (err (nat_of f) (nat_of j)).
Proof.
move=> x0 j0 ok_up ok_down goal_ok; rewrite /exceeds; move: (near _ _ _ _ _ _) => s; set d := (E - s)%num.
have decide e y : x * unit_of c e <= (nat_of y)%:R -> (y <? tails c g f j e y up down)%num ->
    x < prob (nat_of g) (nat_of g * nat_of f) (err (nat_of f) (nat_of j)).
  move=> le_y above; have le_tails := tails_le unit_c g_gt1 e f y j0 ok_up ok_down.
  rewrite -(@ltr_pmul2r _ (unit_of c e)) ?unit_gt0 //; apply: (le_lt_trans le_y); rewrite mulrC.
  by apply: lt_le_trans le_tails; rewrite ltr_nat; move: above; clear; lia.
case: ifP => [_ | _]; first exact: decide.
have := @lowered_goal x E goal d x0 _ goal_ok; case: (lowered c goal d) => low steps /= lower /andP[le_steps above].
apply: decide above; rewrite (_ : nat_of (low + 1) = (nat_of low + 1)%N); last by clear; lia.
by apply: lower; [rewrite /d; clear; lia | move: le_steps; clear; lia].
Qed.

End Exceeds.
