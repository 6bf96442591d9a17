(* Claim splu.T3c: the corrected error bound, by Chebyshev.

   For X ~ Bin(g f, 1/g), f >= 1 and a rational eps > 0,

     Pr(|X - f| >= eps f) <= (g - 1) / (g eps^2 f).

   Proof: X has mean f and variance f (g - 1)/g, by induction on the number
   of trials; where |x - f| >= eps f, the square (x - f)^2/(eps f)^2 is at
   least 1.                                                               *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Mean and variance *)

(* E (X - c)^2 = n (1/g)(1 - 1/g) + (n/g - c)^2 for every c. *)
Lemma mean_square g n c : mean g n (fun x => (x%:R - c) ^+ 2) =
  n%:R * success g * failure g + (n%:R * success g - c) ^+ 2.
Proof.
elim: n c => [|n IHn] c; first by rewrite mean0; ring.
rewrite mean_trial IHn (@eq_mean g n _ (fun x => (x%:R - (c - 1)) ^+ 2)).
  by rewrite IHn /failure /success; ring.
by move=> x /=; ring.
Qed.

(* E X = f for f records. *)
Theorem mean_is_f g f : (0 < g)%N -> mean g (g * f) (fun x => x%:R) = f%:R.
Proof.
move=> g_gt0; have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
suff mean_n n : mean g n (fun x => x%:R) = n%:R * success g.
  by rewrite mean_n /success; field.
elim: n => [|n IHn]; first by rewrite mean0 mul0r.
rewrite mean_trial IHn (@eq_mean g n _ (fun x => x%:R + 1)).
  rewrite meanD IHn (@eq_mean g n _ (fun x => (x \in predT)%:R)) // -probE.
  by rewrite prob_total /failure /success; ring.
by move=> x /=; ring.
Qed.

(* E (X - f)^2 = f (g - 1)/g. *)
Theorem variance g f : (0 < g)%N ->
  mean g (g * f) (fun x => (x%:R - f%:R) ^+ 2) = f%:R * (g%:R - 1) / g%:R.
Proof.
move=> g_gt0; have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
by rewrite mean_square /failure /success; field.
Qed.

(** * The bound *)

Theorem chebyshev (g f : nat) (eps : rat) : (1 < g)%N -> (0 < f)%N -> 0 < eps ->
  prob g (g * f) (off f eps) <= (g%:R - 1) / (g%:R * eps ^+ 2 * f%:R).
Proof.
move=> g_gt1 f_gt0 eps_gt0; have g_gt0 := ltnW g_gt1.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have f_neq0 : f%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have eps_neq0 : eps != 0 by rewrite gt_eqF.
have ef_gt0 : 0 < eps * f%:R by rewrite mulr_gt0 ?ltr0n.
have -> : (g%:R - 1) / (g%:R * eps ^+ 2 * f%:R) =
    ((eps * f%:R) ^+ 2)^-1 * (f%:R * (g%:R - 1) / g%:R).
  by field; rewrite eps_neq0 f_neq0 g_neq0.
rewrite -variance // -meanZ probE; apply: mean_le => // x.
case le_x: (off f eps x); last by rewrite mulr_ge0 ?sqr_ge0 // invr_ge0 sqr_ge0.
rewrite ler_pdivl_mull ?exprn_gt0 // mulr1 -[X in _ <= X]real_normK ?num_real //.
by rewrite ler_sqr ?nnegrE ?normr_ge0 // ltW.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example mean_is_f_applies : mean 3 (3 * 2) (fun x => x%:R) = 2%:R.
Proof. exact: (@mean_is_f 3 2 isT). Qed.

Example variance_applies :
  mean 3 (3 * 2) (fun x => (x%:R - 2%:R) ^+ 2) = 2%:R * (3%:R - 1) / 3%:R.
Proof. exact: (@variance 3 2 isT). Qed.

Example chebyshev_applies :
  prob 3 (3 * 2) (off 2 1) <= (3%:R - 1) / (3%:R * 1 ^+ 2 * 2%:R).
Proof. exact: (@chebyshev 3 2 1 isT isT isT). Qed.
