(* small-sum-privacy at a retention probability: what check_privacy_at promises. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Trials RetentionSawtooth Law Checker Bridge Lower Minimum LowerBounds Privacy.
From Kernel Require Import Retention RetentionLaw.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The same of the mean f' = x / R of R releases: x counts the successes of R f trials of p and R (g-1) f of q. *)
Definition mean_wrong_at (strict : bool) (g : nat) (p eps : rat) (R f : nat) : rat :=
  retained g p (R * f) (fun x =>
    if strict then eps * f%:R < `|x%:R / R%:R - f%:R| else eps * f%:R <= `|x%:R / R%:R - f%:R|).

Definition form_holds_at (strict : bool) (r : chances) (g : nat) (eps : rat) (R alpha : nat) (w : form) : Prop :=
  let F := nat_of (argmin w) in
  let P := mean_wrong_at strict g (chance (own_num r) (own_den r)) eps R in
  [/\ (1 <= F <= alpha)%N,
      P F = (nat_of (least w))%:R / unit_at g r (R * F),
      forall f, (1 <= f <= alpha)%N -> P F <= P f,
      forall f, (1 <= f < F)%N -> P F < P f &
      forall f, (1 <= f <= alpha)%N -> chance (value_num w) (value_den w) <= P f].

Definition privacy_statement_at (r : chances) (c : privacy) : Prop :=
  let g := nat_of (gamma c) in
  let eps := chance (eps_num c) (eps_den c) in
  let R := nat_of (releases c) in
  [/\ chances_hold g r, 0 < eps, (0 < R)%N,
      form_holds_at true r g eps R (nat_of (alpha c)) (theorem_4 c) &
      form_holds_at false r g eps R (nat_of (alpha c)) (definition_2 c)].

(** * A run *)

Lemma retained_err_split g p f j : (0 < j)%N -> retained g p f (err f j) =
  retained g p f (fun x => f + j <= x)%N + retained g p f (fun x => x + j <= f)%N.
Proof. by move=> j0; apply: trials_disjoint => x; move: j0; clear; lia. Qed.

Lemma retained_err_next g p f j : (1 < g)%N -> 0 < p < 1 -> (0 < j)%N ->
  retained g p f (err f j) <= retained g p f.+1 (err f.+1 j).
Proof.
by move=> g1 p01 j0; rewrite !retained_err_split // ler_add ?retention_sawtooth_above ?retention_sawtooth_below.
Qed.

Lemma retained_err_run g p j h n : (1 < g)%N -> 0 < p < 1 -> (0 < j)%N ->
  retained g p h (err h j) <= retained g p (h + n) (err (h + n) j).
Proof.
move=> g1 p01 j0; elim: n => [|n IH]; first by rewrite addn0.
by apply: le_trans IH _; rewrite addnS; exact: retained_err_next.
Qed.

Section Form.

Variables (r : chances) (strict : bool) (g p q R : nat) (w : form).
Hypotheses (g_gt1 : (1 < g)%N) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N) (R_gt0 : (0 < R)%N).
Hypotheses (fit_r : chances_fit (b g) r).

Let eps : rat := p%:R / q%:R.
Let keep := chance (own_num r) (own_den r).
Let dist f := distance_nat strict p q f.
Let F := nat_of (argmin w).
Let P := mean_wrong_at strict g keep eps R.
Let U := unit_at g r.
Let top h := nat_of (numerator_at r (b g) (b h) (b (dist h))).

Hypotheses (F_gt0 : (0 < F)%N) (least_ok : top (R * F) = nat_of (least w)).

Let g1 : (1 < nat_of (b g))%N. Proof. by rewrite Nat2N.id. Qed.

Lemma keep01 : 0 < keep < 1.
Proof. by case: (chances_ok g1 fit_r). Qed.

Lemma P_err f : (0 < f)%N -> P f = retained g keep (R * f) (err (R * f) (dist (R * f))).
Proof.
move=> f0; apply: eq_retained => x; rewrite mean_event //.
by rewrite event_err // muln_gt0 R_gt0.
Qed.

Lemma U_gt0 h : 0 < U h.
Proof. by have := unit_at_gt0 g1 fit_r h; rewrite Nat2N.id. Qed.

Lemma P_at f : (0 < f)%N -> P f = (top (R * f))%:R / U (R * f).
Proof.
move=> f0; have Rf0 : (0 < R * f)%N by rewrite muln_gt0 R_gt0.
rewrite P_err //; apply: (mulIf (lt0r_neq0 (U_gt0 (R * f)))); rewrite divfK ?lt0r_neq0 ?U_gt0 //.
have := @wrong_at_ok r (b g) g1 fit_r strict (b p) (b q) (b (R * f)).
rewrite !Nat2N.id bdistance // => /(_ p_gt0 q_gt0 Rf0) eq_top; rewrite /top /dist eq_top mulrC /U; congr (_ * _).
by apply: eq_retained => x; rewrite /chance !Nat2N.id event_err.
Qed.

Lemma UD h k : U (h + k) = U h * U k.
Proof. by rewrite /U /unit_at -natrM mulnDr !expnD mulnACA. Qed.

Definition good_at f : Prop := ((f < F)%N -> P F < P f) /\ ((F <= f)%N -> P F <= P f).

Lemma not_less_good_at f : (0 < f)%N ->
  not_less_at r (b g) (b R) w (b (R * f)) (numerator_at r (b g) (b (R * f)) (b (dist (R * f)))) -> good_at f.
Proof.
move=> f0; rewrite /not_less_at -(N2Nat.id (argmin w)) -/F -(N2Nat.id (least w)) -(N2Nat.id (numerator_at _ _ _ _)).
rewrite -/(top (R * f)) -least_ok !bM bltb !bB.
have whole k : (nat_of (whole_at r (b g) (b k)))%:R = U k by rewrite whole_at_ok // !Nat2N.id.
have [lt_RF | le_RF] := ltnP (R * f) (R * F) => test; split=> ord; rewrite ?(P_at F_gt0) ?(P_at f0);
  try by move: lt_RF ord; rewrite ?ltn_mul2l ?leq_mul2l R_gt0 /=; clear; lia.
- have -> : U (R * F) = U (R * F - R * f) * U (R * f) by rewrite -UD subnK // ltnW.
  rewrite invfM mulrA ltr_pmul2r ?invr_gt0 ?U_gt0 // ltr_pdivr_mulr ?U_gt0 // -whole -natrM ltr_nat.
  by move: test; clear; lia.
- by move: le_RF ord; rewrite leq_mul2l; move: R_gt0; clear; case: (R) => // n _; lia.
- have -> : U (R * f) = U (R * f - R * F) * U (R * F) by rewrite -UD subnK.
  rewrite invfM mulrA ler_pmul2r ?invr_gt0 ?U_gt0 // ler_pdivl_mulr ?U_gt0 // -whole -natrM ler_nat.
  by move: test; clear; lia.
Qed.

Lemma good_at_next f : (0 < f)%N -> dist (R * f.+1) = dist (R * f) -> good_at f -> good_at f.+1.
Proof.
move=> f0 same [before after]; have Rf0 : (0 < R * f)%N by rewrite muln_gt0 R_gt0.
have up : P f <= P f.+1.
  by rewrite !P_err // same mulnSr; apply: retained_err_run; rewrite ?keep01 ?distance_gt0.
split=> h; first by apply: lt_le_trans up; apply: before; lia.
have [-> | neq] := eqVneq F f.+1; first by [].
by apply: le_trans up; apply: after; move/eqP: neq; lia.
Qed.

Lemma visits_at k : exists ok,
  N.iter (b k) (visit_at r (b g) (b p) (b q) (b R) strict w) (0, 0, true)%num =
    (b k, b (if k is 0%N then 0%N else dist (R * k)), ok) /\ (ok -> forall f, (1 <= f <= k)%N -> good_at f).
Proof.
rewrite -Nat2N.inj_iter; elim: k => [|k [ok [eq_ok IH]]].
  by exists true; split=> // _ f /andP[f1 f0]; move: (leq_trans f1 f0).
rewrite [Nat.iter _ _ _]/= eq_ok /visit_at bS bM bdistance // -/(dist (R * k.+1)).
case: ok IH {eq_ok} => [IH | _]; last by exists false.
eexists; split; first reflexivity.
move=> tested f /andP[f1]; rewrite leq_eqVlt => /orP[/eqP eq_f | lt_fk]; last by apply: IH; rewrite // f1.
rewrite eq_f in f1 *; case/orP: tested => [/orP[] | exact]; last exact: not_less_good_at exact.
- rewrite beqb => /eqP same; case: k IH same {eq_f f1} => [|k] IH same.
    have : (0 < dist (R * 1))%N by rewrite distance_gt0 // muln_gt0 R_gt0.
    by rewrite same.
  by apply: (good_at_next (ltn0Sn k) same); apply: (IH isT); rewrite /= leqnn.
- rewrite -(N2Nat.id (argmin w)) -/F beqb => /eqP ->.
  by split=> //; rewrite ltnn.
Qed.

End Form.

Lemma check_form_at_holds r strict g p q R alpha w :
  (1 < nat_of g)%N -> chances_fit g r -> (0 < nat_of p)%N -> (0 < nat_of q)%N -> (0 < nat_of R)%N ->
  check_form_at r g p q R strict w alpha ->
  form_holds_at strict r (nat_of g) (chance p q) (nat_of R) (nat_of alpha) w.
Proof.
rewrite /check_form_at -(N2Nat.id g) -(N2Nat.id p) -(N2Nat.id q) -(N2Nat.id R) -(N2Nat.id alpha) !Nat2N.id.
move: (nat_of g) (nat_of p) (nat_of q) (nat_of R) (nat_of alpha) => {}g {}p {}q {}R {}alpha g1 fit_r p0 q0 R0.
case/andP => /andP[/andP[/andP[/andP[F1 Fa] d1] /N.eqb_eq top_F] value] visited.
set F := nat_of (argmin w).
have F0 : (0 < F)%N by move: F1; rewrite /F; clear; lia.
have F_alpha : (F <= alpha)%N by move: Fa; rewrite /F; clear; lia.
have d0 : (0 < nat_of (value_den w))%N by move: d1; clear; lia.
have RF0 : (0 < R * F)%N by rewrite muln_gt0 R0.
move: top_F value; rewrite -(N2Nat.id (argmin w)) -/F bM bdistance // => top_F value.
have least_ok := congr1 nat_of top_F.
have [ok [eq_ok all_good]] := @visits_at r strict g p q R w g1 p0 q0 R0 fit_r F0 least_ok alpha.
move: visited; rewrite eq_ok /= => /all_good {}all_good.
have := @P_at r strict g p q R g1 p0 q0 R0 fit_r F F0; rewrite least_ok => at_F.
have eq_eps : chance (b p) (b q) = p%:R / q%:R by rewrite /chance !Nat2N.id.
rewrite /form_holds_at -/F eq_eps.
set P := mean_wrong_at strict g _ _ R in all_good at_F *.
have min f : (1 <= f <= alpha)%N -> P F <= P f.
  move=> /all_good [before after]; have [lt_fF | le_Ff] := ltnP f F; last exact: after.
  exact/ltW/before.
have g1' : (1 < nat_of (b g))%N by rewrite Nat2N.id.
have U0 : 0 < unit_at g r (R * F) by have := unit_at_gt0 g1' fit_r (R * F); rewrite Nat2N.id.
split; [by rewrite F0 | exact: at_F | exact: min | |].
  move=> f /andP[f1 lt_fF]; have f_alpha : (1 <= f <= alpha)%N by rewrite f1 (leq_trans (ltnW lt_fF)).
  by have [before _] := all_good f f_alpha; exact: before.
move=> f /min; apply: le_trans; rewrite at_F /chance.
rewrite ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr //.
have -> : unit_at g r (R * F) = (nat_of (whole_at r (b g) (b (R * F))))%:R by rewrite whole_at_ok // !Nat2N.id.
rewrite -!natrM ler_nat.
by move: value; clear; lia.
Qed.

Theorem check_privacy_at_sound (r : chances) (c : privacy) : check_privacy_at r c = true -> privacy_statement_at r c.
Proof.
rewrite /check_privacy_at; case/andP => /andP[/andP[/andP[/andP[/andP[g2 fit_r] p1] q1] R1] first] second.
have g1 : (1 < nat_of (gamma c))%N by move: g2; clear; lia.
have p0 : (0 < nat_of (eps_num c))%N by move: p1; clear; lia.
have q0 : (0 < nat_of (eps_den c))%N by move: q1; clear; lia.
have R0 : (0 < nat_of (releases c))%N by move: R1; clear; lia.
split=> //; [exact: chances_ok | by rewrite /chance divr_gt0 ?ltr0n | |].
- exact: check_form_at_holds first.
- exact: check_form_at_holds second.
Qed.
