(* The tail of a threshold: rounding up is safe, and Chernoff's bound falls. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Sawtooth Chernoff.
From Kernel Require Import Law Checker Bridge Rounding.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation nat_of := N.to_nat.

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

Lemma ceil_div m u : (0 < u)%N -> (m <= (m + (u - 1)) %/ u * u)%N.
Proof. by move=> u0; have := divn_eq (m + (u - 1)) u; have := ltn_pmod (m + (u - 1)) u0; lia. Qed.

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

Section Tail.

Variables (g p q F f : nat).
Hypotheses (g_gt1 : (1 < g)%N) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N).
Hypotheses (F_gt0 : (0 < F)%N) (le_Ff : (F <= f)%N).

Let fl := (p * F %/ q)%N.
Let j := distance_nat false p q f.

Definition moment (z : rat) : rat := 1 + (z - 1) / g%:R.

Lemma momentE z : moment z = failure g + success g * z.
Proof. by rewrite /moment /failure /success; ring. Qed.

Lemma moment_ge0 z : 0 <= z -> 0 <= moment z.
Proof.
move=> z0; rewrite momentE addr_ge0 ?mulr_ge0 //; first exact/ltW/failure_gt0.
exact/ltW/success_gt0/ltnW.
Qed.

Lemma above_falls (z : rat) : 1 <= z ->
  moment z ^+ (g * F) / z ^+ (F + fl) <= 1 ->
  prob g (g * f) (fun x => f + j <= x)%N <= moment z ^+ (g * F) / z ^+ (F + fl).
Proof.
move=> z1; have z0 : 0 < z by apply: lt_le_trans z1.
rewrite ler_pdivr_mulr ?exprn_gt0 // mul1r => small.
apply: (le_trans (chernoff_above f (f + j) g_gt1 z1)); rewrite -/(moment z).
have M0 : 0 <= moment z ^+ g by rewrite exprn_ge0 // moment_ge0 // ltW.
rewrite [X in X / _]exprM [X in _ <= X / _]exprM; apply: bound_falls => //; first by rewrite -exprM.
by apply: ler_weexpn2l => //; rewrite mulnDl mulnDr leq_add2l; exact: slopes.
Qed.

Lemma below_falls (z : rat) : 0 < z <= 1 -> (p <= q)%N ->
  moment z ^+ (g * F) / z ^+ (F - fl) <= 1 ->
  prob g (g * f) (fun x => x + j <= f)%N <= moment z ^+ (g * F) / z ^+ (F - fl).
Proof.
move=> /[dup] z01 /andP[z0 z1] le_pq; have [lt_fj _ | le_jf] := ltnP f j.
  rewrite (_ : prob _ _ _ = 0); last by rewrite /prob big_pred0 // => x; lia.
  by rewrite divr_ge0 ?exprn_ge0 ?moment_ge0 // ltW.
rewrite ler_pdivr_mulr ?exprn_gt0 // mul1r => small.
rewrite (@eq_prob _ _ _ (fun x => x <= f - j)%N) => [|x]; last by lia.
apply: (le_trans (chernoff_below f (f - j) g_gt1 z01)); rewrite -/(moment z).
have M0 : 0 <= moment z ^+ g by rewrite exprn_ge0 // moment_ge0 // ltW.
rewrite [X in X / _]exprM [X in _ <= X / _]exprM; apply: bound_falls => //; first by rewrite -exprM.
by apply: ler_wiexpn2l; rewrite ?(ltW z0) // mulnBl mulnBr leq_sub2l //; exact: slopes.
Qed.

Lemma zero_falls : (p = q)%N ->
  prob g (g * f) (fun x => x + j <= f)%N <= failure g ^+ (g * F).
Proof.
move=> eq_pq; have eq_j : j = f.
  rewrite /j /distance_nat eq_pq; have := @ceil_div (q * f) q q_gt0.
  have := leq_trunc_div (q * f + (q - 1)) q; move: (_ %/ q)%N => y; nia.
rewrite (@eq_prob _ _ _ (fun x => x == 0)%N) => [|x]; last by rewrite eq_j; lia.
rewrite probE mean_point /mass bin0 expr0 !mul1r subn0.
apply: ler_wiexpn2l; rewrite ?leq_mul2l ?le_Ff ?orbT //; first exact/ltW/failure_gt0.
by rewrite -[X in _ <= X](success_failure g) ler_addr; exact/ltW/success_gt0/ltnW.
Qed.

Lemma no_above : (((g - 1) * q < p)%N) -> prob g (g * f) (fun x => f + j <= x)%N = 0.
Proof.
move=> big; rewrite /prob big_pred0 // => x; have := ltn_ord x.
have := @ceil_div (p * f) q q_gt0; rewrite -/(distance_nat false p q f) -/j.
by have := leq_trans F_gt0 le_Ff; nia.
Qed.

Lemma no_below : ((q < p)%N) -> prob g (g * f) (fun x => x + j <= f)%N = 0.
Proof.
move=> big; rewrite /prob big_pred0 // => x.
have := @ceil_div (p * f) q q_gt0; rewrite -/(distance_nat false p q f) -/j.
by have := leq_trans F_gt0 le_Ff; nia.
Qed.

End Tail.
