(* The tail of a threshold: rounding up is safe, and Chernoff's bound falls. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Law Checker Bridge Trials RetentionSawtooth Minimum LowerBounds Privacy Retention RetentionLaw.
From Kernel Require Import Rounding.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition value (x : up) : rat :=
  let: (m, a, e) := x in (nat_of m * 2 ^ nat_of a)%N%:R / (2 ^ nat_of e)%N%:R.

Lemma p2 e : power 2 (b e) = b (2 ^ e). Proof. exact: (bexp 2 e). Qed.

Lemma two_gt0 n : 0 < (2 ^ n)%N%:R :> rat. Proof. by rewrite ltr0n expn_gt0. Qed.

Lemma value_ge0 x : 0 <= value x.
Proof. by case: x => [[m a] e]; rewrite /value divr_ge0 ?ler0n. Qed.

Lemma le_two x y m n : (x * 2 ^ n <= y * 2 ^ m)%N -> x%:R / (2 ^ m)%N%:R <= y%:R / (2 ^ n)%N%:R :> rat.
Proof.
move=> le_xy; rewrite ler_pdivr_mulr ?two_gt0 // mulrAC ler_pdivl_mulr ?two_gt0 //.
by rewrite -!natrM ler_nat.
Qed.

Lemma value_trim x : value x <= value (trim x).
Proof.
case: x => [[m a] e]; rewrite -(N2Nat.id m) -(N2Nat.id a) -(N2Nat.id e).
move: (nat_of m) (nat_of a) (nat_of e) => {}m {}a {}e.
rewrite /trim; move: (_ - WORK)%num => d; rewrite -(N2Nat.id d); move: (nat_of d) => {}d.
rewrite p2 bB1 bD bdiv ?expn_gt0 // bD bmin !bB /value !Nat2N.id.
have := @ceil_div m (2 ^ d); rewrite expn_gt0 => /(_ isT); set m' := (_ %/ _)%N => le_m.
apply: le_two; set c := minn _ _.
rewrite -!mulnA -!expnD (_ : a + d - c + e = d + (a + (e - c)))%N; last by rewrite /c; lia.
by rewrite [(2 ^ (d + _))%N]expnD mulnA leq_mul2r le_m orbT.
Qed.

Lemma value_times u v x y : 0 <= u -> 0 <= v -> u <= value x -> v <= value y ->
  u * v <= value (times x y).
Proof.
move=> u0 v0 ux vy; have {ux vy} := ler_pmul u0 v0 ux vy; move/le_trans; apply.
case: x => [[m a] e]; case: y => [[n c] d]; rewrite /times.
apply: le_trans (value_trim _); rewrite /value.
rewrite N2Nat.inj_mul !N2Nat.inj_add multE !plusE !expnD !natrM.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
have := two_gt0 (nat_of e); have := two_gt0 (nat_of d).
move: (2 ^ nat_of e)%N%:R (2 ^ nat_of d)%N%:R => s t /lt0r_neq0 s0 /lt0r_neq0 t0.
by field; rewrite s0 t0.
Qed.

Lemma value_over p q : (0 < nat_of q)%N -> (nat_of p)%:R / (nat_of q)%:R <= value (over p q).
Proof.
rewrite -(N2Nat.id p) -(N2Nat.id q); move: (nat_of p) (nat_of q) => {}p {}q.
rewrite Nat2N.id => q0; rewrite /over; move: (2 * WORK)%num => w.
rewrite -(N2Nat.id w); move: (nat_of w) => {}w.
rewrite p2 bM bB1 bD bdiv // /value !Nat2N.id expn0 muln1.
rewrite ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?two_gt0 // -!natrM ler_nat.
exact: ceil_div.
Qed.

Lemma value_power u x n : 0 <= u -> u <= value x -> u ^+ nat_of n <= value (up_power x n).
Proof.
move=> u0 ux; case: n => [|n]; first by rewrite /= expr0 /value /= expn0 mulr1.
rewrite /up_power -[nat_of _]/(Pos.to_nat n); elim: n => [n IH|n IH|] /=.
- rewrite Pos2Nat.inj_xI exprS (_ : (2 * _)%coq_nat = Pos.to_nat n + Pos.to_nat n)%N ?exprD; last by lia.
  by rewrite !value_times ?mulr_ge0 ?exprn_ge0.
- rewrite Pos2Nat.inj_xO (_ : (2 * _)%coq_nat = Pos.to_nat n + Pos.to_nat n)%N ?exprD; last by lia.
  by rewrite value_times ?exprn_ge0.
- by rewrite expr1.
Qed.

(** * Chernoff's bound falls *)

Lemma bound_falls (M z : rat) F f k a : 0 <= M -> 0 < z -> (0 < F)%N -> (F <= f)%N ->
  M ^+ F <= z ^+ k -> z ^+ (k * f) <= z ^+ (F * a) ->
  M ^+ f / z ^+ a <= M ^+ F / z ^+ k.
Proof.
move=> M0 z0 F0 le_Ff small le_z.
rewrite ler_pdivr_mulr ?exprn_gt0 // mulrAC ler_pdivl_mulr ?exprn_gt0 //.
rewrite -{1}(subnKC le_Ff) exprD -mulrA ler_wpmul2l ?exprn_ge0 //.
have zk n : 0 <= z ^+ n by rewrite exprn_ge0 // ltW.
have Mk n : 0 <= M ^+ n by rewrite exprn_ge0.
rewrite -(@ler_pexpn2r _ F) // ?nnegrE ?mulr_ge0 // exprMn -!exprM.
rewrite [(a * F)%N]mulnC; apply: le_trans le_z.
rewrite -{2}(subnK le_Ff) mulnDr exprD ler_wpmul2r // mulnC !exprM.
by rewrite ler_expn2r ?nnegrE.
Qed.

Lemma slopes p q F f : (0 < q)%N ->
  (p * F %/ q * f <= F * ((p * f + (q - 1)) %/ q))%N.
Proof.
move=> q0; have := leq_trunc_div (p * F) q; have := @ceil_div (p * f) q q0.
set x := (p * F %/ q)%N; set y := (_ %/ q)%N => hi lo.
rewrite -(leq_pmul2r q0); apply: (@leq_trans (p * F * f)).
  by rewrite mulnAC leq_mul2r lo orbT.
by rewrite [(p * F)%N]mulnC -!mulnA leq_mul2l hi orbT.
Qed.

(** * Markov's inequality for z^X *)

Lemma size_gen rs : (size (gen rs) <= (size rs).+1)%N.
Proof. by apply/leq_sizeP => k; exact: gen_above. Qed.

Lemma markov rs (A : pred nat) a (z : rat) : proper rs -> 0 <= z -> 0 < z ^+ a ->
  (forall x, A x -> z ^+ a <= z ^+ x) -> trials rs A <= (gen rs).[z] / z ^+ a.
Proof.
move=> ok z0 za le_A; rewrite ler_pdivl_mulr // (trials_gen A (leqnn _)) (horner_coef_wide z (size_gen rs)) mulr_suml.
apply: ler_sum => k _; rewrite -mulrA mulrCA ler_wpmul2l ?gen_ge0 //.
by case A_k: (A k); rewrite ?mul1r ?mul0r ?exprn_ge0 ?le_A.
Qed.

(* E z^X at f is the f-th power of this. *)
Definition moment (g : nat) (p z : rat) : rat := (1 + p * (z - 1)) * (1 + (1 - p) / g.-1%:R * (z - 1)) ^+ g.-1.

Lemma horner_slots g p f z : (gen (slots g p f)).[z] = moment g p z ^+ f.
Proof.
have one r : (trial r).[z] = 1 + r * (z - 1) by rewrite /trial hornerD hornerM !hornerC hornerX; ring.
by rewrite /slots -/(own p _ f _) gen_own hornerM !horner_exp !one exprMn -exprM.
Qed.

Section Tail.

Variables (g p q F f : nat) (keep : rat).
Hypotheses (g_gt1 : (1 < g)%N) (keep01 : 0 < keep < 1) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N).
Hypotheses (F_gt0 : (0 < F)%N) (le_Ff : (F <= f)%N).

Let fl := (p * F %/ q)%N.
Let j := distance_nat false p q f.
Let M := moment g keep.

Lemma other01 : 0 < (1 - keep) / g.-1%:R < 1.
Proof.
have [keep0 keep1] := andP keep01; have g1 : (0 < g.-1)%N by move: g_gt1; clear; lia.
rewrite divr_gt0 ?subr_gt0 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r.
by apply: (@lt_le_trans _ _ 1); rewrite ?ler1n // ltr_subl_addl ltr_addr.
Qed.

Lemma proper_at h : proper (slots g keep h).
Proof. by rewrite /proper /slots all_cat !all_nseq keep01 other01 !orbT. Qed.

Lemma factor_ge0 (r z : rat) : 0 < r < 1 -> 0 <= z -> 0 <= 1 + r * (z - 1).
Proof.
move=> /andP[r0 r1] z0; have -> : 1 + r * (z - 1) = (1 - r) + r * z by ring.
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 // ltW.
Qed.

Lemma moment_ge0 z : 0 <= z -> 0 <= M z.
Proof. by move=> z0; rewrite mulr_ge0 ?exprn_ge0 ?factor_ge0 ?other01. Qed.

Lemma above_falls (z : rat) : 1 <= z -> M z ^+ F / z ^+ (F + fl) <= 1 ->
  retained g keep f (fun x => f + j <= x)%N <= M z ^+ F / z ^+ (F + fl).
Proof.
move=> z1; have z0 : 0 < z by apply: lt_le_trans z1.
rewrite ler_pdivr_mulr ?exprn_gt0 // mul1r => small.
have := @markov _ (fun x => f + j <= x)%N (f + j) z (proper_at f) (ltW z0); rewrite exprn_gt0 // horner_slots => bound.
apply: (le_trans (bound isT _)) => [x|]; first exact: ler_weexpn2l.
apply: bound_falls => //; first exact/moment_ge0/ltW.
by apply: ler_weexpn2l => //; rewrite mulnDl mulnDr leq_add2l; exact: slopes.
Qed.

(* Of an error of all of f there is also the tilt 0. *)
Lemma below_falls (z : rat) : 0 <= z <= 1 -> 0 < z \/ p = q -> (p <= q)%N -> M z ^+ F / z ^+ (F - fl) <= 1 ->
  retained g keep f (fun x => x + j <= f)%N <= M z ^+ F / z ^+ (F - fl).
Proof.
move=> /andP[z0 z1] lone le_pq; have M0 := moment_ge0 z0; have [lt_fj _ | le_jf] := ltnP f j.
  rewrite (@eq_retained _ _ _ _ pred0) => [|x]; last by move: lt_fj; clear; rewrite /=; lia.
  by rewrite /retained trials_none divr_ge0 ?exprn_ge0.
rewrite (@eq_retained _ _ _ _ (fun x => x <= f - j)%N) => [|x]; last by move: le_jf; clear; lia.
have [z_gt0 | ] := boolP (0 < z).
  have := @markov _ (fun x => x <= f - j)%N (f - j) z (proper_at f) z0; rewrite exprn_gt0 // horner_slots => bound.
  rewrite ler_pdivr_mulr ?exprn_gt0 // mul1r => small.
  apply: (le_trans (bound isT _)) => [x le_x|]; first by apply: ler_wiexpn2l.
  by apply: bound_falls => //; apply: ler_wiexpn2l; rewrite // mulnBl mulnBr leq_sub2l //; exact: slopes.
rewrite lt_neqAle z0 andbT negbK => /eqP z_eq0; move: lone; rewrite -z_eq0 ltxx => -[] // eq_pq.
have fl_F : fl = F by rewrite /fl eq_pq mulKn.
have j_f : (f - j = 0)%N by apply/eqP; rewrite subn_eq0 /j /distance_nat eq_pq leq_divRL // mulnC leq_addr.
rewrite fl_F j_f subnn expr0 divr1 => le1; have := @markov _ (fun x => x <= 0)%N 0 0 (proper_at f) (lexx _).
rewrite expr0 ltr01 divr1 horner_slots -/M => bound.
apply: (le_trans (bound isT _)) => [x|]; first by rewrite leqn0 => /eqP ->; rewrite expr0.
by apply: ler_wiexpn2l; rewrite ?moment_ge0 // -(@expr_le1 _ F) ?moment_ge0.
Qed.

Lemma no_above : ((g - 1) * q < p)%N -> retained g keep f (fun x => f + j <= x)%N = 0.
Proof.
move=> big; rewrite /retained (trials_gen _ (leqnn _)) big1 // => x _.
suff /negbTE-> : ~~ (f + j <= x)%N by rewrite mul0r.
move: (nat_of_ord x) (ltn_ord x) => y; rewrite [size _]size_own -ltnNge.
have := @ceil_div (p * f) q q_gt0; rewrite -/(distance_nat false p q f) -/j.
by move: (leq_trans F_gt0 le_Ff) big g_gt1; rewrite -subn1; clear; move: j => k; nia.
Qed.

Lemma no_below : (q < p)%N -> retained g keep f (fun x => x + j <= f)%N = 0.
Proof.
move=> big; rewrite (@eq_retained _ _ _ _ pred0) ?[retained _ _ _ _]trials_none // => x.
have := @ceil_div (p * f) q q_gt0; rewrite -/(distance_nat false p q f) -/j.
by move: (leq_trans F_gt0 le_Ff) big; clear; move: j => k; rewrite /=; nia.
Qed.

End Tail.

(** * What the program computes *)

Lemma value_tilt top bottom p q (z : rat) : (0 < nat_of bottom)%N -> (0 < nat_of q)%N -> (nat_of top <= nat_of bottom)%N ->
  z = chance p q -> 1 + chance top bottom * (z - 1) <= value (tilt top bottom p q).
Proof.
move=> b0 q0 le_tb ->; have bq0 : (0 < nat_of (bottom * q)%num)%N by rewrite N2Nat.inj_mul multE muln_gt0 b0.
apply: le_trans (value_over _ bq0).
have -> : nat_of (bottom * q + top * p - top * q)%num =
    (nat_of bottom * nat_of q + nat_of top * nat_of p - nat_of top * nat_of q)%N by lia.
rewrite N2Nat.inj_mul multE natrB; last by rewrite (leq_trans _ (leq_addr _ _)) // leq_mul2r le_tb orbT.
have bn : (nat_of bottom)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
have qn : (nat_of q)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
rewrite natrD !natrM /chance le_eqVlt; apply/orP; left; apply/eqP.
by field; rewrite bn qn.
Qed.

Section Tilted.

Variables (r : chances) (g : N).
Hypotheses (g_gt1 : (1 < nat_of g)%N) (fit_r : chances_fit g r).

Let keep := chance (own_num r) (own_den r).

Lemma value_tilted F k p q (z : rat) : (0 < nat_of q)%N -> z = chance p q ->
  moment (nat_of g) keep z ^+ nat_of F / z ^+ nat_of k <= value (tilted r g F k p q).
Proof.
move=> q0 eq_z; have z0 : 0 <= z by rewrite eq_z divr_ge0 ?ler0n.
have [_ keep01 other] := chances_ok g_gt1 fit_r; have [u0 lt_uw t0 eq_fit] := fit_all g_gt1 fit_r.
have rest01 := other01 g_gt1 keep01; rewrite subn1 in other.
have w0 := leq_ltn_trans (leq0n _) lt_uw; have lst := lt_st g_gt1 u0 lt_uw t0 eq_fit.
apply: value_times; [by rewrite exprn_ge0 // moment_ge0 | by rewrite invr_ge0 exprn_ge0 | |].
- have own_ok := @value_power (1 + keep * (z - 1)) (tilt (own_num r) (own_den r) p q) F (factor_ge0 keep01 z0)
    (value_tilt w0 q0 (ltnW lt_uw) eq_z).
  have rest_ok := @value_power (1 + (1 - keep) / (nat_of g).-1%:R * (z - 1)) (tilt (other_num r) (other_den r) p q) ((g - 1) * F)
    (factor_ge0 rest01 z0).
  rewrite -other in rest_ok; have {}rest_ok := rest_ok (value_tilt t0 q0 (ltnW lst) eq_z); rewrite other in rest_ok.
  have eq_n : ((nat_of g).-1 * nat_of F)%N = nat_of ((g - 1) * F)%num by rewrite -subn1 N2Nat.inj_mul N2Nat.inj_sub.
  rewrite /moment exprMn -exprM eq_n; apply: value_times own_ok rest_ok; by rewrite exprn_ge0 ?factor_ge0.
- rewrite -exprVn; apply: value_power; first by rewrite invr_ge0.
  rewrite eq_z /chance invf_div; have [p0 | p0] := posnP (nat_of p); last exact: value_over.
  by rewrite p0 invr0 mulr0; exact: value_ge0.
Qed.

End Tilted.
