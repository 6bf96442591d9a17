(* The check of d-gamma and what it promises: the alpha-beta algorithm keeps
   the posterior of every tuple within bounds.                               *)

From Coq Require Import NArith Bool.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From Kernel Require Import Tuples.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation nat_of := N.to_nat.

Definition ratio (n d : N) : rat := (nat_of n)%:R / (nat_of d)%:R.

(* Bayes: the posterior of a tuple with the prior x, after an observation that has
   probability p if the tuple is in the table and q if it is not.                   *)
Definition posterior (x p q : rat) : rat := x * p / (x * p + (1 - x) * q).

(* A tuple is published with alpha + beta if it is in the table, and with beta if it is not. *)
Definition tuples_statement (c : tuples) : Prop :=
  let a := ratio (a_num c) (a_den c) in
  let b := ratio (b_num c) (b_den c) in
  let d := ratio (d_num c) (d_den c) in
  let g := ratio (g_num c) (g_den c) in
  [/\ 0 < a, a + b <= 1, 0 < d <= g, g < 1 &
      forall x : rat, 0 < x <= d ->
        (d / g * x <= posterior x (a + b) b <= g) /\
        (d / g * x <= posterior x (1 - (a + b)) (1 - b) <= g)].

Section Bounds.

Variables a b d g x : rat.
Hypotheses (a0 : 0 < a) (b0 : 0 <= b) (ab1 : a + b <= 1) (d0 : 0 < d) (dg : d <= g) (g1 : g < 1).
Hypotheses (x0 : 0 < x) (xd : x <= d).
Hypotheses published : (a + b) * d * (1 - g) <= b * g * (1 - d).
Hypotheses unpublished : (1 - b) * d <= (1 - (a + b)) * g.

Let g0 : 0 < g := lt_le_trans d0 dg.
Let x1 : x < 1 := le_lt_trans xd (le_lt_trans dg g1).
Let x1' : 0 < 1 - x. Proof. by rewrite subr_gt0. Qed.
Let b1 : 0 < 1 - b. Proof. by rewrite subr_gt0; apply: lt_le_trans ab1; rewrite ltr_addr. Qed.

Lemma share_le1 : d / g <= 1. Proof. by rewrite ler_pdivr_mulr // mul1r. Qed.

Lemma published_bounds : d / g * x <= posterior x (a + b) b <= g.
Proof.
have ab0 : 0 < a + b by apply: lt_le_trans a0 _; rewrite ler_addl.
have den : 0 < x * (a + b) + (1 - x) * b.
  by apply: lt_le_trans (mulr_gt0 x0 ab0) _; rewrite ler_addl mulr_ge0 // ltW.
apply/andP; split.
  apply: le_trans (_ : x <= _); first by rewrite ger_pmull // share_le1.
  rewrite /posterior ler_pdivl_mulr // ler_pmul2l //.
  rewrite -subr_ge0 (_ : _ - _ = (1 - x) * a); last by ring.
  by rewrite mulr_ge0 // ltW.
rewrite /posterior ler_pdivr_mulr //.
rewrite -subr_ge0 (_ : _ - _ = b * g * (1 - x) - (a + b) * x * (1 - g)); last by ring.
rewrite subr_ge0; apply: (@le_trans _ _ ((a + b) * d * (1 - g))).
  by rewrite ler_wpmul2r ?subr_ge0 ?(ltW g1) // ler_wpmul2l ?(ltW ab0).
apply: le_trans published _; rewrite ler_wpmul2l ?mulr_ge0 ?(ltW g0) //.
by rewrite ler_add2l ler_opp2.
Qed.

Lemma unpublished_bounds : d / g * x <= posterior x (1 - (a + b)) (1 - b) <= g.
Proof.
have rest : 0 <= 1 - (a + b) by rewrite subr_ge0.
have den : 0 < x * (1 - (a + b)) + (1 - x) * (1 - b).
  by rewrite ltr_paddl ?mulr_gt0 // mulr_ge0 // ltW.
have den_le : x * (1 - (a + b)) + (1 - x) * (1 - b) <= 1 - b.
  rewrite -subr_ge0 (_ : _ - _ = x * a); last by ring.
  by rewrite mulr_ge0 // ltW.
apply/andP; split.
  rewrite /posterior ler_pdivl_mulr // [X in _ <= X]mulrC [_ * x]mulrC -mulrA [X in _ <= X]mulrC ler_pmul2l //.
  rewrite mulrAC ler_pdivr_mulr //; apply: le_trans unpublished.
  by rewrite mulrC ler_wpmul2r // ltW.
apply: le_trans (_ : x <= _); last by apply: le_trans dg.
rewrite /posterior ler_pdivr_mulr // ler_pmul2l //.
rewrite -subr_ge0 (_ : _ - _ = (1 - x) * a); last by ring.
by rewrite mulr_ge0 // ltW.
Qed.

End Bounds.

Lemma leb_nat m n : (m <=? n)%num -> (nat_of m <= nat_of n)%N.
Proof. by lia. Qed.

Theorem check_tuples_sound (c : tuples) : check_tuples c = true -> tuples_statement c.
Proof.
case: c => an ad bn bd dn dd gn gd; rewrite /check_tuples /tuples_statement /ratio /=.
case/andP => /andP[/andP[/andP[/andP[/andP[/andP[/andP[/andP[a1 A1] B1] d1] D1] lt_g] le_ab] le_dg] pub] unpub.
have {a1}a0 : (0 < nat_of an)%N by clear -a1; lia.
have {A1}A0 : (0 < nat_of ad)%N by clear -A1; lia.
have {B1}B0 : (0 < nat_of bd)%N by clear -B1; lia.
have {d1}d0 : (0 < nat_of dn)%N by clear -d1; lia.
have {D1}D0 : (0 < nat_of dd)%N by clear -D1; lia.
have {}lt_g : (nat_of gn < nat_of gd)%N by clear -lt_g; lia.
move: (leb_nat le_ab) (leb_nat le_dg) (leb_nat pub) (leb_nat unpub) => {le_ab le_dg pub unpub}.
rewrite !(N2Nat.inj_add, N2Nat.inj_mul) !(multE, plusE).
move: (nat_of an) (nat_of ad) (nat_of bn) (nat_of bd) (nat_of dn) (nat_of dd) (nat_of gn) (nat_of gd)
  a0 A0 B0 d0 D0 lt_g => {}an {}ad {}bn {}bd {}dn {}dd {}gn {}gd a0 A0 B0 d0 D0 lt_g.
have G0 : (0 < gd)%N by apply: leq_ltn_trans lt_g.
have nz n : (0 < n)%N -> n%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
have [An Bn Dn Gn] : [/\ ad%:R != 0 :> rat, bd%:R != 0 :> rat, dd%:R != 0 :> rat & gd%:R != 0 :> rat].
  by split; apply: nz.
have all x y (m n : nat) : (m <= n)%N -> y - x = (n%:R - m%:R) / (ad * bd * dd * gd)%N%:R -> x <= y :> rat.
  move=> le_mn eq_xy; rewrite -subr_ge0 eq_xy divr_ge0 ?ler0n // subr_ge0 ler_nat //.
move=> le_ab le_dg pub unpub.
have ab1 : an%:R / ad%:R + bn%:R / bd%:R <= 1 :> rat.
  apply: (all _ _ ((an * bd + bn * ad) * (dd * gd))%N (ad * bd * (dd * gd))%N); first by rewrite leq_mul2r le_ab orbT.
  by rewrite !(natrD, natrM); field; rewrite An Bn Dn Gn.
have dg : dn%:R / dd%:R <= gn%:R / gd%:R :> rat.
  apply: (all _ _ (dn * gd * (ad * bd))%N (gn * dd * (ad * bd))%N); first by rewrite leq_mul2r le_dg orbT.
  by rewrite !natrM; field; rewrite An Bn Dn Gn.
have g1 : gn%:R / gd%:R < 1 :> rat by rewrite ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat.
have published : (an%:R / ad%:R + bn%:R / bd%:R) * (dn%:R / dd%:R) * (1 - gn%:R / gd%:R)
    <= bn%:R / bd%:R * (gn%:R / gd%:R) * (1 - dn%:R / dd%:R) :> rat.
  by apply: all pub _; rewrite !(natrD, natrM); field; rewrite An Bn Dn Gn.
have unpublished : (1 - bn%:R / bd%:R) * (dn%:R / dd%:R)
    <= (1 - (an%:R / ad%:R + bn%:R / bd%:R)) * (gn%:R / gd%:R) :> rat.
  by apply: all unpub _; rewrite !(natrD, natrM); field; rewrite An Bn Dn Gn.
have alpha0 : 0 < an%:R / ad%:R :> rat by rewrite divr_gt0 ?ltr0n.
have beta0 : 0 <= bn%:R / bd%:R :> rat by rewrite divr_ge0 ?ler0n.
have delta0 : 0 < dn%:R / dd%:R :> rat by rewrite divr_gt0 ?ltr0n.
split=> //; first by rewrite delta0.
move=> x /andP[x0 xd]; split; [exact: published_bounds | exact: unpublished_bounds].
Qed.
