(* The binomial law, in exact rational arithmetic.

   X ~ Bin(n, 1/g) counts the successes in n independent trials, each of
   success probability 1/g. For the published count of a value with f
   records, n = g * f. Throughout, g is the paper's gamma.

   Reading guide:
     %:R     turns a natural number into a rational,
     n.+1    is n + 1, and n.-1 is n - 1 (0 for n = 0),
     'C(n, k) is the binomial coefficient, 0 for k > n,
     x^-1    is 1/x, and x ^+ k the k-th power,
     h \o S  is the function x |-> h (x + 1).                            *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Definitions *)

(* The probability of success, 1/g, and of failure, 1 - 1/g. *)
Definition success (g : nat) : rat := g%:R^-1.
Definition failure (g : nat) : rat := 1 - g%:R^-1.

(* mass g n k = Pr(X = k) for X ~ Bin(n, 1/g): the paper's b(n; k). *)
Definition mass (g n k : nat) : rat :=
  'C(n, k)%:R * success g ^+ k * failure g ^+ (n - k).

(* prob g n A = Pr(A(X)): the sum of b(n; x) over all x <= n with A(x). *)
Definition prob (g n : nat) (A : pred nat) : rat :=
  \sum_(x < n.+1 | A x) mass g n x.

(* mean g n h = E h(X). *)
Definition mean (g n : nat) (h : nat -> rat) : rat :=
  \sum_(x < n.+1) h x * mass g n x.

(* Does |x - f| >= eps * f hold for the count x? The error event of the
   paper's Definitions 1 and 2. *)
Definition off (f : nat) (eps : rat) (x : nat) : bool :=
  eps * f%:R <= `|x%:R - f%:R|.

(** * Single probabilities *)

Lemma mass_above g n k : (n < k)%N -> mass g n k = 0.
Proof. by move=> ltnk; rewrite /mass bin_small // !mul0r. Qed.

Lemma success_gt0 g : (0 < g)%N -> 0 < success g.
Proof. by move=> g_gt0; rewrite invr_gt0 ltr0n. Qed.

Lemma failureE g : (0 < g)%N -> failure g = g.-1%:R / g%:R.
Proof.
case: g => // g _; have g1_neq0 : g.+1%:R != 0 :> rat by rewrite pnatr_eq0.
apply: (mulIf g1_neq0).
by rewrite /failure mulrBl mulVf // divfK // mul1r mulrSr addrK.
Qed.

Lemma failure_gt0 g : (1 < g)%N -> 0 < failure g.
Proof.
by move=> g_gt1; rewrite failureE ?(ltnW g_gt1) // divr_gt0 ?ltr0n //; lia.
Qed.

Lemma mass_ge0 g n k : (1 < g)%N -> 0 <= mass g n k.
Proof.
move=> g_gt1; rewrite /mass !mulr_ge0 ?ler0n ?exprn_ge0 //.
  by rewrite invr_ge0 ler0n.
exact/ltW/failure_gt0.
Qed.

Lemma mass_gt0 g n k : (1 < g)%N -> (k <= n)%N -> 0 < mass g n k.
Proof.
move=> g_gt1 le_kn; rewrite /mass !mulr_gt0 ?ltr0n ?bin_gt0 ?exprn_gt0 //.
  exact/success_gt0/ltnW.
exact: failure_gt0.
Qed.

(* Pascal: no success among 1 + n trials, and k + 1 successes. *)
Lemma mass_S0 g n : mass g n.+1 0 = failure g * mass g n 0.
Proof. by rewrite /mass !bin0 !expr0 !subn0 exprS; ring. Qed.

Lemma mass_SS g n k :
  mass g n.+1 k.+1 = failure g * mass g n k.+1 + success g * mass g n k.
Proof.
have [le_nk | lt_kn] := leqP n k.
  by rewrite (@mass_above g n k.+1) // /mass binS [X in (X + _)%N]bin_small // subSS exprS; ring.
rewrite /mass binS natrD subSS (_ : n - k = (n - k.+1).+1)%N ?exprS; last by lia.
by ring.
Qed.

(* Neighbours in the number of successes. *)
Lemma mass_next g n k : (0 < g)%N ->
  (k.+1 * g.-1)%:R * mass g n k.+1 = (n - k)%:R * mass g n k.
Proof.
move=> g_gt0; have [le_nk | lt_kn] := leqP n k.
  by rewrite mass_above // (_ : n - k = 0)%N ?mulr0 ?mul0r //; lia.
have: k.+1%:R * 'C(n, k.+1)%:R = (n - k)%:R * 'C(n, k)%:R :> rat.
  by rewrite -!natrM mul_bin_left.
rewrite /mass (_ : n - k = (n - k.+1).+1)%N; last by lia.
rewrite failureE // !exprS natrM => eq_bin; rewrite /success.
move: (_ ^+ k) (_ ^+ (n - k.+1)) => powk powm.
rewrite [LHS](_ : _ = k.+1%:R * 'C(n, k.+1)%:R * (g.-1%:R / g%:R * powk * powm)).
  by rewrite eq_bin; ring.
by ring.
Qed.

(* Neighbours in the number of trials. *)
Lemma mass_grow g n k : (0 < g)%N ->
  (g * (n.+1 - k))%:R * mass g n.+1 k = (n.+1 * g.-1)%:R * mass g n k.
Proof.
move=> g_gt0; have [lt_nk | le_kn] := ltnP n k.
  by rewrite (mass_above _ lt_nk) (_ : n.+1 - k = 0)%N ?muln0 ?mulr0 ?mul0r //; lia.
have: (n.+1)%:R * 'C(n, k)%:R = (n.+1 - k)%:R * 'C(n.+1, k)%:R :> rat.
  by rewrite -!natrM mul_bin_down.
rewrite /mass (subSn le_kn) failureE // exprS !natrM => eq_bin.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
move: (_ ^+ k) (_ ^+ (n - k)) => powk powm.
rewrite [LHS](_ : _ = (n - k).+1%:R * 'C(n.+1, k)%:R * (g.-1%:R * powk * powm)).
  by rewrite -eq_bin; ring.
by field.
Qed.

(* From c y = d x to an inequality between x and y. *)
Lemma le_by_weights (c d : nat) (x y : rat) : (0 < c)%N -> 0 <= x ->
  c%:R * y = d%:R * x -> (c <= d)%N -> x <= y.
Proof.
move=> c_gt0 x_ge0 eq_cd le_cd.
by rewrite -(@ler_pmul2l _ c%:R) ?ltr0n // eq_cd ler_wpmul2r // ler_nat.
Qed.

Lemma lt_by_weights (c d : nat) (x y : rat) : (0 < c)%N -> 0 < x ->
  c%:R * y = d%:R * x -> (c < d)%N -> x < y.
Proof.
move=> c_gt0 x_gt0 eq_cd lt_cd.
by rewrite -(@ltr_pmul2l _ c%:R) ?ltr0n // eq_cd ltr_pmul2r // ltr_nat.
Qed.

(* One more trial raises b(n; k) while n + 1 <= g k, strictly while
   n + 1 < g k, and lowers it once g k <= n + 1, strictly beyond. *)
Lemma mass_trial_up g n k : (1 < g)%N -> (n.+1 <= g * k)%N ->
  mass g n k <= mass g n.+1 k.
Proof.
move=> g_gt1 le_n; have [lt_nk | le_kn] := ltnP n k.
  by rewrite (mass_above _ lt_nk) mass_ge0.
apply: (le_by_weights _ _ (mass_grow _ _ (ltnW g_gt1))); rewrite ?mass_ge0 //; nia.
Qed.

Lemma mass_trial_up_strict g n k : (1 < g)%N -> (k <= n.+1)%N ->
  (n.+1 < g * k)%N -> mass g n k < mass g n.+1 k.
Proof.
move=> g_gt1 le_kSn lt_n; have [lt_nk | le_kn] := ltnP n k.
  by rewrite (mass_above _ lt_nk) mass_gt0.
apply: (lt_by_weights _ _ (mass_grow _ _ (ltnW g_gt1))); rewrite ?mass_gt0 //; nia.
Qed.

Lemma mass_trial_down g n k : (1 < g)%N -> (k <= n)%N ->
  (g * k <= n.+1)%N -> mass g n.+1 k <= mass g n k.
Proof.
move=> g_gt1 le_kn le_gk.
apply: (le_by_weights _ _ (esym (mass_grow _ _ (ltnW g_gt1))));
  rewrite ?mass_ge0 //; nia.
Qed.

Lemma mass_trial_down_strict g n k : (1 < g)%N -> (k <= n)%N ->
  (g * k < n.+1)%N -> mass g n.+1 k < mass g n k.
Proof.
move=> g_gt1 le_kn lt_gk.
apply: (lt_by_weights _ _ (esym (mass_grow _ _ (ltnW g_gt1))));
  rewrite ?mass_gt0 //; nia.
Qed.

(* In g f trials b(n; k) rises up to k = f and falls from there on. *)
Lemma mass_rises_below_f g f k : (1 < g)%N -> (k < f)%N ->
  mass g (g * f) k <= mass g (g * f) k.+1.
Proof.
move=> g_gt1 lt_kf.
apply: (le_by_weights _ _ (mass_next _ _ (ltnW g_gt1))); rewrite ?mass_ge0 //; nia.
Qed.

Lemma mass_monotone_below_f g f k k' : (1 < g)%N -> (k <= k' <= f)%N ->
  mass g (g * f) k <= mass g (g * f) k'.
Proof.
move=> g_gt1 /andP[/subnKC <-]; elim: (k' - k)%N => [|d IHd] le_f.
  by rewrite addn0.
apply: (@le_trans _ _ (mass g (g * f) (k + d))); first by apply: IHd; lia.
by rewrite addnS mass_rises_below_f //; lia.
Qed.

Lemma mass_falls_above_f g f k : (1 < g)%N -> (f <= k)%N ->
  mass g (g * f) k.+1 <= mass g (g * f) k.
Proof.
move=> g_gt1 le_fk; have [le_nk | lt_kn] := leqP (g * f) k.
  by rewrite mass_above // mass_ge0.
apply: (le_by_weights _ _ (esym (mass_next _ _ (ltnW g_gt1))));
  rewrite ?mass_ge0 //; nia.
Qed.

(* So in g f trials no count is likelier than f. *)
Lemma mass_mode g f k : (1 < g)%N -> mass g (g * f) k <= mass g (g * f) f.
Proof.
move=> g_gt1; have [le_fk | lt_kf] := leqP f k; last first.
  by apply: mass_monotone_below_f => //; lia.
rewrite -(subnKC le_fk); elim: (k - f)%N => [|d IHd]; first by rewrite addn0.
by apply: le_trans IHd; rewrite addnS mass_falls_above_f //; lia.
Qed.

(** * Means and probabilities *)

(* One more trial: with probability 1/g the count moves up by one. *)
Lemma mean_trial g n h :
  mean g n.+1 h = failure g * mean g n h + success g * mean g n (h \o S).
Proof.
rewrite /mean big_ord_recl mass_S0.
under eq_bigr do rewrite mass_SS mulrDr.
rewrite big_split /= addrA !mulr_sumr; congr (_ + _); last first.
  by apply: eq_bigr => i _; rewrite /= mulrCA.
rewrite [RHS]big_ord_recl; congr (_ + _); first by rewrite mulrCA.
rewrite big_ord_recr /= (@mass_above g n n.+1) // !mulr0 addr0.
by apply: eq_bigr => i _; rewrite mulrCA.
Qed.

Lemma mean0 g h : mean g 0 h = h 0%N.
Proof. by rewrite /mean big_ord1 /mass bin0 !expr0 !mulr1. Qed.

Lemma eq_mean g n h h' : h =1 h' -> mean g n h = mean g n h'.
Proof. by move=> eq_h; apply: eq_bigr => x _; rewrite eq_h. Qed.

Lemma mean_le g n h h' : (1 < g)%N -> (forall x, h x <= h' x) ->
  mean g n h <= mean g n h'.
Proof.
by move=> g_gt1 le_h; apply: ler_sum => x _; rewrite ler_wpmul2r ?mass_ge0.
Qed.

Lemma meanD g n h h' :
  mean g n (fun x => h x + h' x) = mean g n h + mean g n h'.
Proof. by rewrite /mean -big_split /=; apply: eq_bigr => x _; rewrite mulrDl. Qed.

Lemma meanZ g n c h : mean g n (fun x => c * h x) = c * mean g n h.
Proof. by rewrite /mean mulr_sumr; apply: eq_bigr => x _; rewrite mulrA. Qed.

Lemma mean_point g n a : mean g n (fun x => (x == a)%:R) = mass g n a.
Proof.
have [lt_na | le_an] := ltnP n a.
  rewrite mass_above // /mean big1 // => x _.
  by rewrite (_ : (x == a :> nat) = false) ?mul0r //; have := ltn_ord x; lia.
rewrite /mean (bigD1 (inord a)) //= inordK // eqxx mul1r big1 ?addr0 // => x.
rewrite -val_eqE /= inordK // => neq_xa.
by rewrite (negbTE neq_xa) mul0r.
Qed.

Lemma probE g n A : prob g n A = mean g n (fun x => (A x)%:R).
Proof.
rewrite /prob /mean big_mkcond; apply: eq_bigr => x _.
by case: (A x); rewrite ?mul1r ?mul0r.
Qed.

Lemma eq_prob g n (A B : pred nat) : A =1 B -> prob g n A = prob g n B.
Proof. by move=> eq_A; apply: eq_bigl => x; rewrite eq_A. Qed.

Lemma prob_le g n (A B : pred nat) : (1 < g)%N -> (forall x, A x -> B x) ->
  prob g n A <= prob g n B.
Proof.
move=> g_gt1 sub_AB; rewrite !probE; apply: mean_le => // x.
by move: (sub_AB x); case: (A x); case: (B x) => // /(_ isT).
Qed.

Lemma prob_trial g n A :
  prob g n.+1 A = failure g * prob g n A + success g * prob g n (A \o S).
Proof. by rewrite !probE mean_trial. Qed.

Lemma success_failure g : success g + failure g = 1.
Proof. by rewrite /success /failure; ring. Qed.

(* The masses sum to 1. *)
Theorem prob_total g n : prob g n predT = 1.
Proof.
elim: n => [|n IHn]; first by rewrite probE mean0.
rewrite prob_trial (@eq_prob g n (predT \o S) predT) // IHn !mulr1 addrC.
exact: success_failure.
Qed.

Lemma prob_ge0 g n A : (1 < g)%N -> 0 <= prob g n A.
Proof. by move=> g_gt1; apply: sumr_ge0 => x _; apply: mass_ge0. Qed.
