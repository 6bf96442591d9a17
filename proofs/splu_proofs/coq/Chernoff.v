(* Claim splu.T3c: the corrected error bound, by Chernoff with rational tilts.

   For X ~ Bin(g f, 1/g), every count a and every rational tilt z,

     Pr(X >= a) <= (1 + (z - 1)/g)^(g f) / z^a    if z >= 1,
     Pr(X <= a) <= (1 + (z - 1)/g)^(g f) / z^a    if 0 < z <= 1.

   The exponents are whole, so both bounds are rational.

   Proof: E z^X = (1 + (z - 1)/g)^n for n trials, by induction on n; on the
   tail z^X is at least z^a.                                              *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* E z^X. *)
Lemma mean_power g n (z : rat) :
  mean g n (fun x => z ^+ x) = (1 + (z - 1) / g%:R) ^+ n.
Proof.
elim: n => [|n IHn]; first by rewrite mean0 !expr0.
rewrite mean_trial IHn (@eq_mean g n _ (fun x => z * z ^+ x)) => [|x]; last exact: exprS.
by rewrite meanZ IHn [RHS]exprS /failure /success; ring.
Qed.

(* Markov: a tail on which z^x >= z^a has a probability of at most E z^X/z^a. *)
Lemma markov g n a (z : rat) (A : pred nat) : (1 < g)%N -> 0 < z ->
  (forall x, A x -> z ^+ a <= z ^+ x) ->
  prob g n A <= (1 + (z - 1) / g%:R) ^+ n / z ^+ a.
Proof.
move=> g_gt1 z_gt0 le_A.
rewrite -mean_power mulrC -meanZ probE; apply: mean_le => // x.
case A_x: (A x); last by rewrite mulr_ge0 ?invr_ge0 ?exprn_ge0 // ltW.
by rewrite ler_pdivl_mull ?exprn_gt0 // mulr1 le_A.
Qed.

Theorem chernoff_above (g f a : nat) (z : rat) : (1 < g)%N -> 1 <= z ->
  prob g (g * f) (fun x => a <= x)%N
    <= (1 + (z - 1) / g%:R) ^+ (g * f) / z ^+ a.
Proof.
move=> g_gt1 z_ge1; apply: markov => // [|x le_ax]; first exact: lt_le_trans z_ge1.
exact: ler_weexpn2l.
Qed.

Theorem chernoff_below (g f a : nat) (z : rat) : (1 < g)%N -> 0 < z <= 1 ->
  prob g (g * f) (fun x => x <= a)%N
    <= (1 + (z - 1) / g%:R) ^+ (g * f) / z ^+ a.
Proof.
move=> g_gt1 /andP[z_gt0 z_le1]; apply: markov => // x le_xa.
by apply: ler_wiexpn2l => //; rewrite ltW.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example chernoff_above_applies :
  prob 3 (3 * 2) (fun x => 4 <= x)%N <= (1 + (2%:R - 1) / 3%:R) ^+ (3 * 2) / 2%:R ^+ 4.
Proof. exact: (@chernoff_above 3 2 4 2%:R isT isT). Qed.

Example chernoff_below_applies :
  prob 3 (3 * 2) (fun x => x <= 1)%N <= (1 + (2%:R^-1 - 1) / 3%:R) ^+ (3 * 2) / 2%:R^-1 ^+ 1.
Proof. exact: (@chernoff_below 3 2 1 2%:R^-1 isT isT). Qed.
