(* Claim splu.T2: the published count is the maximum likelihood estimate.

   Given a published count k, the likelihood of a true count f is
   L(f) = b(g f; k) = Pr(X = k) for X ~ Bin(g f, 1/g), over all whole f with
   g f >= k (smaller f cannot publish k). L is largest at f = k and nowhere
   else; k = 0 is included. If f <= U is known and U < k, L is largest at U
   (L rises strictly up to k).

   Proof: from L(f) to L(f + 1) is g more trials. A trial after m raises
   b(m; k) if m + 1 < g k, leaves it if m + 1 = g k and lowers it beyond. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The likelihood of f given the published count k. *)
Definition likelihood (g k f : nat) : rat := mass g (g * f) k.

Lemma rise g k m m' : (1 < g)%N -> (m <= m' <= g * k)%N ->
  mass g m k <= mass g m' k.
Proof.
move=> g_gt1 /andP[/subnKC <-]; elim: (m' - m)%N => [|d IHd] le_gk.
  by rewrite addn0.
apply: (@le_trans _ _ (mass g (m + d) k)); first by apply: IHd; lia.
by rewrite addnS mass_trial_up //; lia.
Qed.

Lemma fall g k m m' : (1 < g)%N -> (k <= m)%N -> (g * k <= m <= m')%N ->
  mass g m' k <= mass g m k.
Proof.
move=> g_gt1 le_km /andP[le_gkm /subnKC <-].
elim: (m' - m)%N => [|d IHd]; first by rewrite addn0.
apply: le_trans IHd.
by rewrite addnS mass_trial_down //; lia.
Qed.

(* Up to k the likelihood rises strictly, once it is positive. *)
Theorem likelihood_rises (g k f f' : nat) :
  (1 < g)%N -> (f < f' <= k)%N -> (k <= g * f')%N ->
  likelihood g k f < likelihood g k f'.
Proof.
move=> g_gt1 /andP[lt_ff' le_f'k] le_k; rewrite /likelihood.
have [lt_k | le_kf] := ltnP (g * f) k; first by rewrite mass_above ?mass_gt0.
apply: (@lt_le_trans _ _ (mass g (g * f).+1 k)).
  by apply: mass_trial_up_strict => //; nia.
by apply: rise => //; apply/andP; split; nia.
Qed.

(* From k on it falls strictly. *)
Theorem likelihood_falls (g k f f' : nat) :
  (1 < g)%N -> (k <= f < f')%N ->
  likelihood g k f' < likelihood g k f.
Proof.
move=> g_gt1 /andP[le_kf lt_ff']; rewrite /likelihood.
apply: (@le_lt_trans _ _ (mass g (g * f).+1 k)).
  by apply: fall => //; [nia | apply/andP; split; nia].
by apply: mass_trial_down_strict => //; nia.
Qed.

(* Every whole f other than k is strictly less likely than k. (For g f < k
   the likelihood of f is 0.) *)
Theorem published_count_is_the_mle (g k f : nat) :
  (1 < g)%N -> f != k -> likelihood g k f < likelihood g k k.
Proof.
move=> g_gt1; rewrite neq_ltn => /orP[lt_fk | lt_kf].
  by apply: likelihood_rises => //; [rewrite lt_fk leqnn | nia].
by apply: likelihood_falls => //; rewrite leqnn.
Qed.

(* With the public knowledge f <= U, where U can publish k at all, the
   smaller of k and U is strictly likelier than any other f <= U. *)
Theorem mle_under_a_public_bound (g k U f : nat) :
  (1 < g)%N -> (k <= g * U)%N -> (f <= U)%N -> f != minn k U ->
  likelihood g k f < likelihood g k (minn k U).
Proof.
move=> g_gt1 le_kU le_fU; have [le_Uk | lt_kU] := leqP U k.
  by move=> neq_fU; apply: likelihood_rises => //; lia.
exact: published_count_is_the_mle.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example likelihood_rises_applies : likelihood 3 4 2 < likelihood 3 4 3.
Proof. exact: (@likelihood_rises 3 4 2 3 isT isT isT). Qed.

Example likelihood_falls_applies : likelihood 3 4 6 < likelihood 3 4 5.
Proof. exact: (@likelihood_falls 3 4 5 6 isT isT). Qed.

Example published_count_is_the_mle_applies : likelihood 3 4 5 < likelihood 3 4 4.
Proof. exact: (@published_count_is_the_mle 3 4 5 isT isT). Qed.

Example mle_under_a_public_bound_applies : likelihood 3 4 2 < likelihood 3 4 3.
Proof. exact: (@mle_under_a_public_bound 3 4 3 2 isT isT isT isT). Qed.
