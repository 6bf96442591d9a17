(* What the check of small-sum-privacy promises under all-or-none draws. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Law Checker Bridge Lower Minimum LowerBounds Privacy Retention RetentionLaw Exact.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Pr(|f' - f| > eps f), or >= eps f, for f' = g Y with Y ~ Bin(f, 1/g). *)
Definition rare_wrong (strict : bool) (g : nat) (eps : rat) (f : nat) : rat :=
  prob g f (fun y => event strict eps f (g * y)).

Definition rare_form_holds (strict : bool) (g : nat) (eps : rat) (alpha : nat) (w : form) : Prop :=
  let F := nat_of (argmin w) in
  let P := rare_wrong strict g eps in
  [/\ (1 <= F <= alpha)%N,
      P F = (nat_of (least w))%:R / (g ^ F)%:R,
      forall f, (1 <= f <= alpha)%N -> P F <= P f,
      forall f, (1 <= f < F)%N -> P F < P f &
      forall f, (1 <= f <= alpha)%N -> chance (value_num w) (value_den w) <= P f].

Definition all_or_none_statement (c : privacy) : Prop :=
  let g := nat_of (gamma c) in
  let eps := chance (eps_num c) (eps_den c) in
  [/\ (1 < g)%N, 0 < eps,
      rare_form_holds true g eps (nat_of (alpha c)) (theorem_4 c) &
      rare_form_holds false g eps (nat_of (alpha c)) (definition_2 c)].

Lemma between_sum n a k (F : nat -> nat) : (k <= n.+1)%N ->
  (\sum_(x < n.+1 | a <= x < k) F x = \sum_(i < k - a) F (a + i))%N.
Proof.
move=> le_k; rewrite -(big_mkord xpredT (fun i => F (a + i)%N)).
have -> : (\sum_(0 <= i < k - a) F (a + i) = \sum_(a <= x < k) F x)%N.
  rewrite [RHS](_ : _ = \sum_(0 + a <= x < k) F x)%N; last by rewrite add0n.
  by rewrite big_addn; apply: eq_bigr => i _; rewrite addnC.
rewrite (@big_nat_widen _ _ _ _ _ n.+1) // (@big_nat_widenl _ _ _ _ 0%N) // big_mkord.
by apply: eq_bigl => x; rewrite /= andbC.
Qed.

Section Form.

Variables (strict : bool) (g p q : nat) (w : form).
Hypotheses (g_gt1 : (1 < g)%N) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N).

Let eps : rat := p%:R / q%:R.
Let P := rare_wrong strict g eps.
Let F := nat_of (argmin w).
Let top f := nat_of (rare_numerator (b g) (b p) (b q) strict (b f)).
Let g_gt0 : (0 < g)%N := ltnW g_gt1.

Lemma rare_top f : (0 < f)%N -> P f = (top f)%:R / (g ^ f)%:R.
Proof.
move=> f0; pose j := distance_nat strict p q f; pose A y := err f j (g * y).
have j0 : (0 < j)%N by exact: distance_gt0.
have -> : P f = prob g f A by apply: eq_prob => y; rewrite event_err.
rewrite prob_term //; congr (_%:R / _).
have -> : (\sum_(y < f.+1 | A y) term g f y = g ^ f - \sum_(y < f.+1 | ~~ A y) term g f y)%N.
  by rewrite -(term_total f g_gt0) [X in (X - _)%N](bigID (fun y : 'I_f.+1 => A y)) /= addnK.
pose first := (if f < j then 0 else (f - j) %/ g + 1)%N.
pose stop := minn (f + 1) ((f + j + (g - 1)) %/ g).
rewrite /top /rare_numerator bdistance // -/j bltb bB bdiv // !bD1 bB1 !bD bdiv // bmin.
have -> : (if (f < j)%N then 0%num else b ((f - j) %/ g + 1)) = b first by rewrite /first; case: ifP.
rewrite -/stop bB bwindow // bexp bB Nat2N.id -(@between_sum f); last by rewrite /stop geq_min addn1 leqnn.
congr (_ - _)%N; apply: eq_bigl => y; have := ltn_ord y; move: (nat_of_ord y) => {}y lt_y.
have below_stop : (y < stop)%N = (g * y < f + j)%N.
  rewrite /stop leq_min addn1 lt_y /= leq_divRL // mulSn mulnC.
  by move: g_gt0; clear; move: (g * y)%N => x; lia.
have from_first : (first <= y)%N = (f < g * y + j)%N.
  rewrite /first; case: ltnP => [lt_fj | le_jf]; first by rewrite leq0n; move: lt_fj; clear; lia.
  by rewrite addn1 ltn_divLR // mulnC; move: le_jf; clear; move: (g * y)%N => x; lia.
by rewrite below_stop from_first /A /err; clear; move: (g * y)%N => x; lia.
Qed.

Lemma power_gt0 f : 0 < (g ^ f)%:R :> rat.
Proof. by rewrite ltr0n expn_gt0 g_gt0. Qed.

Hypotheses (F_gt0 : (0 < F)%N) (least_ok : top F = nat_of (least w)).

Lemma rare_good f : (0 < f)%N -> rare_not_less (b g) (b p) (b q) strict w (b f) ->
  ((f < F)%N -> P F < P f) /\ ((F <= f)%N -> P F <= P f).
Proof.
move=> f0; rewrite /rare_not_less -(N2Nat.id (argmin w)) -/F -(N2Nat.id (least w)) -(N2Nat.id (rare_numerator _ _ _ _ _)).
rewrite -/(top f) -least_ok bltb !bB !bexp !bM bltb bleb !rare_top //.
case: ltnP => [lt_fF | le_Ff] test; split=> ord; try by move: lt_fF ord; clear; lia.
- apply: lt_pow => //; exact: ltnW.
- by move: le_Ff ord; clear; lia.
- exact: le_pow.
Qed.

Lemma rare_visits k : exists ok,
  N.iter (b k) (rare_visit (b g) (b p) (b q) strict w) (0, true)%num = (b k, ok) /\
  (ok -> forall f, (1 <= f <= k)%N -> ((f < F)%N -> P F < P f) /\ ((F <= f)%N -> P F <= P f)).
Proof.
rewrite -Nat2N.inj_iter; elim: k => [|k [ok [eq_ok IH]]].
  by exists true; split=> // _ f /andP[f1 f0]; move: (leq_trans f1 f0).
rewrite [Nat.iter _ _ _]/= eq_ok /rare_visit bS; eexists; split; first reflexivity.
case/andP => all_ok here f /andP[f1]; rewrite leq_eqVlt => /orP[/eqP-> | lt_f]; first exact: rare_good.
by apply: IH; rewrite // f1.
Qed.

End Form.

Lemma check_rare_form_holds strict g p q w alpha : (1 < nat_of g)%N -> (0 < nat_of p)%N -> (0 < nat_of q)%N ->
  check_rare_form g p q strict w alpha -> rare_form_holds strict (nat_of g) (chance p q) (nat_of alpha) w.
Proof.
rewrite /check_rare_form /chance -(N2Nat.id g) -(N2Nat.id p) -(N2Nat.id q) -(N2Nat.id alpha) !Nat2N.id.
move: (nat_of g) (nat_of p) (nat_of q) (nat_of alpha) => {}g {}p {}q {}alpha g1 p0 q0.
case/andP => /andP[/andP[/andP[/andP[F1 Fa] d1] /N.eqb_eq top_F] value] visited.
set F := nat_of (argmin w).
have F0 : (0 < F)%N by move: F1; rewrite /F; clear; lia.
have F_alpha : (F <= alpha)%N by move: Fa; rewrite /F; clear; lia.
have d0 : (0 < nat_of (value_den w))%N by move: d1; clear; lia.
move: top_F value; rewrite -(N2Nat.id (argmin w)) -/F bexp => top_F value.
have least_ok := congr1 nat_of top_F.
have at_F := rare_top strict g1 p0 q0 F0; rewrite least_ok in at_F.
have [ok [eq_ok good]] := rare_visits g1 p0 q0 F0 least_ok alpha.
move: visited; rewrite eq_ok /= => /good {}good.
set P := rare_wrong strict g _ in at_F good *.
have min f : (1 <= f <= alpha)%N -> P F <= P f.
  by move=> /good [before after]; have [/before/ltW | /after] := ltnP f F.
split; [by rewrite F0 | exact: at_F | exact: min | |].
  move=> f /andP[f1 lt_f]; have [|before _] := good f; last exact: before.
  by rewrite f1 (leq_trans (ltnW lt_f)).
move=> f /min; apply: le_trans; rewrite -/P at_F /chance ler_pdivr_mulr ?ltr0n //.
rewrite mulrAC ler_pdivl_mulr ?(power_gt0 g1) // -!natrM ler_nat.
by move: value; clear; lia.
Qed.

Theorem check_all_or_none_sound (c : privacy) : check_all_or_none c = true -> all_or_none_statement c.
Proof.
rewrite /check_all_or_none; case/andP => /andP[/andP[/andP[g2 p1] q1] first] second.
have g1 : (1 < nat_of (gamma c))%N by move: g2; clear; lia.
have p0 : (0 < nat_of (eps_num c))%N by move: p1; clear; lia.
have q0 : (0 < nat_of (eps_den c))%N by move: q1; clear; lia.
split=> //; first by rewrite /chance divr_gt0 ?ltr0n.
- exact: check_rare_form_holds first.
- exact: check_rare_form_holds second.
Qed.
