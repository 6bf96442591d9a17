(* The binomial law of Binomial.v is the law of n uniform draws from g places.

   A record publishes one of g places, each with probability 1/g; place 0
   stands for the value that is counted. Among the g^n equally likely
   outcomes, the share of those whose number of zeros satisfies A is
   prob g n A. This ties the formula b(n; k) to the draws.                 *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The number of draws of place 0 in an outcome. *)
Definition zeros (g n : nat) (outcome : n.-tuple 'I_g) : nat :=
  count (fun place : 'I_g => val place == 0%N) outcome.

(* The number of outcomes whose number of zeros satisfies A. *)
Definition outcomes (g n : nat) (A : pred nat) : nat :=
  #|[set outcome : n.-tuple 'I_g | A (zeros outcome)]|.

Lemma outcomes_sum g n (A : pred nat) :
  outcomes g n A = (\sum_(t : n.-tuple 'I_g) A (zeros t))%N.
Proof.
rewrite /outcomes cardsE -sum1_card big_mkcond; apply: eq_bigr => t _.
by rewrite unfold_in; case: (A _).
Qed.

Lemma first_draw g n (F : n.+1.-tuple 'I_g -> nat) :
  (\sum_t F t = \sum_(i : 'I_g) \sum_(t : n.-tuple 'I_g) F [tuple of i :: t])%N.
Proof.
rewrite pair_big /= (reindex (fun p : 'I_g * n.-tuple 'I_g => [tuple of p.1 :: p.2])) //=.
exists (fun t : n.+1.-tuple 'I_g => (thead t, [tuple of behead t])) => [[i t] _|t _].
  by rewrite /= theadE; congr (_, _); apply: val_inj.
by rewrite -tuple_eta.
Qed.

Lemma outcomes_trial g n A : (0 < g)%N ->
  outcomes g n.+1 A = (g.-1 * outcomes g n A + outcomes g n (A \o S))%N.
Proof.
case: g => // g _; rewrite !outcomes_sum first_draw big_ord_recl /= addnC.
congr (_ + _)%N; rewrite -[X in (X * _)%N](card_ord g) -sum_nat_const.
by apply: eq_bigr.
Qed.

Theorem law_by_counting (g n : nat) (A : pred nat) : (0 < g)%N ->
  prob g n A = (outcomes g n A)%:R / (g ^ n)%:R.
Proof.
move=> g_gt0; have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
elim: n A => [|n IHn] A.
  rewrite probE mean0 outcomes_sum (big_pred1 [tuple]) ?expn0 ?divr1 //.
  by move=> t; apply/esym/eqP; apply: tuple0.
have pow_neq0 : (g ^ n)%:R != 0 :> rat by rewrite pnatr_eq0 expn_eq0; lia.
rewrite prob_trial !IHn outcomes_trial // failureE // /success expnS !natrM natrD natrM.
by field; rewrite g_neq0 pow_neq0.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example law_by_counting_applies :
  prob 2 3 (fun x => x == 1%N) = (outcomes 2 3 (fun x => x == 1%N))%:R / (2 ^ 3)%:R.
Proof. exact: (@law_by_counting 2 3 (fun x => x == 1%N) isT). Qed.
