(* Claim splu.S: the sawtooth lemma.

   X_f ~ Bin(g f, 1/g) is the published count of a value with f records. For
   a fixed whole distance j >= 1, neither Pr(X_f >= f + j) nor
   Pr(X_f <= f - j) falls as f grows. (X <= f - j is written X + j <= f, as
   there are no negative numbers among the naturals.)

   Proof: from f to f + 1 is g more trials. One more trial after m changes
   Pr(X > a) by b(m; a)/g, so g trials change it by the mean of
   b(g f + i; a) over i < g; with a = f + j each of these is at least
   b(g f; a), with a = f + 1 - j each is at most that.                    *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * One trial and g trials *)

Lemma above_split g n a : prob g n (fun x => a <= x)%N =
  mass g n a + prob g n (fun x => a < x)%N.
Proof.
rewrite !probE -mean_point -meanD; apply: eq_mean => x.
by rewrite -natrD; congr (_%:R); lia.
Qed.

Lemma below_split g n a : prob g n (fun x => x <= a)%N =
  mass g n a + prob g n (fun x => x < a)%N.
Proof.
rewrite !probE -mean_point -meanD; apply: eq_mean => x.
by rewrite -natrD; congr (_%:R); lia.
Qed.

Lemma above_trial g n a : prob g n.+1 (fun x => a < x)%N =
  prob g n (fun x => a < x)%N + success g * mass g n a.
Proof.
rewrite prob_trial [prob g n (_ \o S)](_ : _ = prob g n (fun x => a <= x)%N) //.
rewrite (above_split g n a).
by move: (prob _ _ _) (mass _ _ _) => tail point; rewrite /failure /success; ring.
Qed.

Lemma below_trial g n a : prob g n.+1 (fun x => x <= a)%N =
  prob g n (fun x => x <= a)%N - success g * mass g n a.
Proof.
rewrite prob_trial [prob g n (_ \o S)](_ : _ = prob g n (fun x => x < a)%N) //.
rewrite (below_split g n a).
by move: (prob _ _ _) (mass _ _ _) => tail point; rewrite /failure /success; ring.
Qed.

Lemma above_trials g n a t : prob g (n + t) (fun x => a < x)%N =
  prob g n (fun x => a < x)%N + success g * \sum_(i < t) mass g (n + i) a.
Proof.
elim: t => [|t IHt]; first by rewrite addn0 big_ord0 mulr0 addr0.
by rewrite addnS above_trial IHt big_ord_recr /= mulrDr addrA.
Qed.

Lemma below_trials g n a t : prob g (n + t) (fun x => x <= a)%N =
  prob g n (fun x => x <= a)%N - success g * \sum_(i < t) mass g (n + i) a.
Proof.
elim: t => [|t IHt]; first by rewrite addn0 big_ord0 mulr0 subr0.
by rewrite addnS below_trial IHt big_ord_recr /= mulrDr opprD addrA.
Qed.

(* The mean of g equal terms is the term. *)
Lemma success_sum g (c : rat) : (0 < g)%N -> success g * (\sum_(i < g) c) = c.
Proof.
move=> g_gt0; rewrite sumr_const card_ord -mulr_natr mulrC -mulrA divff ?mulr1 //.
by rewrite pnatr_eq0 -lt0n.
Qed.

(** * The sawtooth lemma *)

Theorem sawtooth_above (g f j : nat) : (1 < g)%N -> (0 < j)%N ->
  prob g (g * f) (fun x => f + j <= x)%N
    <= prob g (g * f.+1) (fun x => f.+1 + j <= x)%N.
Proof.
move=> g_gt1 j_gt0; have g_gt0 := ltnW g_gt1.
rewrite mulnSr above_split [X in _ <= X](above_trials _ _ (f + j)) addrC ler_add2l.
rewrite -{1}[mass _ _ _](success_sum _ g_gt0) ler_wpmul2l ?(ltW (success_gt0 g_gt0)) //.
apply: ler_sum => -[i /= lt_ig] _.
elim: i lt_ig => [|i IHi] lt_ig; first by rewrite addn0.
rewrite addnS (le_trans (IHi (ltnW lt_ig))) // mass_trial_up //; nia.
Qed.

Theorem sawtooth_below (g f j : nat) : (1 < g)%N -> (0 < j)%N ->
  prob g (g * f) (fun x => x + j <= f)%N
    <= prob g (g * f.+1) (fun x => x + j <= f.+1)%N.
Proof.
move=> g_gt1 j_gt0; have g_gt0 := ltnW g_gt1.
have [lt_fj | le_jf] := ltnP f.+1 j.
  rewrite [X in X <= _](_ : _ = 0) ?prob_ge0 //.
  by rewrite /prob big_pred0 // => x; lia.
pose a := (f.+1 - j)%N.
rewrite [X in X <= _](@eq_prob _ _ _ (fun x => x < a)%N) => [|x]; last by rewrite /a; lia.
rewrite [X in _ <= X](@eq_prob _ _ _ (fun x => x <= a)%N) => [|x]; last by rewrite /a; lia.
rewrite mulnSr below_trials below_split addrAC ler_addr subr_ge0.
rewrite -[X in _ <= X](success_sum _ g_gt0) ler_wpmul2l ?(ltW (success_gt0 g_gt0)) //.
apply: ler_sum => -[i /= lt_ig] _.
elim: i lt_ig => [|i IHi] lt_ig; first by rewrite addn0.
rewrite addnS (le_trans _ (IHi (ltnW lt_ig))) // mass_trial_down //; rewrite /a; nia.
Qed.

(* Hence for any two counts on one plateau. *)
Corollary sawtooth_above_monotone (g f f' j : nat) :
  (1 < g)%N -> (0 < j)%N -> (f <= f')%N ->
  prob g (g * f) (fun x => f + j <= x)%N
    <= prob g (g * f') (fun x => f' + j <= x)%N.
Proof.
move=> g_gt1 j_gt0 /subnK <-; elim: (f' - f)%N => // d IHd.
exact/(le_trans IHd)/sawtooth_above.
Qed.

Corollary sawtooth_below_monotone (g f f' j : nat) :
  (1 < g)%N -> (0 < j)%N -> (f <= f')%N ->
  prob g (g * f) (fun x => x + j <= f)%N
    <= prob g (g * f') (fun x => x + j <= f')%N.
Proof.
move=> g_gt1 j_gt0 /subnK <-; elim: (f' - f)%N => // d IHd.
exact/(le_trans IHd)/sawtooth_below.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example sawtooth_above_applies :
  prob 3 (3 * 2) (fun x => 2 + 1 <= x)%N <= prob 3 (3 * 3) (fun x => 3 + 1 <= x)%N.
Proof. exact: (@sawtooth_above 3 2 1 isT isT). Qed.

Example sawtooth_below_applies :
  prob 3 (3 * 2) (fun x => x + 1 <= 2)%N <= prob 3 (3 * 3) (fun x => x + 1 <= 3)%N.
Proof. exact: (@sawtooth_below 3 2 1 isT isT). Qed.

Example sawtooth_above_monotone_applies :
  prob 3 (3 * 2) (fun x => 2 + 1 <= x)%N <= prob 3 (3 * 5) (fun x => 5 + 1 <= x)%N.
Proof. exact: (@sawtooth_above_monotone 3 2 5 1 isT isT isT). Qed.

Example sawtooth_below_monotone_applies :
  prob 3 (3 * 2) (fun x => x + 1 <= 2)%N <= prob 3 (3 * 5) (fun x => x + 1 <= 5)%N.
Proof. exact: (@sawtooth_below_monotone 3 2 5 1 isT isT isT). Qed.
