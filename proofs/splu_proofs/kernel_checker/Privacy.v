(* What check promises: the statement of the certificate, about the law. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Counting Sawtooth.
From Kernel Require Import Law Checker Bridge.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Notation nat_of := N.to_nat.

(** * The statements *)

(* Pr(|f' - f| > eps f), or >= eps f, for f' ~ Bin(g f, 1/g). *)
Definition wrong (strict : bool) (g : nat) (eps : rat) (f : nat) : rat :=
  prob g (g * f) (event strict eps f).

Definition form_holds (strict : bool) (g : nat) (eps : rat) (alpha : nat) (w : form) : Prop :=
  let F := nat_of (argmin w) in
  [/\ (1 <= F <= alpha)%N,
      wrong strict g eps F = (nat_of (least w))%:R / (g ^ (g * F))%:R,
      forall f, (1 <= f <= alpha)%N -> wrong strict g eps F <= wrong strict g eps f,
      forall f, (1 <= f < F)%N -> wrong strict g eps F < wrong strict g eps f &
      forall f, (1 <= f <= alpha)%N ->
        (nat_of (value_num w))%:R / (nat_of (value_den w))%:R <= wrong strict g eps f].

Definition privacy_statement (c : privacy) : Prop :=
  let g := nat_of (gamma c) in
  let eps : rat := (nat_of (eps_num c))%:R / (nat_of (eps_den c))%:R in
  [/\ (1 < g)%N, 0 < eps,
      form_holds true g eps (nat_of (alpha c)) (theorem_4 c) &
      form_holds false g eps (nat_of (alpha c)) (definition_2 c)].

Definition error_statement (c : error) : Prop :=
  let g := nat_of (e_gamma c) in
  let eps : rat := (nat_of (e_num c))%:R / (nat_of (e_den c))%:R in
  let f := nat_of (e_count c) in
  [/\ (1 < g)%N, 0 < eps, (0 < f)%N,
      wrong false g eps f = (nat_of (e_top c))%:R / (g ^ (g * f))%:R &
      wrong false g eps f <= (nat_of (e_value_num c))%:R / (nat_of (e_value_den c))%:R].

(** * One count *)

Section Form.

Variables (strict : bool) (g p q : nat).
Hypotheses (g_gt1 : (1 < g)%N) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N).

Let eps : rat := p%:R / q%:R.
Let dist f := distance_nat strict p q f.
Let top f := (\sum_(x < (g * f).+1 | err f (dist f) x) term g (g * f) x)%N.

Lemma wrong_err f : (0 < f)%N -> wrong strict g eps f = prob g (g * f) (err f (dist f)).
Proof. by move=> f0; apply: eq_prob => x; rewrite event_err. Qed.

Lemma wrong_top f : (0 < f)%N -> wrong strict g eps f = (top f)%:R / (g ^ (g * f))%:R.
Proof. by move=> f0; rewrite wrong_err // prob_term // ltnW. Qed.

Lemma top_ok f : (0 < f)%N -> numerator (b g) (b f) (b (dist f)) = b (top f).
Proof. by move=> f0; rewrite bnumerator // distance_gt0. Qed.

Lemma pow_gt0 n : 0 < (g ^ n)%:R :> rat.
Proof. by rewrite ltr0n expn_gt0 ltnW. Qed.

(* x / g^m <= y / g^n, in whole numbers. *)
Lemma le_pow x y m n : (m <= n)%N ->
  ((x * g ^ (n - m) <= y)%N -> x%:R / (g ^ m)%:R <= y%:R / (g ^ n)%:R :> rat).
Proof.
move=> le_mn le_xy; rewrite ler_pdivr_mulr ?pow_gt0 // mulrAC ler_pdivl_mulr ?pow_gt0 //.
have -> : (g ^ n = g ^ (n - m) * g ^ m)%N by rewrite -expnD subnK.
by rewrite -!natrM ler_nat mulnA leq_mul2r le_xy orbT.
Qed.

Lemma lt_pow x y m n : (n <= m)%N ->
  ((x < y * g ^ (m - n))%N -> x%:R / (g ^ m)%:R < y%:R / (g ^ n)%:R :> rat).
Proof.
move=> le_nm lt_xy; rewrite ltr_pdivr_mulr ?pow_gt0 // mulrAC ltr_pdivl_mulr ?pow_gt0 //.
have -> : (g ^ m = g ^ (m - n) * g ^ n)%N by rewrite -expnD subnK.
by rewrite -!natrM ltr_nat mulnA ltn_mul2r lt_xy expn_gt0 ltnW.
Qed.

Variable w : form.
Let F := nat_of (argmin w).
Hypotheses (F_gt0 : (0 < F)%N) (least_ok : b (top F) = least w).

Definition good f : Prop :=
  ((f < F)%N -> wrong strict g eps F < wrong strict g eps f) /\
  ((F <= f)%N -> wrong strict g eps F <= wrong strict g eps f).

Lemma not_less_good f : (0 < f)%N ->
  not_less (b g) (b p) (b q) strict w (b f) (b (dist f)) -> good f.
Proof.
move=> f0; rewrite /not_less top_ok // -(N2Nat.id (argmin w)) -/F -least_ok bltb !bB !bM !bexp.
rewrite !bM bltb bleb !mulnBr; have [lt_fF | le_Ff] := ltnP f F => h; split=> // ord; try lia.
- by rewrite !wrong_top //; apply: lt_pow h; rewrite leq_mul2l (ltnW lt_fF) orbT.
- by rewrite !wrong_top //; apply: le_pow h; rewrite leq_mul2l le_Ff orbT.
Qed.

Lemma good_next f : (0 < f)%N -> dist f.+1 = dist f -> good f -> good f.+1.
Proof.
move=> f0 same [before after].
have up : wrong strict g eps f <= wrong strict g eps f.+1.
  by rewrite !wrong_err // same err_next // distance_gt0.
split=> h; first by apply: lt_le_trans up; apply: before; lia.
have [-> | neq] := eqVneq F f.+1; first by [].
by apply: le_trans up; apply: after; move/eqP: neq; lia.
Qed.

Lemma visits k : exists2 ok, N.iter (b k) (visit (b g) (b p) (b q) strict w) (0, 0, true)%num =
    (b k, b (if k is 0%N then 0%N else dist k), ok) & ok -> forall f, (1 <= f <= k)%N -> good f.
Proof.
rewrite -Nat2N.inj_iter; elim: k => [|k [ok eq_ok IH]]; first by exists true => // _ f; lia.
eexists; first by rewrite /= eq_ok /visit bS bdistance // -/dist.
case: ok IH {eq_ok} => // IH; set j := (if k is 0%N then _ else _) => tested f /andP[f1].
rewrite leq_eqVlt => /orP[/eqP-> | ]; last by move=> lt_fk; apply: IH; rewrite // f1.
move: tested; rewrite beqb; case: eqP => [same _ | _]; last exact: not_less_good.
case: k @j IH same => [|k] /= IH same.
  by have := distance_gt0 strict p_gt0 q_gt0 (ltn0Sn 0); rewrite -/dist same.
by apply: good_next => //; apply: IH; rewrite //= leqnn.
Qed.

End Form.

Lemma check_form_holds strict g p q alpha w :
  (1 < nat_of g)%N -> (0 < nat_of p)%N -> (0 < nat_of q)%N ->
  check_form g p q alpha strict w ->
  form_holds strict (nat_of g) ((nat_of p)%:R / (nat_of q)%:R) (nat_of alpha) w.
Proof.
rewrite /check_form -(N2Nat.id g) -(N2Nat.id p) -(N2Nat.id q) -(N2Nat.id alpha) !Nat2N.id.
move: (nat_of g) (nat_of p) (nat_of q) (nat_of alpha) => {}g {}p {}q {}alpha g1 p0 q0.
case/andP => /andP[/andP[/andP[/andP[F1 Fa] d1] /N.eqb_eq top_F] value] visited.
set F := nat_of (argmin w).
have F0 : (0 < F)%N by rewrite /F; lia.
have F_alpha : (F <= alpha)%N by rewrite /F; lia.
have d0 : (0 < nat_of (value_den w))%N by lia.
have eq_F : argmin w = b F by rewrite /F N2Nat.id.
move: top_F; rewrite eq_F bdistance // top_ok // => least_ok.
have [ok eq_ok all_good] := @visits strict g p q g1 p0 q0 w F0 least_ok alpha.
move: visited; rewrite eq_ok /= => /all_good {}all_good.
have at_F : wrong strict g (p%:R / q%:R) F = (nat_of (least w))%:R / (g ^ (g * F))%:R.
  by rewrite wrong_top // -least_ok Nat2N.id.
have min f : (1 <= f <= alpha)%N ->
    wrong strict g (p%:R / q%:R) F <= wrong strict g (p%:R / q%:R) f.
  move=> /all_good [before after]; have [lt_fF | le_Ff] := ltnP f F; last exact: after.
  exact/ltW/before.
split=> //; first by rewrite F0.
  move=> f /andP[f1 lt_fF]; have [|before _] := all_good f; first by rewrite f1 /=; lia.
  exact: before.
move=> f /min; apply: le_trans; rewrite at_F.
move: value; rewrite eq_F -(N2Nat.id (value_num w)) -(N2Nat.id (value_den w)) -(N2Nat.id (least w)).
rewrite !Nat2N.id !bM bexp !bM bleb => value.
rewrite ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?pow_gt0 //.
by rewrite -!natrM ler_nat.
Qed.

Lemma eps_gt0 p q : (0 < p)%N -> (0 < q)%N -> 0 < p%:R / q%:R :> rat.
Proof. by move=> p0 q0; rewrite divr_gt0 ?ltr0n. Qed.

Theorem check_privacy_sound (c : privacy) : check_privacy c = true -> privacy_statement c.
Proof.
case/andP => /andP[/andP[/andP[g2 p1] q1] first] second.
have g1 : (1 < nat_of (gamma c))%N by lia.
have p0 : (0 < nat_of (eps_num c))%N by lia.
have q0 : (0 < nat_of (eps_den c))%N by lia.
by split; rewrite ?eps_gt0 //; apply: check_form_holds.
Qed.

Theorem check_error_sound (c : error) : check_error c = true -> error_statement c.
Proof.
case: c => g p q f top vn vd; rewrite /check_error /error_statement /=.
case/andP => /andP[/andP[/andP[/andP[/andP[g2 p1] q1] f1] d1] /N.eqb_eq top_ok'] value.
have g1 : (1 < nat_of g)%N by lia.
have p0 : (0 < nat_of p)%N by lia.
have q0 : (0 < nat_of q)%N by lia.
have f0 : (0 < nat_of f)%N by lia.
have d0 : (0 < nat_of vd)%N by lia.
have dist_ok := @bdistance false (nat_of p) (nat_of q) (nat_of f) q0.
have num_ok := @top_ok false _ _ _ g1 p0 q0 _ f0.
have pow_ok := bexp (nat_of g) (nat_of g * nat_of f).
rewrite -?bM !N2Nat.id in dist_ok num_ok pow_ok; rewrite /distance in dist_ok.
move: top_ok' value; rewrite dist_ok num_ok pow_ok => <-.
rewrite -(N2Nat.id vn) -(N2Nat.id vd) !Nat2N.id !bM bleb => value.
split; rewrite ?eps_gt0 // wrong_top // ler_pdivr_mulr ?pow_gt0 // mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ler_nat.
Qed.

(* The same in numbers of equally likely outcomes: g^(g f) of them, as each of the g f records whose
   group holds the value draws one of g places. *)
Corollary privacy_by_counting (c : privacy) : check_privacy c = true ->
  let g := nat_of (gamma c) in
  forall f, (1 <= f <= nat_of (alpha c))%N ->
  (nat_of (value_num (definition_2 c)))%:R / (nat_of (value_den (definition_2 c)))%:R
    <= (outcomes g (g * f) (off f ((nat_of (eps_num c))%:R / (nat_of (eps_den c))%:R)))%:R
       / (g ^ (g * f))%:R :> rat.
Proof.
move=> ok g f f1; have [g1 _ _ [_ _ _ _ low]] := check_privacy_sound ok.
by have := low f f1; rewrite /wrong law_by_counting // ltnW.
Qed.

