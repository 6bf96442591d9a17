(* Claim splu.T3, refuted: the printed bound Pr(|f' - f| >= eps f) <=
   1/(g eps^2 f^2) is false.

   At g = 3, f = 1, eps = 1 the probability is 5/9 and the bound 1/3. Nothing
   smaller fails: g f < 3 leaves g = 2, f = 1, where the bound holds for
   every eps > 0. At eps = 1/f it fails for every (g, f) except (2, 1).    *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Chebyshev.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The bound as printed. *)
Definition printed_bound (g f : nat) (eps : rat) : rat :=
  (g%:R * eps ^+ 2 * f%:R ^+ 2)^-1.

(** * The witness *)

(* Missing 1 by at least 1 leaves every count but 1. *)
Lemma off_one_one x : off 1 1 x = (x != 1)%N.
Proof.
rewrite /off mulr1; case: x => [|[|x]] //.
rewrite /= ler_normr (_ : _ <= _ - _) // ler_subr_addr -(natrD _ 1 1) ler_nat.
by [].
Qed.

Theorem witness_probability : prob 3 (3 * 1) (off 1 1) = 5%:R / 9%:R.
Proof.
rewrite (eq_prob _ _ off_one_one) /prob big_mkcond !big_ord_recl big_ord0 /=.
by rewrite /mass /success /failure; apply/eqP; vm_compute.
Qed.

Theorem witness_bound : printed_bound 3 1 1 = 1 / 3%:R.
Proof. by apply/eqP; vm_compute. Qed.

Theorem witness : printed_bound 3 1 1 < prob 3 (3 * 1) (off 1 1).
Proof. by rewrite witness_probability witness_bound; vm_compute. Qed.

Theorem printed_bound_refuted :
  ~ (forall (g f : nat) (eps : rat), (1 < g)%N -> (0 < f)%N -> 0 < eps ->
       prob g (g * f) (off f eps) <= printed_bound g f eps).
Proof.
move=> /(_ 3%N 1%N 1 isT isT ltr01) le_bound.
by have := lt_le_trans witness le_bound; rewrite ltxx.
Qed.

(** * Nothing smaller *)

(* g f < 3 leaves g = 2, f = 1, where Chebyshev's bound is the printed one. *)
Theorem nothing_smaller (g f : nat) (eps : rat) :
  (1 < g)%N -> (0 < f)%N -> (g * f < 3)%N -> 0 < eps ->
  prob g (g * f) (off f eps) <= printed_bound g f eps.
Proof.
move=> g_gt1 f_gt0 lt3 eps_gt0.
have [eq_g eq_f] : g = 2%N /\ f = 1%N by nia.
have := chebyshev g_gt1 f_gt0 eps_gt0; rewrite /printed_bound eq_g eq_f.
by rewrite expr1n mulrSr addrK div1r.
Qed.

(** * At eps = 1/f it fails for every (g, f) other than (2, 1) *)

(* With more trials, no count is likelier than f is among g f trials. *)
Lemma mode_falls g f f' k : (1 < g)%N -> (f <= f')%N ->
  mass g (g * f') k <= mass g (g * f) f.
Proof.
move=> g_gt1 le_ff'; have g_gt0 := ltnW g_gt1.
rewrite -(subnKC le_ff') mulnDr; elim: (g * (f' - f))%N k => [|m IHm] k.
  by rewrite addn0 mass_mode.
set top := mass g (g * f) f in IHm *.
have -> : top = failure g * top + success g * top.
  by rewrite -mulrDl addrC success_failure mul1r.
have p_ge0 := ltW (success_gt0 g_gt0); have q_ge0 := ltW (failure_gt0 g_gt1).
rewrite addnS; case: k => [|k]; last first.
  by rewrite mass_SS; apply: ler_add; apply: ler_wpmul2l.
rewrite mass_S0; apply: ler_paddr; last exact: ler_wpmul2l.
by rewrite mulr_ge0 // mass_ge0.
Qed.

(* b(g f; f) < 1 - 1/g unless g = 2, f = 1. *)
Lemma mode_small g f : (1 < g)%N -> (0 < f)%N -> (g, f) != (2, 1)%N ->
  mass g (g * f) f < failure g.
Proof.
move=> g_gt1 f_gt0 neq21; have g_gt0 := ltnW g_gt1.
have [g_gt2 | le_g2] := ltnP 2 g.
  apply: (le_lt_trans (mode_falls f g_gt1 f_gt0)).
  have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
  rewrite muln1 /mass bin1 expr1 {1}/success divff // mul1r.
  have q_gt0 := failure_gt0 g_gt1; have q_lt1 : failure g < 1.
    by rewrite -subr_gt0 /failure opprB addrC subrK invr_gt0 ltr0n.
  rewrite (_ : g - 1 = (g - 3).+2)%N ?exprS; last by lia.
  rewrite gtr_pmulr // (le_lt_trans _ q_lt1) // ger_pmulr // exprn_ile1 //; exact: ltW.
have eq_g : g = 2%N by lia.
rewrite eq_g in neq21 g_gt1 *; have f_gt1 : (1 < f)%N.
  by case: f f_gt0 neq21 => [|[|f]].
apply: (le_lt_trans (mode_falls f g_gt1 f_gt1)).
by rewrite /mass /success /failure; vm_compute.
Qed.

Theorem fails_almost_everywhere (g f : nat) :
  (1 < g)%N -> (0 < f)%N -> (g, f) != (2, 1)%N ->
  printed_bound g f f%:R^-1 < prob g (g * f) (off f f%:R^-1).
Proof.
move=> g_gt1 f_gt0 neq21; have g_gt0 := ltnW g_gt1.
have f_neq0 : f%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have -> : printed_bound g f f%:R^-1 = success g.
  by rewrite /printed_bound exprVn divfK ?expf_neq0.
have off_f x : off f f%:R^-1 x = (x != f).
  rewrite /off mulVf //; have [->|neq_xf] := eqVneq x f.
    by rewrite subrr normr0 ler10.
  have [lt_xf | lt_fx | eq_xf] := ltngtP x f; last by rewrite eq_xf eqxx in neq_xf.
    by rewrite distrC -natrB ?(ltnW lt_xf) // normr_nat ler1n; lia.
  by rewrite -natrB ?(ltnW lt_fx) // normr_nat ler1n; lia.
have -> : prob g (g * f) (off f f%:R^-1) = 1 - mass g (g * f) f.
  rewrite -[X in _ = X - _](prob_total g (g * f)) !probE -mean_point.
  apply/eqP; rewrite eq_sym subr_eq -meanD; apply/eqP; apply: eq_mean => x.
  by rewrite /= off_f -natrD; case: eqP.
rewrite ltr_subr_addr addrC -ltr_subr_addr.
exact: mode_small.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example nothing_smaller_applies : prob 2 (2 * 1) (off 1 1) <= printed_bound 2 1 1.
Proof. exact: (@nothing_smaller 2 1 1 isT isT isT isT). Qed.

Example fails_almost_everywhere_applies :
  printed_bound 2 2 2%:R^-1 < prob 2 (2 * 2) (off 2 2%:R^-1).
Proof. exact: (@fails_almost_everywhere 2 2 isT isT isT). Qed.
