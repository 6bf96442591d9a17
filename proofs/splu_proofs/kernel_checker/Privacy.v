(* What the checker promises of small-sum-privacy and error-probability. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Counting Sawtooth.
From Kernel Require Import Law Checker Bridge Lower Minimum LowerBounds Scales.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * The statements *)

(* Pr(|f' - f| > eps f), or >= eps f, for f' ~ Bin(g f, 1/g). *)
Definition wrong (strict : bool) (g : nat) (eps : rat) (f : nat) : rat :=
  prob g (g * f) (event strict eps f).

(* The same of the mean f' = x / R of R releases: x ~ Bin(g R f, 1/g). *)
Definition mean_wrong (strict : bool) (g : nat) (eps : rat) (R f : nat) : rat :=
  prob g (g * (R * f)) (fun x =>
    if strict then eps * f%:R < `|x%:R / R%:R - f%:R| else eps * f%:R <= `|x%:R / R%:R - f%:R|).

Definition form_holds (strict : bool) (g : nat) (eps : rat) (R alpha : nat) (w : form) : Prop :=
  let F := nat_of (argmin w) in
  let P := mean_wrong strict g eps R in
  [/\ (1 <= F <= alpha)%N,
      P F = (nat_of (least w))%:R / (g ^ (g * (R * F)))%:R,
      forall f, (1 <= f <= alpha)%N -> P F <= P f,
      forall f, (1 <= f < F)%N -> P F < P f &
      forall f, (1 <= f <= alpha)%N -> (nat_of (value_num w))%:R / (nat_of (value_den w))%:R <= P f].

Definition privacy_statement (c : privacy) : Prop :=
  let g := nat_of (gamma c) in
  let eps : rat := (nat_of (eps_num c))%:R / (nat_of (eps_den c))%:R in
  let R := nat_of (releases c) in
  [/\ (1 < g)%N, 0 < eps, (0 < R)%N,
      form_holds true g eps R (nat_of (alpha c)) (theorem_4 c) &
      form_holds false g eps R (nat_of (alpha c)) (definition_2 c)].

Definition error_statement (c : error) : Prop :=
  let g := nat_of (e_gamma c) in
  let eps : rat := (nat_of (e_num c))%:R / (nat_of (e_den c))%:R in
  let f := nat_of (e_count c) in
  [/\ (1 < g)%N, 0 < eps, (0 < f)%N,
      wrong false g eps f = (nat_of (e_top c))%:R / (g ^ (g * f))%:R &
      wrong false g eps f <= (nat_of (e_value_num c))%:R / (nat_of (e_value_den c))%:R].

(** * One count *)

(* The mean of R counts is off by as much as their total, at R f. *)
Lemma mean_event (strict : bool) (eps : rat) (R f x : nat) : (0 < R)%N ->
  (if strict then eps * f%:R < `|x%:R / R%:R - f%:R| else eps * f%:R <= `|x%:R / R%:R - f%:R|)
  = event strict eps (R * f) x.
Proof.
move=> R_gt0; have R0 : 0 < R%:R :> rat by rewrite ltr0n.
have -> : `|x%:R / R%:R - f%:R| = `|x%:R - (R * f)%:R| / R%:R :> rat.
  have -> : x%:R / R%:R - f%:R = (x%:R - (R * f)%:R) / R%:R :> rat.
    by rewrite natrM mulrBl [R%:R * _]mulrC mulfK // lt0r_neq0.
  by rewrite normf_div (ger0_norm (ltW R0)).
rewrite /event /off_by_more /off natrM [R%:R * _]mulrC mulrA.
by case: strict; rewrite ?ltr_pdivl_mulr ?ler_pdivl_mulr.
Qed.

Lemma ceil_div m u : (0 < u)%N -> (m <= (m + (u - 1)) %/ u * u)%N.
Proof. by move=> u0; have := divn_eq (m + (u - 1)) u; have := ltn_pmod (m + (u - 1)) u0; lia. Qed.

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

(** * All counts *)

Variables (c : base) (R : nat) (w : form).
Hypotheses (unit_c : (0 < nat_of (unit c))%N) (R_gt0 : (0 < R)%N).
Let F := nat_of (argmin w).
Let P := mean_wrong strict g eps R.
Hypotheses (F_gt0 : (0 < F)%N) (least_ok : b (top (R * F)) = least w).

Lemma mean_wrongE f : P f = wrong strict g eps (R * f).
Proof. by apply: eq_prob => x; rewrite mean_event. Qed.

Definition good f : Prop := ((f < F)%N -> P F < P f) /\ ((F <= f)%N -> P F <= P f).

Lemma P_top f : (0 < f)%N -> P f = (top (R * f))%:R / (g ^ (g * (R * f)))%:R.
Proof. by move=> f0; rewrite mean_wrongE wrong_top // muln_gt0 R_gt0. Qed.

Lemma not_less_good f : (0 < f)%N ->
  not_less (b g) (b R) w (b (R * f)) (b (dist (R * f))) -> good f.
Proof.
move=> f0; have Rf0 : (0 < R * f)%N by rewrite muln_gt0 R_gt0.
rewrite /not_less /size_at_argmin top_ok // -(N2Nat.id (argmin w)) -/F -least_ok !bM bltb !bB !bM !bexp.
rewrite !bM bltb bleb !mulnBr ltn_mul2l R_gt0 /=.
have [lt_fF | le_Ff] := ltnP f F => h; split=> // ord; try lia.
- by rewrite !P_top //; apply: lt_pow h; rewrite !leq_mul2l (ltnW lt_fF) !orbT.
- by rewrite !P_top //; apply: le_pow h; rewrite !leq_mul2l le_Ff !orbT.
Qed.

Lemma err_run j h n : (0 < j)%N -> prob g (g * h) (err h j) <= prob g (g * (h + n)) (err (h + n) j).
Proof.
move=> j0; elim: n => [|n IH]; first by rewrite addn0.
by apply: le_trans IH _; rewrite addnS; exact: err_next.
Qed.

Lemma good_next f : (0 < f)%N -> dist (R * f.+1) = dist (R * f) -> good f -> good f.+1.
Proof.
move=> f0 same [before after]; have Rf0 : (0 < R * f)%N by rewrite muln_gt0 R_gt0.
have up : P f <= P f.+1.
  rewrite !mean_wrongE !wrong_err ?muln_gt0 ?R_gt0 // same mulnSr.
  by apply: err_run; rewrite distance_gt0.
split=> h; first by apply: lt_le_trans up; apply: before; lia.
have [-> | neq] := eqVneq F f.+1; first by [].
by apply: le_trans up; apply: after; move/eqP: neq; lia.
Qed.

Section Visits.

Variables (E goal : N).
Hypotheses goal_ok : (top (R * F))%:R / (g ^ (g * (R * F)))%:R * unit_of c E <= (nat_of goal)%:R.

Lemma exceeds_good f up down : (0 < f)%N -> below c (b g) up -> below c (b g) down ->
  exceeds c (b g) (b (R * f)) (b (dist (R * f))) E goal up down -> good f.
Proof.
move=> f0 ok_up ok_down above; have Rf0 : (0 < R * f)%N by rewrite muln_gt0 R_gt0.
have j0 : (0 < nat_of (b (dist (R * f))))%N by rewrite Nat2N.id distance_gt0.
have g1 : (1 < nat_of (b g))%N by rewrite Nat2N.id.
have P0 : 0 <= P F by rewrite /P /mean_wrong prob_ge0.
have goal_ok' := goal_ok; rewrite -P_top // in goal_ok'.
have := exceeds_ok unit_c g1 P0 j0 ok_up ok_down goal_ok' above.
rewrite !Nat2N.id -wrong_err // -mean_wrongE => lt.
by split=> _ //; exact: ltW.
Qed.

Lemma zero_good f : (0 < f)%N -> (least w =? 0)%num -> (size_at_argmin (b R) w <=? b (R * f))%num -> good f.
Proof.
move=> f0 /N.eqb_eq w0; rewrite /size_at_argmin -(N2Nat.id (argmin w)) -/F bM bleb leq_mul2l.
rewrite eqn0Ngt R_gt0 /= => le_Ff; split; first by rewrite ltnNge le_Ff.
move=> _; have -> : P F = 0.
  by rewrite P_top // (_ : top (R * F) = 0%N) ?mul0r //; move: least_ok; rewrite w0; lia.
by rewrite /P /mean_wrong prob_ge0.
Qed.

Lemma visits k : exists up down ok,
  [/\ N.iter (b k) (visit c (b g) (b p) (b q) (b R) strict w E goal) (0, 0, origin, origin, true)%num =
    (b k, b (if k is 0%N then 0%N else dist (R * k)), up, down, ok),
    below c (b g) up, below c (b g) down & ok -> forall f, (1 <= f <= k)%N -> good f].
Proof.
have start : below c (b g) origin by apply: below_origin.
have g1 : (1 < nat_of (b g))%N by rewrite Nat2N.id.
rewrite -Nat2N.inj_iter; elim: k => [|k [up [down [ok [eq_ok ok_up ok_down IH]]]]].
  by exists origin, origin, true; split=> // _ f; lia.
rewrite [Nat.iter _ _ _]/= eq_ok /visit bS bM bdistance // -/(dist (R * k.+1)).
case: ok IH {eq_ok} => [IH | _]; last by exists up, down, false; split.
rewrite beqb; case: eqP => [same | _].
  exists up, down, true; split=> // _ f /andP[f1]; rewrite leq_eqVlt => /orP[/eqP-> | lt_fk].
    case: k IH same => [|k] IH same.
      by have := distance_gt0 strict p_gt0 q_gt0 R_gt0; rewrite -{1}[R]muln1 -/(dist (R * 1)) same.
    by apply: good_next => //; apply: IH; rewrite //= leqnn.
  by apply: IH; rewrite // f1.
set up' := move _ _ _ _ up; set down' := move _ _ _ _ down.
have ok_up' : below c (b g) up' by apply: below_move.
have ok_down' : below c (b g) down' by apply: below_move.
eexists up', down', _; split; [reflexivity | by [] | by [] |].
move=> tested f /andP[f1]; rewrite leq_eqVlt => /orP[/eqP-> | lt_fk]; last by apply: IH; rewrite // f1.
case/orP: tested => [/orP[/orP[above | /andP[w0 after]] | at_F] | exact].
- exact: exceeds_good above.
- exact: zero_good after.
- move: at_F; rewrite -(N2Nat.id (argmin w)) -/F beqb => /eqP ->.
  by split=> //; rewrite ltnn.
- exact: not_less_good exact.
Qed.

End Visits.

End Form.

Lemma check_form_holds c strict g p q R alpha w :
  (0 < nat_of (unit c))%N -> (1 < nat_of g)%N -> (0 < nat_of p)%N -> (0 < nat_of q)%N -> (0 < nat_of R)%N ->
  check_form c g p q R strict w alpha ->
  form_holds strict (nat_of g) ((nat_of p)%:R / (nat_of q)%:R) (nat_of R) (nat_of alpha) w.
Proof.
move=> unit_c; rewrite /check_form; move: (_ / N.size _)%num => E.
rewrite -(N2Nat.id g) -(N2Nat.id p) -(N2Nat.id q) -(N2Nat.id R) -(N2Nat.id alpha) !Nat2N.id.
move: (nat_of g) (nat_of p) (nat_of q) (nat_of R) (nat_of alpha) => {}g {}p {}q {}R {}alpha g1 p0 q0 R0.
case/andP => /andP[/andP[/andP[/andP[F1 Fa] d1] /N.eqb_eq top_F] value] visited.
set F := nat_of (argmin w).
have F0 : (0 < F)%N by rewrite /F; lia.
have RF0 : (0 < R * F)%N by rewrite muln_gt0 R0.
have F_alpha : (F <= alpha)%N by rewrite /F; lia.
have d0 : (0 < nat_of (value_den w))%N by lia.
have eq_F : argmin w = b F by rewrite /F N2Nat.id.
move: top_F visited value; rewrite /size_at_argmin eq_F bM bdistance // top_ok // => least_ok.
rewrite bM bexp; set goal := ((_ + _) / _)%num => visited value.
have G0 : (0 < g ^ (g * (R * F)))%N by rewrite expn_gt0 ltnW.
have goal_ok : (nat_of (least w))%:R / (g ^ (g * (R * F)))%:R * unit_of c E <= (nat_of goal)%:R.
  rewrite mulrAC ler_pdivr_mulr ?pow_gt0 // /unit_of -!natrM ler_nat /goal nat_of_div Nat2N.id.
  have := ceil_div (nat_of (least w) * nat_of (unit c) ^ nat_of E) G0; congr (_ <= _ %/ _ * _)%N.
  by rewrite N2Nat.inj_add N2Nat.inj_mul nat_of_power bB1 Nat2N.id.
move: goal goal_ok visited => goal goal_ok visited.
move: (goal_ok); rewrite -{1}least_ok Nat2N.id => goal_ok'.
have [up [down [ok [eq_ok _ _ all_good]]]] := @visits strict g p q g1 p0 q0 c R w unit_c R0 F0 least_ok E goal goal_ok' alpha.
move: visited; rewrite eq_ok /= => /all_good {}all_good.
set P := mean_wrong strict g (p%:R / q%:R) R in all_good *.
have at_F : P F = (nat_of (least w))%:R / (g ^ (g * (R * F)))%:R.
  by rewrite /P (@P_top strict g p q) // -least_ok Nat2N.id.
have min f : (1 <= f <= alpha)%N -> P F <= P f.
  move=> /all_good [before after]; have [lt_fF | le_Ff] := ltnP f F; last exact: after.
  exact/ltW/before.
split=> //; first by rewrite F0.
  move=> f /andP[f1 lt_fF]; have [|before _] := all_good f; first by rewrite f1 /=; lia.
  exact: before.
move=> f /min; apply: le_trans; rewrite at_F.
move: value; rewrite -(N2Nat.id (value_num w)) -(N2Nat.id (value_den w)) -(N2Nat.id (least w)).
rewrite !Nat2N.id !bM bleb => value.
rewrite ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?pow_gt0 //.
by rewrite -!natrM ler_nat.
Qed.

Lemma eps_gt0 p q : (0 < p)%N -> (0 < q)%N -> 0 < p%:R / q%:R :> rat.
Proof. by move=> p0 q0; rewrite divr_gt0 ?ltr0n. Qed.

Lemma unit_standard : (0 < nat_of (unit standard))%N.
Proof. by have : (0 < unit standard)%num by []; move: (unit standard) => u; lia. Qed.

Theorem check_privacy_sound (c : privacy) : check_privacy c = true -> privacy_statement c.
Proof.
rewrite /check_privacy; move: standard unit_standard => s unit_s.
case/andP => /andP[/andP[/andP[/andP[g2 p1] q1] R1] first] second.
have g1 : (1 < nat_of (gamma c))%N by lia.
have p0 : (0 < nat_of (eps_num c))%N by lia.
have q0 : (0 < nat_of (eps_den c))%N by lia.
have R0 : (0 < nat_of (releases c))%N by lia.
by split; rewrite ?eps_gt0 //; [apply: check_form_holds first | apply: check_form_holds second].
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

(* The same as a number of equally likely outcomes: each of the g R f records whose group holds the value in
   one of R releases draws one of g places.                                                                  *)
Corollary privacy_by_counting (c : privacy) : check_privacy c = true ->
  let g := nat_of (gamma c) in
  let R := nat_of (releases c) in
  forall f, (1 <= f <= nat_of (alpha c))%N ->
  (nat_of (value_num (definition_2 c)))%:R / (nat_of (value_den (definition_2 c)))%:R
    <= (outcomes g (g * (R * f)) (fun x =>
         (nat_of (eps_num c))%:R / (nat_of (eps_den c))%:R * f%:R <= `|x%:R / R%:R - f%:R| :> rat))%:R
       / (g ^ (g * (R * f)))%:R :> rat.
Proof.
move=> ok g R f f1; have [g1 _ _ _ [_ _ _ _ low]] := check_privacy_sound ok.
by have := low f f1; rewrite /mean_wrong law_by_counting // ltnW.
Qed.
