(* What Retention.v computes is the law of the published count at a retention probability. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Trials RetentionSawtooth Law Checker Bridge Lower Minimum LowerBounds Privacy Retention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma eq_retained g p f (A B : pred nat) : A =1 B -> retained g p f A = retained g p f B.
Proof. exact: eq_trials. Qed.

Lemma by_difference (x y z t : rat) : x = y -> z - t = x - y -> z = t.
Proof. by move=> ->; rewrite subrr => /eqP; rewrite subr_eq0 => /eqP. Qed.

(** * Each probability from the two before *)

Section Recurrence.

Variables (p q : rat) (f m : nat).

Let P := trial p ^+ f * trial q ^+ m.

Lemma product_deriv : trial p * (trial q * P^`()) = (f%:R * p)%:P * (trial q * P) + (m%:R * q)%:P * (trial p * P).
Proof.
have power_deriv n r : (trial r ^+ n)^`() * trial r = (n%:R * r)%:P * trial r ^+ n.
  rewrite deriv_exp deriv_trial [LHS]mulrnAl -mulrA -exprSr mulr_natl polyCMn mulrnAl.
  by case: n => [|n]; rewrite ?mulr0n.
rewrite mulrA mulrC /P derivM mulrDl; congr (_ + _).
- by rewrite mulrACA power_deriv -mulrA; congr (_ * _); rewrite mulrA mulrC.
- rewrite mulrACA power_deriv mulrCA; congr (_ * _); rewrite [RHS]mulrA; congr (_ * _).
  exact: mulrC.
Qed.

Lemma three_terms k :
  k.+1%:R * ((1 - p) * (1 - q)) * P`_k.+1 + k%:R * ((1 - p) * q + p * (1 - q)) * P`_k =
  (f%:R * p * (1 - q) + m%:R * q * (1 - p)) * P`_k + (f%:R + m%:R + 1 - k%:R) * (p * q) * ('X * P)`_k.
Proof.
have := congr1 (fun Q : {poly rat} => Q`_k) product_deriv.
rewrite coefD !coefCM !coef_trial !coefXM.
have nat1 n : n.+1%:R = n%:R + 1 :> rat by rewrite -(natrD _ n 1) addn1.
have deriv i : P^`()`_i = (i%:R + 1) * P`_i.+1 by rewrite coef_deriv -mulr_natl nat1.
case: k => [|[|k]]; rewrite /= ?coef_trial ?coefXM /= !deriv ?nat1;
  move=> /by_difference; apply; move: (f%:R : rat) (m%:R : rat) => F M.
- by move: (P`_0) (P`_1) => x y; ring.
- by move: (P`_0) (P`_1) (P`_2) => x y z; ring.
- by move: (k%:R : rat) (P`_k.+1) (P`_k.+2) (P`_k.+3) => K x y z; ring.
Qed.

End Recurrence.

(* The same in whole numbers. *)
Lemma next_algebra (W F M K K' U S V T x y z : rat) : V != 0 -> T != 0 ->
  K' * ((1 - U / V) * (1 - S / T)) * z + K * ((1 - U / V) * (S / T) + U / V * (1 - S / T)) * y =
    (F * (U / V) * (1 - S / T) + M * (S / T) * (1 - U / V)) * y + (F + M + 1 - K) * (U / V * (S / T)) * x ->
  K' * ((V - U) * (T - S)) * (W * z) + K * ((V - U) * S + U * (T - S)) * (W * y) =
    (F * U * (T - S) + M * S * (V - U)) * (W * y) + (F + M + 1 - K) * (U * S) * (W * x).
Proof.
move=> V0 T0 /(congr1 (fun e => W * (V * T) * e)) /by_difference; apply.
by field; rewrite V0 T0.
Qed.

(** * The sums *)

Section Weights.

Variables (g f u w s t : nat).
Hypotheses (g_gt1 : (1 < g)%N) (u_gt0 : (0 < u)%N) (lt_uw : (u < w)%N) (t_gt0 : (0 < t)%N).
Hypotheses (fits : (s * w * (g - 1) = (w - u) * t)%N).

Let r := Chances (b u) (b w) (b s) (b t).
Let p : rat := u%:R / w%:R.
Let q : rat := s%:R / t%:R.
Let m := ((g - 1) * f)%N.
Let G := gen (slots g p f).
Let W := (w ^ f * t ^ m)%N.

Let w_gt0 : (0 < w)%N := leq_ltn_trans (leq0n u) lt_uw.
Let wn : w%:R != 0 :> rat. Proof. by rewrite pnatr_eq0 -lt0n. Qed.
Let tn : t%:R != 0 :> rat. Proof. by rewrite pnatr_eq0 -lt0n. Qed.

Lemma lt_st : (s < t)%N.
Proof.
rewrite ltnNge; apply/negP => le_ts; have : ((w - u) * t < s * w * (g - 1))%N; last by rewrite fits ltnn.
apply: (@leq_trans (w * t)); first by rewrite ltn_mul2r t_gt0 ltn_subrL u_gt0 w_gt0.
by rewrite mulnC -[X in (X <= _)%N]muln1 leq_mul ?leq_mul2r ?le_ts ?orbT // subn_gt0.
Qed.

Lemma p01 : 0 < p < 1.
Proof. by rewrite /p divr_gt0 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat. Qed.

Lemma other_chance : (1 - p) / g.-1%:R = q.
Proof.
have g1 : g.-1%:R != 0 :> rat by rewrite pnatr_eq0; move: g_gt1; clear; lia.
apply: (mulIf g1); rewrite divfK // /p /q; apply: (mulIf wn); apply: (mulIf tn).
have := congr1 (fun n => n%:R : rat) fits; rewrite subn1 !natrM (natrB _ (ltnW lt_uw)) => eq_f.
rewrite mulrBl mul1r divfK // -eq_f.
by move: (g.-1%:R : rat) (s%:R : rat) (w%:R : rat) (t%:R : rat) tn => x y z v v0; field.
Qed.

Lemma genE : G = trial p ^+ f * trial q ^+ m.
Proof. by rewrite /G /slots other_chance /m subn1 -/(own p q f _) gen_own. Qed.

Lemma scaled_trial (x y : nat) : (0 < y)%N -> (x <= y)%N ->
  y%:R%:P * trial (x%:R / y%:R) = (y - x)%N%:R%:P + x%:R%:P * 'X :> {poly rat}.
Proof.
move=> y0 le_xy; have yn : y%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
rewrite /trial mulrDr mulrA -!polyCM mulrBr mulr1 (natrB _ le_xy).
by rewrite mulrCA divff // mulr1.
Qed.

Lemma scaled_is_natural (x y : nat) : (0 < y)%N -> (x <= y)%N -> y%:R%:P * trial (x%:R / y%:R) \is a polyOver Qnat.
Proof.
move=> y0 le_xy; rewrite scaled_trial //.
by rewrite rpredD ?rpredM ?polyOverC ?polyOverX ?rpred_nat.
Qed.

Lemma natural k : exists c : nat, W%:R * G`_k = c%:R.
Proof.
have -> : W%:R * G`_k = ((w%:R%:P * trial p) ^+ f * (t%:R%:P * trial q) ^+ m)`_k.
  have eq_W : W%:R%:P = w%:R%:P ^+ f * t%:R%:P ^+ m :> {poly rat} by rewrite /W natrM !natrX polyCM !rmorphX.
  by rewrite -coefCM eq_W genE mulrACA -!exprMn.
have : (w%:R%:P * trial p) ^+ f * (t%:R%:P * trial q) ^+ m \is a polyOver Qnat.
  by rewrite rpredM ?rpredX // scaled_is_natural // ltnW // lt_st.
by move/polyOverP/(_ k)/QnatP.
Qed.
Let slope := (f * u * (t - s) + m * s * (w - u))%N.
Let mixed := ((w - u) * s + u * (t - s))%N.
Let none := ((w - u) * (t - s))%N.

Lemma next_weight k (c before now : nat) :
  W%:R * G`_k.+1 = c%:R -> W%:R * ('X * G)`_k = before%:R -> W%:R * G`_k = now%:R -> (k <= f + m + 1)%N ->
  (k.+1 * none * c + k * mixed * now = slope * now + (f + m + 1 - k) * (u * s) * before)%N.
Proof.
move=> eq_c eq_b eq_n le_k; apply/eqP; rewrite -(eqr_nat [numDomainType of rat]); apply/eqP.
rewrite !natrD !natrM (natrB _ le_k) !natrD !natrM (natrB _ (ltnW lt_uw)) (natrB _ (ltnW lt_st)) -eq_c -eq_b -eq_n.
apply: next_algebra wn tn _.
by have := three_terms p q f m k; rewrite -genE /m natrM.
Qed.

Lemma weights_ok first stop : (stop <= f + m + 1)%N ->
  (nat_of (weights r (b g) (b f) (b first) (b stop)))%:R = W%:R * \sum_(i < stop) (first <= i)%N%:R * G`_i.
Proof.
move=> le_stop; have lst := ltnW lt_st.
rewrite /weights /r [own_num _]/= [own_den _]/= [other_num _]/= [other_den _]/=.
rewrite bB1 !bM -/m !bB !bexp !bM !bD -/slope -/mixed -/none.
suff : exists before now total, [/\
    N.iter (b stop) (weight_step (b slope) (b mixed) (b (u * s)) (b none) (b (f + m)) (b first))
      (0, 0, b ((w - u) ^ f * (t - s) ^ m), 0)%num = (b stop, b before, b now, b total),
    W%:R * ('X * G)`_stop = before%:R, W%:R * G`_stop = now%:R &
    total%:R = W%:R * \sum_(i < stop) (first <= i)%N%:R * G`_i].
  by case=> before [now [total [-> _ _]]] /=; rewrite Nat2N.id.
rewrite -Nat2N.inj_iter; elim: stop le_stop => [|k IH] le_k.
  exists 0%N, ((w - u) ^ f * (t - s) ^ m)%N, 0%N; split; rewrite ?coefXM ?mulr0 ?big_ord0 ?mulr0 //.
  have at0 (x y n : nat) : (0 < y)%N -> (x <= y)%N -> ((y - x) ^ n)%N%:R = y%:R ^+ n * (trial (x%:R / y%:R) ^+ n)`_0 :> rat.
    move=> y0 le_xy; have yn : y%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
    elim: n => [|n IHn]; first by rewrite !expr0 coef1 mulr1.
    rewrite expnS natrM IHn !exprS coef_trial coefXM /= mulr0 addr0 (natrB _ le_xy).
    by move: (y%:R : rat) (x%:R : rat) yn => Y X Y0; field.
  by rewrite genE coefM big_ord1 subn0 /W !natrM !at0 ?(ltnW lt_uw) // !natrX mulrACA.
have [before [now [total [eq_state eq_b eq_n eq_t]]]] := IH (ltnW le_k).
have [c eq_c] := natural k.+1.
exists now, c, (if first <= k then total + now else total)%N; split=> //.
- rewrite [Nat.iter _ _ _]/= eq_state /weight_step bS bD1 !bB !bM bleb.
  have step := next_weight eq_c eq_b eq_n (ltnW le_k).
  set gain := ((f + m + 1 - k) * (u * s) * before)%N in step *.
  have none0 : (0 < k.+1 * none)%N by rewrite muln_gt0 /none muln_gt0 !subn_gt0 lt_uw lt_st.
  congr (_, _, _, _); last by rewrite bleb; case: ifP; rewrite ?bD.
  case: leqP => [small | large]; rewrite ?bB ?bM ?bD ?bB; apply: bdiv_exact => //; rewrite [RHS]mulnC.
    by rewrite mulnBl; have := leq_mul small (leqnn now); move: step; clear; lia.
  have le_now : (slope * now <= k * mixed * now)%N by rewrite leq_mul2r (ltnW large) orbT.
  by rewrite mulnBl; move: step le_now; clear; lia.
- by rewrite coefXM.
- rewrite big_ord_recr /= mulrDr -eq_t; case: ifP => _; rewrite ?mul0r ?mulr0 ?addr0 //.
  by rewrite natrD mul1r eq_n.
Qed.

Lemma whole_ok h : whole_at r (b g) (b h) = b (w ^ h * t ^ ((g - 1) * h)).
Proof. by rewrite /whole_at /r /= bB1 bM !bexp bM. Qed.

Lemma proper_slots : proper (slots g p f).
Proof.
rewrite /proper /slots all_cat !all_nseq p01 orbT other_chance /=; apply/orP; right.
have s0 : (0 < s)%N.
  have : (0 < (w - u) * t)%N by rewrite muln_gt0 subn_gt0 lt_uw.
  by rewrite -fits !muln_gt0 => /andP[/andP[]].
by rewrite /q divr_gt0 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat lt_st.
Qed.

Lemma numerator_at_ok j : (0 < j)%N ->
  (nat_of (numerator_at r (b g) (b f) (b j)))%:R = W%:R * retained g p f (err f j).
Proof.
move=> j0; have size_n : size (slots g p f) = (f + m)%N by rewrite /slots size_cat !size_nseq /m subn1.
rewrite /numerator_at whole_ok -/m bB1 bM -/m !bD1 !bD bD1 bmin bB.
set last := minn _ _; set total := weights _ _ _ _ _.
have le_last : (last <= f + m + 1)%N by rewrite geq_minl.
have total_ok : (nat_of total)%:R = W%:R * trials (slots g p f) (fun x => ~~ err f j x).
  have lt_n : (size (slots g p f) < f + m + 1)%N by rewrite size_n addn1.
  rewrite weights_ok // (trials_gen _ lt_n); congr (_ * _).
  rewrite (big_ord_widen _ (fun i => (f + 1 - j <= i)%N%:R * G`_i) le_last) big_mkcond.
  apply: eq_bigr => i _; have -> : ~~ err f j i = (i < last)%N && (f + 1 - j <= i)%N.
    have := ltn_ord i; rewrite /err /last /minn; move: (nat_of_ord i) => x; move: j0; clear; case: ifP; lia.
  by case: (i < last)%N; rewrite ?mul0r.
have eq_W : W%:R = W%:R * retained g p f (err f j) + (nat_of total)%:R.
  rewrite total_ok -mulrDr -[LHS]mulr1 -(trials_total (slots g p f)); congr (_ * _).
  by rewrite -trials_disjoint => [|x]; [apply: eq_trials => x | ]; case: (err f j x).
rewrite N2Nat.inj_sub Nat2N.id; apply/eqP; rewrite -subr_eq0; apply/eqP.
have le_total : (nat_of total <= W)%N.
  by rewrite -(ler_nat [numDomainType of rat]) eq_W ler_addr mulr_ge0 ?ler0n ?trials_ge0 // proper_slots.
by rewrite (natrB _ le_total) {1}eq_W addrK subrr.
Qed.

End Weights.

(** * error-probability *)

Definition chance (top bottom : N) : rat := (nat_of top)%:R / (nat_of bottom)%:R.

(* Pr(|f' - f| > eps f), or >= eps f, at the retention probability p. *)
Definition wrong_at (strict : bool) (g : nat) (p eps : rat) (f : nat) : rat := retained g p f (event strict eps f).

(* The retention probability, and what probabilities at f are multiplied by: (w t^(g-1))^f for p = u/w, q = s/t. *)
Definition chances_hold (g : nat) (r : chances) : Prop :=
  let p := chance (own_num r) (own_den r) in
  [/\ (1 < g)%N, 0 < p < 1 & chance (other_num r) (other_den r) = (1 - p) / (g - 1)%:R].

Definition unit_at (g : nat) (r : chances) (f : nat) : rat :=
  (nat_of (own_den r) ^ f * nat_of (other_den r) ^ ((g - 1) * f))%:R.

Definition error_statement_at (r : chances) (c : error) : Prop :=
  let g := nat_of (e_gamma c) in
  let p := chance (own_num r) (own_den r) in
  let eps := chance (e_num c) (e_den c) in
  let f := nat_of (e_count c) in
  [/\ chances_hold g r, 0 < eps, (0 < f)%N,
      wrong_at false g p eps f = (nat_of (e_top c))%:R / unit_at g r f &
      wrong_at false g p eps f <= chance (e_value_num c) (e_value_den c)].

Section Chances.

Variables (r : chances) (g : N).
Hypotheses (g_gt1 : (1 < nat_of g)%N) (fit_r : chances_fit g r).

Let u := nat_of (own_num r).
Let w := nat_of (own_den r).
Let s := nat_of (other_num r).
Let t := nat_of (other_den r).

Lemma fit_all : [/\ (0 < u)%N, (u < w)%N, (0 < t)%N & (s * w * (nat_of g - 1) = (w - u) * t)%N].
Proof.
move: fit_r; rewrite /chances_fit /u /w /s /t => /andP[/andP[/andP[u1 lt_uw] t1] /N.eqb_eq eq_q].
have := congr1 nat_of eq_q; rewrite !N2Nat.inj_mul !N2Nat.inj_sub !multE !minusE => eq_nat.
by split=> //; lia.
Qed.

Lemma own_r : r = Chances (b u) (b w) (b s) (b t).
Proof. by rewrite /u /w /s /t !N2Nat.id; case: r. Qed.

Lemma chances_ok : chances_hold (nat_of g) r.
Proof.
have [u0 lt_uw t0 eq_q] := fit_all; split=> //; first exact: (p01 u0 lt_uw).
by rewrite subn1 (other_chance g_gt1 lt_uw t0 eq_q).
Qed.

Lemma unit_at_gt0 f : 0 < unit_at (nat_of g) r f.
Proof.
have [u0 lt_uw t0 _] := fit_all.
by rewrite /unit_at ltr0n muln_gt0 !expn_gt0 t0 (leq_trans _ lt_uw).
Qed.

Lemma whole_at_ok f : (nat_of (whole_at r g f))%:R = unit_at (nat_of g) r (nat_of f).
Proof. by rewrite own_r -{1}(N2Nat.id g) -{1}(N2Nat.id f) whole_ok Nat2N.id /unit_at /= !Nat2N.id. Qed.

Lemma wrong_at_ok strict pn qn f : (0 < nat_of pn)%N -> (0 < nat_of qn)%N -> (0 < nat_of f)%N ->
  (nat_of (numerator_at r g f (distance strict pn qn f)))%:R =
  unit_at (nat_of g) r (nat_of f) * wrong_at strict (nat_of g) (chance (own_num r) (own_den r)) (chance pn qn) (nat_of f).
Proof.
move=> p0 q0 f0; have [u0 lt_uw t0 eq_q] := fit_all.
rewrite /wrong_at /chance (@eq_retained _ _ _ _ (err (nat_of f) (distance_nat strict (nat_of pn) (nat_of qn) (nat_of f)))); last first.
  by move=> x; rewrite event_err.
rewrite -{1}(N2Nat.id pn) -{1}(N2Nat.id qn) -{1 2}(N2Nat.id f) -{1}(N2Nat.id g) bdistance // own_r.
rewrite (numerator_at_ok _ g_gt1 u0 lt_uw t0 eq_q); last exact: distance_gt0.
by rewrite /unit_at /= !Nat2N.id.
Qed.

End Chances.

Theorem check_error_at_sound (r : chances) (c : error) : check_error_at r c = true -> error_statement_at r c.
Proof.
case: c => g pn qn f top vn vd; rewrite /check_error_at /error_statement_at /=.
case/andP => /andP[/andP[/andP[/andP[/andP[/andP[g2 fit_r] p1] q1] f1] d1] /N.eqb_eq top_ok'] value.
have g1 : (1 < nat_of g)%N by move: g2; clear; lia.
have p0 : (0 < nat_of pn)%N by move: p1; clear; lia.
have q0 : (0 < nat_of qn)%N by move: q1; clear; lia.
have f0 : (0 < nat_of f)%N by move: f1; clear; lia.
have d0 : (0 < nat_of vd)%N by move: d1; clear; lia.
have U0 := unit_at_gt0 g1 fit_r (nat_of f).
have := wrong_at_ok g1 fit_r false p0 q0 f0; rewrite top_ok' => eq_top.
have eq_wrong : wrong_at false (nat_of g) (chance (own_num r) (own_den r)) (chance pn qn) (nat_of f)
    = (nat_of top)%:R / unit_at (nat_of g) r (nat_of f).
  by rewrite eq_top mulrAC divff ?mul1r // lt0r_neq0.
split=> //; [exact: chances_ok | by rewrite /chance divr_gt0 ?ltr0n |].
rewrite eq_wrong /chance ler_pdivr_mulr // mulrAC ler_pdivl_mulr ?ltr0n // -whole_at_ok -!natrM ler_nat.
by move: value; clear; lia.
Qed.
