(* utility-threshold: what check_threshold promises. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Counting Sawtooth.
From Kernel Require Import Trials RetentionSawtooth Law Checker Bridge Lower Minimum LowerBounds Privacy.
From Kernel Require Import Retention RetentionLaw RetentionPrivacy Rounding Tail.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition threshold_statement (c : threshold) : Prop :=
  let g := nat_of (t_gamma c) in
  let eps : rat := (nat_of (t_num c))%:R / (nat_of (t_den c))%:R in
  let te : rat := (nat_of (te_num c))%:R / (nat_of (te_den c))%:R in
  let t := nat_of (t_f c) in
  [/\ (1 < g)%N, 0 < eps, (0 < t)%N,
      forall f, (t <= f)%N -> wrong false g eps f <= te &
      (1 < t)%N -> te < wrong false g eps t.-1].

Definition threshold_statement_at (r : chances) (c : threshold) : Prop :=
  let g := nat_of (t_gamma c) in
  let p := chance (own_num r) (own_den r) in
  let eps := chance (t_num c) (t_den c) in
  let te := chance (te_num c) (te_den c) in
  let t := nat_of (t_f c) in
  [/\ chances_hold g r, 0 < eps, (0 < t)%N,
      forall f, (t <= f)%N -> wrong_at false g p eps f <= te &
      (1 < t)%N -> te < wrong_at false g p eps t.-1].

Section Threshold.

Variables (g p q n d t F : nat) (hn hd ln ld : N).
Hypotheses (g_gt1 : (1 < g)%N) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N) (d_gt0 : (0 < d)%N).
Hypotheses (lt_nd : (n < d)%N) (t_gt0 : (0 < t)%N) (F_gt0 : (0 < F)%N).

Let c := Threshold (b g) (b p) (b q) (b n) (b d) (b t) (b F) hn hd ln ld.
Let eps : rat := p%:R / q%:R.
Let te : rat := n%:R / d%:R.
Let dist f := distance_nat false p q f.

Lemma te_lt1 : te < 1.
Proof. by rewrite /te ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat. Qed.

(** * From F on, at any retention *)

Section AtRetention.

Variable r : chances.
Hypotheses fit_r : chances_fit (b g) r.
Let keep := chance (own_num r) (own_den r).
Let g1 : (1 < nat_of (b g))%N. Proof. by rewrite Nat2N.id. Qed.

Let fl := (p * F %/ q)%N.

Lemma keep_01 : 0 < keep < 1.
Proof. by case: (chances_ok g1 fit_r). Qed.

Lemma tail_sum : tail_fits r c -> value (sides r c).1 + value (sides r c).2 <= te.
Proof.
rewrite /tail_fits; case: (sides r c) => [[[m a] e] [[k i] l]] /=.
rewrite -(N2Nat.id m) -(N2Nat.id a) -(N2Nat.id e) -(N2Nat.id k) -(N2Nat.id i) -(N2Nat.id l) !Nat2N.id.
move: (nat_of m) (nat_of a) (nat_of e) (nat_of k) (nat_of i) (nat_of l) => {}m {}a {}e {}k {}i {}l.
rewrite !bD !p2 !bM bD bM bleb => fits.
have e0 := two_gt0 e; have l0 := two_gt0 l.
have -> : (m * 2 ^ a)%:R / (2 ^ e)%:R + (k * 2 ^ i)%:R / (2 ^ l)%:R
   = (m * 2 ^ (a + l) + k * 2 ^ (i + e))%:R / (2 ^ (e + l))%:R :> rat.
  rewrite natrD !expnD !natrM; move: e0 l0; move: (2 ^ e)%N%:R (2 ^ l)%N%:R => x y.
  by move=> /lt0r_neq0 x0 /lt0r_neq0 y0; field; rewrite x0 y0.
rewrite /te ler_pdivr_mulr ?two_gt0 // mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ler_nat mulnC.
Qed.

Lemma sides_above : (p <= (g - 1) * q)%N -> (sides r c).1 = tilted r (b g) (b F) (b (F + fl)) hn hd.
Proof. by move=> small; rewrite /sides /= bB1 !bM bltb ltnNge small /= bdiv // bD. Qed.

Lemma sides_below : (p <= q)%N -> (sides r c).2 = tilted r (b g) (b F) (b (F - fl)) ln ld.
Proof. by move=> small; rewrite /sides /= bltb ltnNge small /= !bM bdiv // bB. Qed.

Lemma tail_ok f : tilts_fit c -> tail_fits r c -> (F <= f)%N -> retained g keep f (err f (dist f)) <= te.
Proof.
move=> tilts /tail_sum sum_le le_Ff; rewrite retained_err_split ?distance_gt0 //; last exact: leq_trans le_Ff.
apply: (le_trans _ sum_le); have pu := value_ge0 (sides r c).1; have pl := value_ge0 (sides r c).2.
have u1 : value (sides r c).1 <= 1.
  by apply: le_trans (ltW te_lt1); apply: le_trans sum_le; rewrite ler_addl.
have l1 : value (sides r c).2 <= 1.
  by apply: le_trans (ltW te_lt1); apply: le_trans sum_le; rewrite ler_addr.
apply: ler_add.
- have [big | small] := ltnP ((g - 1) * q) p; first by rewrite (no_above keep g_gt1 q_gt0 F_gt0 le_Ff big).
  have [hd0 le_hd] : (0 < nat_of hd)%N /\ (nat_of hd <= nat_of hn)%N.
    by move: tilts; rewrite /tilts_fit /= bB1 bM !bltb ltnNge small /=; lia.
  have z1 : 1 <= chance hn hd by rewrite /chance ler_pdivl_mulr ?ltr0n // mul1r ler_nat.
  have := @value_tilted r (b g) g1 fit_r (b F) (b (F + fl)) hn hd _ hd0 erefl.
  rewrite -sides_above // !Nat2N.id => bound.
  apply: le_trans (bound); apply: above_falls => //; first exact: keep_01.
  exact: le_trans u1.
- have [big | small] := ltnP q p; first by rewrite (no_below g keep q_gt0 F_gt0 le_Ff big).
  have [ld0 le_ld lone] : [/\ (0 < nat_of ld)%N, (nat_of ln <= nat_of ld)%N & (0 < nat_of ln)%N \/ p = q].
    by move: tilts; rewrite /tilts_fit /= !bltb [(q < p)%N]ltnNge small /=; split; lia.
  have z01 : 0 <= chance ln ld <= 1.
    by rewrite /chance divr_ge0 ?ler0n //= ler_pdivr_mulr ?ltr0n // mul1r ler_nat.
  have := @value_tilted r (b g) g1 fit_r (b F) (b (F - fl)) ln ld _ ld0 erefl.
  rewrite -sides_below // !Nat2N.id => bound.
  apply: le_trans (bound); apply: below_falls => //; first exact: keep_01.
    by case: lone => [ln0 | ]; [left; rewrite /chance divr_gt0 ?ltr0n | right].
  exact: le_trans l1.
Qed.

(** * The rest at a retention *)

Let P f := wrong_at false g keep eps f.

Lemma P_errE f : (0 < f)%N -> P f = retained g keep f (err f (dist f)).
Proof. by move=> f0; apply: eq_retained => x; rewrite event_err. Qed.

Lemma at_most_at_ok f : (0 < f)%N -> at_most_at r c (b f) (b (dist f)) = (P f <= te).
Proof.
move=> f0; rewrite /at_most_at [t_gamma _]/= [te_num _]/= [te_den _]/=.
have := @wrong_at_ok r (b g) g1 fit_r false (b p) (b q) (b f); rewrite !Nat2N.id bdistance // -/(dist f).
move=> /(_ p_gt0 q_gt0 f0); have -> : wrong_at false g (chance (own_num r) (own_den r)) (chance (b p) (b q)) f = P f.
  by rewrite /chance !Nat2N.id.
have U0 := unit_at_gt0 g1 fit_r f; rewrite Nat2N.id in U0; have := @whole_at_ok r (b g) (b f).
rewrite !Nat2N.id; move: (numerator_at _ _ _ _) (whole_at _ _ _) (unit_at _ _ _) U0 => top whole U U0 eq_U eq_top.
rewrite -(ler_pmul2l U0) -eq_top -eq_U /te mulrA ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
by rewrite mulnC; apply/idP/idP; lia.
Qed.

Lemma ends_at_ok k : exists ok,
  N.iter (b k) (end_visit_at r c) (b t, b (dist t), true) = (b (t + k), b (dist (t + k)), ok) /\
  (ok -> P (t + k) <= te -> forall f, (t <= f <= t + k)%N -> P f <= te).
Proof.
rewrite -Nat2N.inj_iter; elim: k => [|k [ok [eq_ok IH]]].
  by exists true; rewrite addn0; split=> // _ le_t f le_f; rewrite (_ : f = t) //; lia.
rewrite [Nat.iter _ _ _]/= eq_ok /end_visit_at [t_num _]/= [t_den _]/= bS bdistance // addnS -/(dist (t + k).+1).
have tk0 : (0 < t + k)%N by move: t_gt0; clear; lia.
case: ok IH {eq_ok} => [IH | _]; last by exists false.
eexists; split; first reflexivity.
move=> tested le_S f /andP[le_tf]; rewrite leq_eqVlt => /orP[/eqP -> // | lt_f].
apply: IH => //; last by rewrite le_tf.
case/orP: tested => [ | ]; last by rewrite at_most_at_ok.
rewrite beqb => /eqP same; apply: le_trans le_S; rewrite !P_errE // same.
by apply: retained_err_next; rewrite ?keep_01 ?distance_gt0.
Qed.

Lemma threshold_at_ok :
  no_smaller_at r c && tilts_fit c && tail_fits r c && ends_fit_at r c -> threshold_statement_at r c.
Proof.
case/andP => /andP[/andP[above tilts] tail] ends.
rewrite /threshold_statement_at [t_gamma _]/= [t_num _]/= [t_den _]/= [te_num _]/= [te_den _]/= [t_f _]/=.
have eq_eps : chance (b p) (b q) = eps by rewrite /chance !Nat2N.id.
have eq_te : chance (b n) (b d) = te by rewrite /chance !Nat2N.id.
rewrite eq_eps eq_te !Nat2N.id -/keep; split=> //; [| exact: eps_gt0 | |].
- by have := chances_ok g1 fit_r; rewrite Nat2N.id.
- have tail_le f : (F <= f)%N -> P f <= te.
    by move=> le_f; rewrite P_errE; [exact: tail_ok | exact: leq_trans le_f].
  have [ok [eq_ok good]] := ends_at_ok (F - t).
  move: ends; rewrite /ends_fit_at [t_from _]/= [t_f _]/= [t_num _]/= [t_den _]/= bdistance // bB -/(dist t) eq_ok [snd _]/=.
  move=> /good le_f f le_tf; have [/tail_le // | lt_fF] := leqP F f.
  by apply: le_f; rewrite ?subnKC ?tail_le //; lia.
- move=> t1; have t10 : (0 < t.-1)%N by move: t1; clear; lia.
  move: above; rewrite /no_smaller_at [t_f _]/= [t_num _]/= [t_den _]/= bB1 subn1 bdistance // -/(dist t.-1).
  by case/orP => [/N.eqb_eq | ]; [move=> eq_t; exfalso; move: eq_t t1; clear; lia | rewrite at_most_at_ok // -ltNge].
Qed.

End AtRetention.

(** * The rest at 1/g, by bounds *)

Definition plain : chances := Chances 1 (b g) 1 (b g).

Lemma fit_plain : chances_fit (b g) plain.
Proof.
rewrite /chances_fit [own_num _]/= [own_den _]/= [other_num _]/= [other_den _]/= N.mul_1_l N.mul_comm N.eqb_refl.
by move: g_gt1; clear; lia.
Qed.

Lemma wrong_retained f : wrong false g eps f = wrong_at false g (chance 1 (b g)) eps f.
Proof. by rewrite /wrong_at /chance Nat2N.id div1r retained_plain. Qed.

Lemma at_most_ok f : (0 < f)%N -> at_most c (b f) = (wrong false g eps f <= te).
Proof.
move=> f0; rewrite /at_most /c [t_gamma _]/= [t_num _]/= [t_den _]/= [te_num _]/= [te_den _]/=.
rewrite bdistance // top_ok // !bM bexp !bM bleb wrong_top // /te.
rewrite ler_pdivr_mulr ?pow_gt0 // mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ler_nat.
Qed.

Variable u : base.
Hypotheses unit_u : (0 < nat_of (unit u))%N.

Lemma wrong_middle f : (0 < f)%N ->
  wrong false g eps f + prob g (g * f) (fun x => ~~ err f (dist f) x) = 1.
Proof.
move=> f0; rewrite wrong_err // !probE -meanD -[RHS](prob_total g (g * f)) probE; apply: eq_mean => x.
by rewrite -natrD; case: (err _ _ _).
Qed.

Lemma at_most_by_bounds_ok f at_f : (0 < f)%N -> below u (b g) at_f ->
  at_most_by_bounds u c (b f) (b (dist f)) at_f -> wrong false g eps f <= te.
Proof.
move=> f0 ok_f; rewrite /at_most_by_bounds [t_gamma _]/= [te_num _]/= [te_den _]/=.
move: scale_of_bounds => E; set goal := (_ / _)%num => above.
have g1 : (1 < nat_of (b g))%N by rewrite Nat2N.id.
have j0 : (0 < nat_of (b (dist f)))%N by rewrite Nat2N.id distance_gt0.
have := @middle_le u unit_u (b g) g1 E (b f) (b (dist f)) goal at_f j0 ok_f.
rewrite !Nat2N.id => le_middle; have {above} lt_goal : (nat_of goal).+1%:R <= unit_of u E *
    prob g (g * f) (fun x => ~~ err f (dist f) x).
  by apply: le_trans le_middle; rewrite ler_nat; lia.
have U0 := unit_gt0 unit_u E; have d0 : 0 < d%:R :> rat by rewrite ltr0n.
have : (d - n)%N%:R / d%:R <= prob g (g * f) (fun x => ~~ err f (dist f) x).
  rewrite -(@ler_pmul2l _ (unit_of u E)) //; apply: le_trans lt_goal.
  rewrite mulrA ler_pdivr_mulr // /unit_of -!natrM ler_nat /goal nat_of_div.
  rewrite N2Nat.inj_mul multE bB !Nat2N.id nat_of_power mulnC.
  by apply: ltnW; rewrite -ltn_divLR.
have -> : (d - n)%N%:R / d%:R = 1 - te :> rat.
  by rewrite (natrB _ (ltnW lt_nd)) mulrBl (divff (lt0r_neq0 d0)).
have := wrong_middle f0; set W := wrong _ _ _ _; set M := prob _ _ _ => eq_WM le_M.
by rewrite -(ler_add2r M) eq_WM -ler_subl_addl.
Qed.

Lemma above_by_bounds_ok f : (0 < f)%N -> above_by_bounds u c (b f) -> te < wrong false g eps f.
Proof.
move=> f0; rewrite /above_by_bounds [t_gamma _]/= [t_num _]/= [t_den _]/= [te_num _]/= [te_den _]/=.
rewrite bdistance // -/(dist f); move: scale_of_bounds => E; set goal := (_ / _)%num => above.
have g1 : (1 < nat_of (b g))%N by rewrite Nat2N.id.
have j0 : (0 < nat_of (b (dist f)))%N by rewrite Nat2N.id distance_gt0.
have start : below u (b g) origin by apply: below_origin.
have := @tails_le u unit_u (b g) g1 E (b f) (b (dist f)) goal _ _ j0
  (below_move unit_u g1 (b g * b f)%num (b f + b (dist f))%num start)
  (below_move unit_u g1 (b g * b f)%num (b f - b (dist f))%num start).
rewrite !Nat2N.id -wrong_err // => le_tails.
have U0 := unit_gt0 unit_u E; have d0 : 0 < d%:R :> rat by rewrite ltr0n.
rewrite -(@ltr_pmul2l _ (unit_of u E)) //; apply: lt_le_trans le_tails.
apply: (@lt_le_trans _ _ (nat_of goal).+1%:R); last by rewrite ler_nat; lia.
rewrite /te mulrA ltr_pdivr_mulr // /unit_of -!natrM ltr_nat /goal nat_of_div.
by rewrite N2Nat.inj_mul multE !Nat2N.id nat_of_power mulnC -ltn_divLR.
Qed.

Lemma iter_next (A : Type) (f : A -> A) k x : Nat.iter k.+1 f x = f (Nat.iter k f x).
Proof. by []. Qed.

Lemma ends_ok k : exists at_f ok,
  [/\ N.iter (b k) (end_visit u c) (b t, b (dist t), origin, true) = (b (t + k), b (dist (t + k)), at_f, ok),
    below u (b g) at_f &
    ok -> wrong false g eps (t + k) <= te -> forall f, (t <= f <= t + k)%N -> wrong false g eps f <= te].
Proof.
have g1 : (1 < nat_of (b g))%N by rewrite Nat2N.id.
rewrite -Nat2N.inj_iter; elim: k => [|k [at_f [ok [eq_ok ok_f IH]]]].
  have start : below u (b g) origin by exact: below_origin.
  exists origin, true; rewrite addn0; split=> //.
  by move=> _ le_t f le_f; rewrite (_ : f = t) //; lia.
rewrite iter_next eq_ok /end_visit [t_gamma _]/= [t_num _]/= [t_den _]/= bS bdistance // addnS.
rewrite -/(dist (t + k).+1); have tk0 : (0 < t + k)%N by lia.
case: ok IH {eq_ok} => [IH | _]; last by exists at_f, false; split.
have step : wrong false g eps (t + k) <= te -> wrong false g eps (t + k).+1 <= te ->
    forall f, (t <= f <= (t + k).+1)%N -> wrong false g eps f <= te.
  move=> le_tk le_S f /andP[le_tf]; rewrite leq_eqVlt => /orP[/eqP-> // | lt_f].
  by apply: IH => //; rewrite le_tf.
rewrite beqb; case: eqP => [same | _].
  exists at_f, true; split=> // _ le_S; apply: step => //; apply: le_trans le_S.
  rewrite /dist in same; rewrite [X in X <= _]wrong_err // [X in _ <= X]wrong_err // same.
  by apply: err_next => //; exact: distance_gt0.
set here := move _ _ _ _ _; have ok_here : below u (b g) here by apply: below_move.
eexists here, _; split; [reflexivity | by [] |] => tested; apply: step.
by case/orP: tested => [/at_most_by_bounds_ok-> | ] //; rewrite ?at_most_ok.
Qed.

Lemma threshold_ok : no_smaller u c && tilts_fit c && tail_fits plain c && ends_fit u c -> threshold_statement c.
Proof.
case/andP => /andP[/andP[above tilts] tail] ends.
rewrite /threshold_statement [t_gamma _]/= [t_num _]/= [t_den _]/= [te_num _]/= [te_den _]/= [t_f _]/=.
rewrite !Nat2N.id; split=> //; first exact: eps_gt0.
  have tail_le f : (F <= f)%N -> wrong false g eps f <= te.
    move=> le_f; have f0 : (0 < f)%N by exact: leq_trans le_f.
    by rewrite wrong_retained; apply: le_trans (tail_ok fit_plain tilts tail le_f); rewrite -(@P_errE plain).
  have [at_f [ok [eq_ok _ good]]] := ends_ok (F - t).
  move: ends; rewrite /ends_fit [t_from _]/= [t_f _]/= [t_num _]/= [t_den _]/= bdistance // bB -/dist eq_ok [snd _]/=.
  move=> /good le_f f le_tf; have [/tail_le // | lt_fF] := leqP F f.
  by apply: le_f; rewrite ?subnKC ?tail_le //; lia.
move=> t1; move: above; rewrite /no_smaller [t_f _]/= bB1 subn1.
have t10 : (0 < t.-1)%N by lia.
case/orP => [/orP[/N.eqb_eq | above] | ]; [lia | exact: above_by_bounds_ok |].
by rewrite at_most_ok // -ltNge.
Qed.

End Threshold.

Lemma wrong_le1 strict g eps f : (1 < g)%N -> wrong strict g eps f <= 1.
Proof.
by move=> g1; rewrite /wrong -(prob_total g (g * f)); apply: prob_le.
Qed.

Theorem check_threshold_sound (c : threshold) : check_threshold c = true -> threshold_statement c.
Proof.
rewrite /check_threshold; move: standard unit_standard => s unit_s.
have eq_c : Threshold (b (nat_of (t_gamma c))) (b (nat_of (t_num c))) (b (nat_of (t_den c))) (b (nat_of (te_num c)))
    (b (nat_of (te_den c))) (b (nat_of (t_f c))) (b (nat_of (t_from c))) (high_num c) (high_den c) (low_num c) (low_den c)
    = c by rewrite !N2Nat.id; case: c.
case/andP => /andP[/andP[/andP[/andP[g2 p1] q1] d1] t1].
case: (N.eqb_spec (te_num c) (te_den c)) => [eq_nd /N.eqb_eq eq_t | _].
  have g1 : (1 < nat_of (t_gamma c))%N by clear eq_c; lia.
  have d0 : (nat_of (te_den c))%:R != 0 :> rat by rewrite pnatr_eq0; clear eq_c; lia.
  rewrite /threshold_statement eq_t eq_nd; split=> //; first by apply: eps_gt0; clear eq_c; lia.
  by move=> f _; rewrite divff //; apply: wrong_le1.
case/andP => /andP[/andP[/andP[/andP[nd F1] above] tilts] tail] ends.
have all : no_smaller s c && tilts_fit c && tail_fits (Chances 1 (t_gamma c) 1 (t_gamma c)) c && ends_fit s c by rewrite above tilts tail ends.
have pos : [/\ (1 < nat_of (t_gamma c))%N, (0 < nat_of (t_num c))%N, (0 < nat_of (t_den c))%N &
    (0 < nat_of (te_den c))%N] by clear -g2 p1 q1 d1; split; lia.
have more : [/\ (nat_of (te_num c) < nat_of (te_den c))%N, (0 < nat_of (t_f c))%N & (0 < nat_of (t_from c))%N].
  by clear -nd t1 F1; split; lia.
case: pos more => g1 p0 q0 d0 [nd' t0 F0].
rewrite -eq_c in all; rewrite -eq_c.
exact: (@threshold_ok _ _ _ _ _ _ _ _ _ _ _ g1 p0 q0 d0 nd' t0 F0 s unit_s all).
Qed.

Lemma wrong_at_le1 strict g p eps f : (1 < g)%N -> 0 < p < 1 -> wrong_at strict g p eps f <= 1.
Proof.
move=> g1 p01; rewrite -(trials_total (slots g p f)) /wrong_at /retained; set A := event strict eps f.
have -> : trials (slots g p f) predT = trials (slots g p f) A + trials (slots g p f) (fun x => ~~ A x).
  by rewrite -trials_disjoint => [|x]; [apply: eq_trials => x | ]; case: (A x).
by rewrite ler_addl trials_ge0 // proper_at.
Qed.

Theorem check_threshold_at_sound (r : chances) (c : threshold) :
  check_threshold_at r c = true -> threshold_statement_at r c.
Proof.
rewrite /check_threshold_at.
have eq_c : Threshold (b (nat_of (t_gamma c))) (b (nat_of (t_num c))) (b (nat_of (t_den c))) (b (nat_of (te_num c)))
    (b (nat_of (te_den c))) (b (nat_of (t_f c))) (b (nat_of (t_from c))) (high_num c) (high_den c) (low_num c) (low_den c)
    = c by rewrite !N2Nat.id; case: c.
case/andP => /andP[/andP[/andP[/andP[/andP[g2 fit_r] p1] q1] d1] t1].
have pos : [/\ (1 < nat_of (t_gamma c))%N, (0 < nat_of (t_num c))%N, (0 < nat_of (t_den c))%N &
    (0 < nat_of (te_den c))%N] by clear -g2 p1 q1 d1; split; lia.
case: pos => g1 p0 q0 d0; case: (N.eqb_spec (te_num c) (te_den c)) => [eq_nd /N.eqb_eq eq_t | _].
  have [_ keep01 _] := chances_ok g1 fit_r; have dn : (nat_of (te_den c))%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
  rewrite /threshold_statement_at eq_t eq_nd; split=> //; [exact: chances_ok | by rewrite /chance divr_gt0 ?ltr0n |].
  by move=> f _; rewrite [X in _ <= X]divff //; exact: wrong_at_le1.
case/andP => /andP[/andP[/andP[/andP[nd F1] above] tilts] tail] ends.
have all : no_smaller_at r c && tilts_fit c && tail_fits r c && ends_fit_at r c by rewrite above tilts tail ends.
have more : [/\ (nat_of (te_num c) < nat_of (te_den c))%N, (0 < nat_of (t_f c))%N & (0 < nat_of (t_from c))%N].
  by clear -nd t1 F1; split; lia.
case: more => nd' t0 F0; rewrite -(N2Nat.id (t_gamma c)) in fit_r; rewrite -eq_c in all; rewrite -eq_c.
exact: (@threshold_at_ok _ _ _ _ _ _ _ _ _ _ _ g1 p0 q0 d0 nd' t0 F0 r fit_r all).
Qed.
