(* What the check of safe promises, under any prior. *)

From Coq Require Import NArith Bool List.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From Kernel Require Import DGamma Replacement Belief.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation nat_of := N.to_nat.
Notation nth := seq.nth.
Notation filter := seq.filter.

(** * The statements *)

Definition is_law (m : nat) (prior : 'I_m -> rat) : Prop :=
  (forall u, 0 <= prior u) /\ \sum_u prior u = 1.

(* No set of values that has at most the probability low before comes to high or more by any value that is seen. *)
Definition no_breach (m : nat) (p low high : rat) : Prop :=
  forall (prior : 'I_m -> rat) (set : pred 'I_m) (v : 'I_m), is_law prior ->
    before prior set <= low -> after p prior set v < high.

(* The largest ratio of the probabilities of the same published value under two true values. *)
Definition amplification (m : nat) (p a : rat) : Prop :=
  (forall u u' v : 'I_m, published p u v <= a * published p u' v) /\
  exists u u' v : 'I_m, 0 < published p u' v /\ published p u v = a * published p u' v.

Definition dangerous (low high : rat) : rat := high * (1 - low) / (low * (1 - high)).

Definition safe_statement (c : safe) : Prop :=
  let l := s_levels c in
  let m := nat_of (values l) in
  let low := ratio (rho1_num l) (rho1_den l) in
  let high := ratio (rho2_num l) (rho2_den l) in
  let p := ratio (p_num l) (p_den l) in
  let a := ratio (ratio_num c) (ratio_den c) in
  [/\ levels_hold l, amplification m p a, a < dangerous low high, no_breach m p low high &
      forall q b : rat, 0 <= q < 1 -> amplification m q b -> dangerous low high <= b -> ~ no_breach m q low high].

(** * Under any prior *)

Section Any.

Variables (m : nat) (p : rat).
Hypotheses (m1 : (1 < m)%N) (p0 : 0 <= p) (p1 : p < 1).
Let other : rat := (1 - p) / m%:R.
Let most : rat := 1 + p * m%:R / (1 - p).

Let m_gt0 : (0 < m)%N := ltnW m1.
Let other_gt0 : 0 < other. Proof. by rewrite divr_gt0 ?subr_gt0 ?ltr0n. Qed.

Lemma most_other : most * other = p + other.
Proof.
rewrite /most mulrDl mul1r addrC; congr (_ + _); rewrite /other mulrA divfK ?mulfK //.
  by rewrite pnatr_eq0 -lt0n.
by rewrite subr_eq0 gt_eqF.
Qed.

Lemma most_ge1 : 1 <= most.
Proof. by rewrite ler_addl divr_ge0 ?mulr_ge0 ?ler0n // subr_ge0 ltW. Qed.

Lemma published_le (u v : 'I_m) : published p u v <= most * other.
Proof. by rewrite publishedE // most_other ler_add2r ler_pimulr //; case: (_ == _). Qed.

Lemma published_ge (u v : 'I_m) : other <= published p u v.
Proof. by rewrite publishedE // ler_addr mulr_ge0 // ler0n. Qed.

Lemma amplified : amplification m p most.
Proof.
split=> [u u' v | ].
  apply: le_trans (published_le u v) _; rewrite ler_wpmul2l ?published_ge //.
  exact: le_trans ler01 most_ge1.
exists (Ordinal m_gt0), (Ordinal m1), (Ordinal m_gt0); rewrite !publishedE // eqxx mulr1.
by rewrite (_ : Ordinal m1 == Ordinal m_gt0 = false) // mulr0 add0r most_other.
Qed.

Lemma amplification_unique a : amplification m p a -> a = most.
Proof.
case=> le_a [u [u' [v [pos eq_a]]]]; have [le_most [w [w' [x [pos' eq_most]]]]] := amplified.
apply/eqP; rewrite eq_le; apply/andP; split.
  by rewrite -(ler_pmul2r pos) -eq_a le_most.
by rewrite -(ler_pmul2r pos') -eq_most le_a.
Qed.

Variables low high : rat.
Hypotheses (low0 : 0 < low) (lh : low < high) (high1 : high < 1).

Let low1 : low < 1 := lt_trans lh high1.
Let below : 0 < low * (1 - high). Proof. by rewrite mulr_gt0 // subr_gt0. Qed.

Lemma safe_any : most < dangerous low high -> no_breach m p low high.
Proof.
rewrite /dangerous ltr_pdivl_mulr // => small prior set v [prior0 prior1] le_low.
have split_sum (f : 'I_m -> rat) : \sum_u f u = \sum_(u | set u) f u + \sum_(u | ~~ set u) f u by exact: bigID.
rewrite /after split_sum; set A := \sum_(u | set u) _; set B := \sum_(u | ~~ set u) _.
have A0 : 0 <= A by apply: sumr_ge0 => u _; rewrite mulr_ge0 // (le_trans (ltW other_gt0)) // published_ge.
have A_le : A <= low * (most * other).
  apply: (@le_trans _ _ (before prior set * (most * other))).
    by rewrite mulr_suml; apply: ler_sum => u _; rewrite ler_wpmul2l // published_le.
  by rewrite ler_wpmul2r // mulr_ge0 ?(ltW other_gt0) // (le_trans ler01 most_ge1).
have B_ge : (1 - low) * other <= B.
  apply: (@le_trans _ _ ((\sum_(u | ~~ set u) prior u) * other)).
    rewrite ler_wpmul2r ?(ltW other_gt0) // -prior1 split_sum.
    by move: le_low; rewrite /before; move: (\sum_(u | set u) _) (\sum_(u | ~~ set u) _) => x y le_x; rewrite ler_subl_addr addrC ler_add2l.
  by rewrite mulr_suml; apply: ler_sum => u _; rewrite ler_wpmul2l // published_ge.
have B0 : 0 < B by apply: lt_le_trans B_ge; rewrite mulr_gt0 // subr_gt0.
rewrite ltr_pdivr_mulr ?ltr_paddl // mulrDr -ltr_subl_addl -{1}(mul1r A) -mulrBl.
apply: (@le_lt_trans _ _ ((1 - high) * (low * (most * other)))).
  by rewrite ler_wpmul2l // subr_ge0 ltW.
apply: (@lt_le_trans _ _ (high * ((1 - low) * other))); last by rewrite ler_wpmul2l // ltW // (lt_trans low0).
rewrite [X in X < _](_ : _ = most * (low * (1 - high)) * other); last by ring.
by rewrite [X in _ < X]mulrA ltr_pmul2r.
Qed.

(* A belief of low in one value, and of the rest in another. *)
Lemma danger : dangerous low high <= most -> ~ no_breach m p low high.
Proof.
rewrite /dangerous ler_pdivr_mulr // => large none.
pose u := Ordinal m_gt0; pose u' := Ordinal m1.
pose prior (x : 'I_m) := if x == u then low else if x == u' then 1 - low else 0.
have ne : (u' == u) = false by [].
have sum2 (f : 'I_m -> rat) : \sum_x prior x * f x = low * f u + (1 - low) * f u'.
  rewrite (bigD1 u) //= (bigD1 u') ?ne //= /prior eqxx ne eqxx addrA big1 ?addr0 // => x.
  by case/andP => /negbTE -> /negbTE ->; rewrite mul0r.
have law : is_law prior.
  split=> [x | ]; last first.
    by have := sum2 (fun=> 1); under eq_bigr do rewrite mulr1; move=> ->; rewrite !mulr1 addrC subrK.
  rewrite /prior; case: ifP => _; first exact: ltW.
  by case: ifP => _ //; rewrite subr_ge0 ltW.
have := none prior (pred1 u) u law; rewrite /before big_pred1_eq /prior eqxx lexx => /(_ isT).
rewrite /after big_pred1_eq sum2 eqxx !publishedE // eqxx ne mulr1 mulr0 add0r -most_other -?/other.
rewrite ltNge => /negP; apply.
have most0 : 0 < most := lt_le_trans ltr01 most_ge1.
have den : 0 < low * (most * other) + (1 - low) * other.
  have rest : 0 < 1 - low by rewrite subr_gt0.
  by apply: addr_gt0; [exact: mulr_gt0 low0 (mulr_gt0 most0 other_gt0) | exact: mulr_gt0 rest other_gt0].
rewrite ler_pdivl_mulr // -subr_ge0.
rewrite [X in 0 <= X](_ : _ = (most * (low * (1 - high)) - high * (1 - low)) * other); last by ring.
by apply: mulr_ge0; [rewrite subr_ge0 | apply: ltW].
Qed.

End Any.

Theorem check_safe_sound (c : safe) : check_safe c = true -> safe_statement c.
Proof.
case: c => l an ad; rewrite /check_safe /safe_statement /=.
case/andP => /andP[/andP[/andP[ok lt_p] a1] eq_a] small.
have [d0 pd m0 /andP[l0 h0] hold] := check_levels_ok ok; have [/andP[p0 _] m1 low0 lh high1] := hold.
have low1 := lt_trans lh high1.
rewrite frac_ltb in lt_p; rewrite frac_leb frac1 frac_ge1 in a1.
have p1 : ratio (p_num l) (p_den l) < 1 by rewrite ltr_pdivr_mulr // mul1r.
have rest0 : 0 < frac (p_den l) - frac (p_num l) by rewrite subr_gt0.
have l_le : frac (rho1_num l) <= frac (rho1_den l).
  by move: low1; rewrite /ratio -!/(frac _) ltr_pdivr_mulr // mul1r => /ltW.
have h_le : frac (rho2_num l) <= frac (rho2_den l).
  by move: high1; rewrite /ratio -!/(frac _) ltr_pdivr_mulr // mul1r => /ltW.
rewrite frac_eqb !(fracM, fracD) !fracB // in eq_a.
rewrite frac_ltb !(fracM, fracD) !fracB // in small.
have eq_most : ratio an ad = 1 + ratio (p_num l) (p_den l) * (nat_of (values l))%:R / (1 - ratio (p_num l) (p_den l)).
  rewrite /ratio -!/(frac _); apply/eqP; rewrite eq_sym.
  move/eqP: eq_a; move: (frac an) (frac ad) (frac (p_num l)) (frac (p_den l)) (frac (values l)) d0 rest0 a1.
  move=> x y p d m dp rp yp eq_xy.
  have y_n0 : y != 0 by apply: lt0r_neq0.
  have d_n0 : d != 0 by apply: lt0r_neq0.
  have r_n0 : d - p != 0 by apply: lt0r_neq0.
  rewrite [X in X == _](_ : _ = (d - p + p * m) / (d - p)); last by field; rewrite r_n0 d_n0.
  by rewrite eqr_div // eq_xy.
have lt_G : ratio an ad < dangerous (ratio (rho1_num l) (rho1_den l)) (ratio (rho2_num l) (rho2_den l)).
  rewrite /dangerous ltr_pdivl_mulr; last by apply: (mulr_gt0 low0); rewrite subr_gt0.
  have -> : ratio an ad = (frac (p_den l) - frac (p_num l) + frac (p_num l) * frac (values l)) /
      (frac (p_den l) - frac (p_num l)).
    by apply/eqP; rewrite /ratio -!/(frac _) eqr_div ?lt0r_neq0 // eq_sym.
  rewrite mulrAC ltr_pdivr_mulr // /ratio -!/(frac _).
  move: small; move: (frac (p_num l) * frac (values l)) (frac (p_den l) - frac (p_num l)) rest0
    (frac (rho1_num l)) (frac (rho1_den l)) (frac (rho2_num l))
    (frac (rho2_den l)) l0 h0 => x r r0 ln ld hn hd ld0 hd0 small.
  have scale : 0 < ld * hd by rewrite mulr_gt0.
  rewrite -[X in is_true X](ltr_pmul2r scale).
  have [ldn hdn] : ld != 0 /\ hd != 0 by split; apply: lt0r_neq0.
  have left : (r + x) * (ln / ld * (1 - hn / hd)) * (ld * hd) = (r + x) * ln * (hd - hn).
    by field; rewrite hdn ldn.
  have right : hn / hd * (1 - ln / ld) * r * (ld * hd) = hn * (ld - ln) * r by field; rewrite hdn ldn.
  by rewrite left right.
split=> //.
- by rewrite eq_most; apply: amplified.
- by apply: safe_any => //; rewrite -eq_most.
move=> q b' /andP[q0 q1] /(amplification_unique m1 q0 q1) -> big.
exact: danger.
Qed.
