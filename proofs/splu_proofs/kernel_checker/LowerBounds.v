(* What Lower.v computes is at most the probability that it stands for. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Law Checker Bridge Lower.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation nat_of := N.to_nat.

(** * Steps keep what holds *)

Lemma until_keeps (A : Type) (P : A -> Prop) stop step n x :
  (forall y, P y -> P (step y)) -> P x -> P (until stop step n x).
Proof.
move=> keeps; case: n => [|n] //=; elim: n x => [n IH|n IH|] x Px /=; case: ifP => _ //.
- by apply: (IH); apply: (IH); apply: keeps.
- by apply: (IH); apply: (IH).
- exact: keeps.
Qed.

Lemma iter_keeps (A : Type) (P : A -> Prop) step n x :
  (forall y, P y -> P (step y)) -> P x -> P (N.iter n step x).
Proof.
move=> keeps Px; rewrite -(N2Nat.id n) -Nat2N.inj_iter.
by elim: (nat_of n) => [|k IH] //=; apply: keeps.
Qed.

(** * Division, rounded down *)

Lemma nat_of_div m d : nat_of (m / d)%num = (nat_of m %/ nat_of d)%N.
Proof.
rewrite -{1}(N2Nat.id m) -{1}(N2Nat.id d); case: (posnP (nat_of d)) => [-> | d0].
  by rewrite divn0; case: (b _).
by rewrite bdiv // Nat2N.id.
Qed.

Lemma div_le (m p d : nat) : (m * p %/ d)%N%:R * d%:R <= m%:R * p%:R :> rat.
Proof. by rewrite -!natrM ler_nat leq_trunc_div. Qed.

Lemma nat_of_power x e : nat_of (power x e) = (nat_of x ^ nat_of e)%N.
Proof. by rewrite -{1}(N2Nat.id x) -{1}(N2Nat.id e) bexp Nat2N.id. Qed.

Section Base.

Variable c : base.
Hypotheses unit_c : (0 < nat_of (unit c))%N.

Definition unit_of (e : N) : rat := (nat_of (unit c) ^ nat_of e)%N%:R.

Lemma unit_gt0 e : 0 < unit_of e.
Proof. by rewrite ltr0n expn_gt0 unit_c. Qed.

Lemma unitD d e : unit_of (d + e) = unit_of d * unit_of e.
Proof. by rewrite /unit_of N2Nat.inj_add plusE expnD natrM. Qed.

Definition val (v : N * N) : rat := (nat_of v.1)%:R / unit_of v.2.

Lemma val_fit v : val (fit c v) <= val v.
Proof.
case: v => m e; rewrite /fit; case: ifP => // _; case: ifP => [_ | _].
  rewrite /val /= unitD N2Nat.inj_mul multE natrM.
  have -> : unit_of 1 = (nat_of (unit c))%:R by rewrite /unit_of expn1.
  by rewrite -mulf_div divff ?mulr1 // pnatr_eq0 -lt0n unit_c.
case: ifP => // /andP[_ e1]; rewrite /val /= nat_of_div.
rewrite ler_pdivr_mulr ?unit_gt0 // mulrAC ler_pdivl_mulr ?unit_gt0 //.
have -> : unit_of e = (nat_of (unit c))%:R * unit_of (e - 1).
  by rewrite -{1}(_ : (1 + (e - 1) = e)%num) ?unitD ?/unit_of ?expn1 //; lia.
rewrite mulrA ler_wpmul2r ?(ltW (unit_gt0 _)) //.
by have := div_le (nat_of m) 1 (nat_of (unit c)); rewrite muln1 mulr1.
Qed.

Lemma val_scale v p q : val (scale c v p q) * (nat_of q)%:R <= val v * (nat_of p)%:R.
Proof.
apply: (@le_trans _ _ (val (fit c v) * (nat_of p)%:R)); last by rewrite ler_wpmul2r ?ler0n ?val_fit.
rewrite /scale; case: (fit c v) => m e; rewrite /val /= nat_of_div N2Nat.inj_mul multE.
rewrite mulrAC [X in _ <= X]mulrAC ler_wpmul2r ?invr_ge0 ?(ltW (unit_gt0 _)) //.
exact: div_le.
Qed.

Lemma val_at_scale v E : (nat_of (at_scale c v E))%:R <= val v * unit_of E.
Proof.
case: v => m e; rewrite /at_scale /val /=; case: ifP => [_ | _].
  by rewrite mulr_ge0 ?divr_ge0 ?ler0n ?ltW ?unit_gt0.
case: ifP => [le_eE | lt_Ee].
  rewrite N2Nat.inj_mul multE natrM nat_of_power -/(unit_of _).
  have -> : unit_of E = unit_of e * unit_of (E - e).
    by rewrite -unitD (_ : (e + (E - e) = E)%num) //; lia.
  by rewrite mulrA divfK // lt0r_neq0 // unit_gt0.
rewrite nat_of_div nat_of_power.
rewrite mulrAC ler_pdivl_mulr ?unit_gt0 //.
have -> : unit_of e = unit_of (e - E) * unit_of E by rewrite -unitD (_ : (e - E + E = e)%num) //; lia.
rewrite mulrA ler_wpmul2r ?(ltW (unit_gt0 _)) //.
by have := div_le (nat_of m) 1 (nat_of (unit c) ^ nat_of (e - E)); rewrite muln1 mulr1.
Qed.

(** * Places *)

Section Bounds.

Variable g : N.
Hypotheses g_gt1 : (1 < nat_of g)%N.
Let G := nat_of g.
Let G0 : (0 < G)%N := ltnW g_gt1.

(* From y q <= x p and z q = x' p with x <= x' follows y <= z, if q is above 0. *)
Lemma ratio_le (y z x x' : rat) (p q : nat) : (0 < q)%N -> y * q%:R <= x * p%:R -> x <= x' ->
  q%:R * z = p%:R * x' -> y <= z.
Proof.
move=> q0 le_y le_x eq_z; rewrite -(@ler_pmul2r _ q%:R) ?ltr0n //.
apply: (le_trans le_y); rewrite [z * _]mulrC eq_z [x * _]mulrC.
by apply: ler_wpmul2l => //; apply: ler0n.
Qed.

Definition below (s : place) : Prop :=
  val s.2 <= mass G (nat_of s.1.1) (nat_of s.1.2).

Lemma below_origin : below origin.
Proof. by rewrite /below /= /val /unit_of /= /mass bin0 !mul1r expn0. Qed.

Lemma scale_zero v p : val (scale c v p 0) = 0.
Proof. by rewrite /scale; case: (fit c v) => m e; rewrite /val /= nat_of_div divn0 mul0r. Qed.

Lemma below_trial s : below s -> below (one_trial c g s).
Proof.
case: s => [[n x] v]; rewrite /below /= => le_v.
have -> : nat_of (n + 1) = (nat_of n).+1 by lia.
case: (N.eqb_spec (n + 1 - x) 0) => [-> | neq].
  by rewrite N.mul_0_l scale_zero mass_ge0.
apply: (ratio_le _ (val_scale _ _ _) le_v).
  by rewrite N2Nat.inj_mul multE muln_gt0 -/G G0 andbT; lia.
have := mass_grow (nat_of n) (nat_of x) G0.
rewrite !N2Nat.inj_mul !multE.
have -> : nat_of (n + 1 - x) = ((nat_of n).+1 - nat_of x)%N by lia.
have -> : nat_of (g - 1) = G.-1 by rewrite /G; lia.
have -> : nat_of (n + 1) = (nat_of n).+1 by lia.
by rewrite [(_ * nat_of g)%N]mulnC.
Qed.

Lemma below_success s : below s -> below (one_success c g s).
Proof.
case: s => [[n x] v]; rewrite /below /= => le_v.
have -> : nat_of (x + 1) = (nat_of x).+1 by lia.
apply: (ratio_le _ (val_scale _ _ _) le_v).
  by rewrite N2Nat.inj_mul multE muln_gt0; apply/andP; split; [lia | move: g_gt1; lia].
have := mass_next (nat_of n) (nat_of x) G0.
rewrite !N2Nat.inj_mul !multE.
have -> : nat_of (g - 1) = G.-1 by rewrite /G; lia.
have -> : nat_of (x + 1) = (nat_of x).+1 by lia.
by have -> : nat_of (n - x) = (nat_of n - nat_of x)%N by lia.
Qed.

Lemma below_move n x s : below s -> below (move c g n x s).
Proof.
by move=> ok; apply: iter_keeps; [exact: below_success | apply: iter_keeps; [exact: below_trial |]].
Qed.

(** * Sums *)

Variable E : N.
Let U := unit_of E.
Let U0 : 0 < U := unit_gt0 E.

Lemma prob_more n (A : pred nat) k : ~~ A k -> (k <= n)%N ->
  prob G n (fun y => (y == k) || A y) = mass G n k + prob G n A.
Proof.
move=> notA le_kn; rewrite !probE -mean_point -meanD; apply: eq_mean => y.
by rewrite -natrD; case: eqP => [-> | _] /=; rewrite ?(negbTE notA) ?add0n.
Qed.

Lemma mass_more n (A : pred nat) k : ~~ A k ->
  mass G n k + prob G n A <= prob G n (fun y => (y == k) || A y).
Proof.
move=> notA; have [le_kn | lt_nk] := leqP k n; first by rewrite prob_more.
by rewrite mass_above // add0r prob_le // => y ->; rewrite orbT.
Qed.

Lemma up_sum n x t limit goal total : (nat_of t)%:R <= U * mass G (nat_of n) (nat_of x) ->
  (nat_of (add_up g n x t limit goal total))%:R
  <= (nat_of total)%:R + U * prob G (nat_of n) (fun y => nat_of x <= y < nat_of limit)%N.
Proof.
move=> le_t; pose P (s : N * N * N) := [/\ (nat_of s.1.2)%:R <= U * mass G (nat_of n) (nat_of s.1.1),
  (s.1.1 = x \/ (nat_of x <= nat_of s.1.1 <= nat_of limit)%N) &
  (nat_of s.2)%:R <= (nat_of total)%:R + U * prob G (nat_of n) (fun y => nat_of x <= y < nat_of s.1.1)%N].
have : P (until (enough goal) (up_step g n limit) (limit - x) (x, t, total)).
  apply: until_keeps; last first.
    split=> //=; first by left.
    by rewrite ler_addl mulr_ge0 ?(ltW U0) // prob_ge0.
  case=> [[z s] sum] [/= le_s range le_sum]; rewrite /up_step; case: ifP => lt_z; last first.
    by split=> //=; rewrite mulr_ge0 ?(ltW U0) ?mass_ge0.
  have le_xz : (nat_of x <= nat_of z)%N by case: range => [-> | /andP[]].
  split=> /=; first last.
  - apply: le_trans (_ : _ <= (nat_of total)%:R + U * (mass G (nat_of n) (nat_of z)
      + prob G (nat_of n) (fun y => nat_of x <= y < nat_of z)%N)) _.
      by rewrite N2Nat.inj_add plusE natrD mulrDr addrCA [X in X <= _]addrC ler_add.
    rewrite ler_add2l ler_wpmul2l ?(ltW U0) //.
    apply: le_trans (mass_more _ _) _; first by rewrite /= ltnn andbF.
    by apply: prob_le => // y /orP[/eqP-> | /andP[h1 h2]]; lia.
  - by right; lia.
  rewrite nat_of_div !N2Nat.inj_mul !multE.
  have -> : nat_of (z + 1) = (nat_of z).+1 by lia.
  have -> : nat_of (n - z) = (nat_of n - nat_of z)%N by lia.
  have -> : nat_of (g - 1) = G.-1 by rewrite /G; lia.
  apply: (ratio_le _ (div_le _ _ _) le_s); first by rewrite muln_gt0 /=; move: g_gt1; rewrite -/G; lia.
  by rewrite mulrCA (mass_next _ _ G0) mulrCA.
rewrite /add_up; case: (until _ _ _ _) => [[z s] sum] [/= _ range le_sum].
apply: le_trans le_sum _; rewrite ler_add2l ler_wpmul2l ?(ltW U0) //; apply: prob_le => // y /andP[h1 h2].
by case: range => [eq_z | /andP[h3 h4]]; [rewrite eq_z in h2; lia | lia].
Qed.

(* One place down, from the probability of k + 1 successes to that of k. *)
Lemma one_down (n : N) (t k : nat) : t%:R <= U * mass G (nat_of n) k.+1 ->
  (t * (k.+1 * G.-1) %/ (nat_of n - k))%N%:R <= U * mass G (nat_of n) k.
Proof.
move=> le_t; case: (posnP (nat_of n - k)) => [-> | pos].
  by rewrite divn0 mulr_ge0 ?(ltW U0) ?mass_ge0.
apply: (ratio_le pos (div_le _ _ _) le_t).
by rewrite mulrCA -(mass_next _ _ G0) mulrCA.
Qed.

Lemma down_sum n r t limit goal total :
  ((0 < nat_of r)%N -> (nat_of t)%:R <= U * mass G (nat_of n) (nat_of r).-1) ->
  (nat_of (add_down g n r t limit goal total))%:R
  <= (nat_of total)%:R + U * prob G (nat_of n) (fun y => nat_of limit <= y < nat_of r)%N.
Proof.
move=> le_t; pose P (s : N * N * N) := [/\
  (0 < nat_of s.1.1)%N -> (nat_of s.1.2)%:R <= U * mass G (nat_of n) (nat_of s.1.1).-1,
  (s.1.1 = r \/ (nat_of limit <= nat_of s.1.1 <= nat_of r)%N) &
  (nat_of s.2)%:R <= (nat_of total)%:R + U * prob G (nat_of n) (fun y => nat_of s.1.1 <= y < nat_of r)%N].
have : P (until (enough goal) (down_step g n limit) (r - limit) (r, t, total)).
  apply: until_keeps; last first.
    split=> //=; first by left.
    by rewrite ler_addl mulr_ge0 ?(ltW U0) // prob_ge0.
  case=> [[z s] sum] [/= le_s range le_sum]; rewrite /down_step; case: ifP => lt_z; last first.
    by split=> //= _; rewrite mulr_ge0 ?(ltW U0) ?mass_ge0.
  have z0 : (0 < nat_of z)%N by lia.
  have le_zr : (nat_of z <= nat_of r)%N by case: range => [-> | /andP[]].
  have eq_z : nat_of (z - 1) = (nat_of z).-1 by lia.
  split=> /=; first last.
  - rewrite eq_z; apply: le_trans (_ : _ <= (nat_of total)%:R + U * (mass G (nat_of n) (nat_of z).-1
      + prob G (nat_of n) (fun y => nat_of z <= y < nat_of r)%N)) _.
      by rewrite N2Nat.inj_add plusE natrD mulrDr addrCA [X in X <= _]addrC ler_add ?le_s.
    rewrite ler_add2l ler_wpmul2l ?(ltW U0) //.
    apply: le_trans (mass_more _ _) _; first by rewrite /=; lia.
    by apply: prob_le => // y /orP[/eqP-> | /andP[h1 h2]]; lia.
  - by right; lia.
  rewrite eq_z => z1; have := one_down (n := n) (t := nat_of s) (k := (nat_of z).-2).
  rewrite (_ : ((nat_of z).-2.+1 = (nat_of z).-1)%N); last by lia.
  move/(_ (le_s z0)); apply: le_trans; rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_%:R).
  rewrite nat_of_div !N2Nat.inj_mul !multE eq_z; congr (_ * (_ * _) %/ _)%N; first by rewrite /G; lia.
  by lia.
rewrite /add_down; case: (until _ _ _ _) => [[z s] sum] [/= _ range le_sum].
apply: le_trans le_sum _; rewrite ler_add2l ler_wpmul2l ?(ltW U0) //; apply: prob_le => // y /andP[h1 h2].
by case: range => [eq_z | /andP[h3 h4]]; [rewrite eq_z in h1; lia | lia].
Qed.

(** * Both sides, and the middle *)

Lemma prob_apart n (A B C : pred nat) : (forall y, A y -> C y) -> (forall y, B y -> C y && ~~ A y) ->
  prob G n A + prob G n B <= prob G n C.
Proof.
move=> AC BC; rewrite !probE -meanD; apply: mean_le => // y; rewrite -natrD ler_nat.
move: (AC y) (BC y); case: (A y); case: (B y); case: (C y) => //= h1 h2;
  by first [have := h1 isT | have := h2 isT].
Qed.

Lemma scaled v n x : val v <= mass G n x -> (nat_of (at_scale c v E))%:R <= U * mass G n x.
Proof. by move=> le_v; apply: le_trans (val_at_scale v E) _; rewrite mulrC ler_wpmul2l ?(ltW U0). Qed.

Lemma tails_le f j goal up down : (0 < nat_of j)%N -> below up -> below down ->
  (nat_of (tails c g f j E goal up down))%:R <= U * prob G (G * nat_of f) (err (nat_of f) (nat_of j)).
Proof.
case: up down => [[n1 x] v] [[n2 y] w] j0; rewrite /below /= => le_v le_w.
have eq_n : nat_of (g * f) = (G * nat_of f)%N by rewrite N2Nat.inj_mul multE.
set total := (if (n1 =? g * f)%num && _ then _ else 0%num).
have le_total : (nat_of total)%:R <= U * prob G (G * nat_of f) (fun z => nat_of f + nat_of j <= z)%N.
  rewrite /total; case: ifP => [/andP[/N.eqb_eq eq_n1 /N.eqb_eq eq_x] | _].
    2: by rewrite mulr_ge0 ?(ltW U0) // prob_ge0.
  rewrite -eq_n -eq_n1; apply: le_trans (up_sum _ _ _ _) _; first exact: scaled.
  rewrite add0r ler_wpmul2l ?(ltW U0) //; apply: prob_le => // z /andP[h _].
  by rewrite eq_x in h; lia.
case: ifP => [/andP[/N.eqb_eq eq_n2 /N.eqb_eq eq_y] | _]; last first.
  apply: le_trans le_total _; rewrite ler_wpmul2l ?(ltW U0) //; apply: prob_le => // z h.
  by rewrite /err h.
rewrite -eq_n2; apply: le_trans (down_sum _ _ _ _) _.
  move=> _; rewrite (_ : (nat_of (y + 1)).-1 = nat_of y); last by lia.
  exact: scaled.
apply: le_trans (ler_add le_total (lexx _)) _.
rewrite -mulrDr ler_wpmul2l ?(ltW U0) // eq_n2 eq_n.
by apply: prob_apart => z; rewrite /err => h; lia.
Qed.

Lemma middle_le f j goal at_f : (0 < nat_of j)%N -> below at_f ->
  (nat_of (middle c g f j E goal at_f))%:R
  <= U * prob G (G * nat_of f) (fun x => ~~ err (nat_of f) (nat_of j) x).
Proof.
case: at_f => [[n x] v] j0; rewrite /below /= => le_v.
have eq_n : nat_of (g * f) = (G * nat_of f)%N by rewrite N2Nat.inj_mul multE.
case: ifP => [/andP[/N.eqb_eq eq_n1 /N.eqb_eq eq_x] | _]; last by rewrite mulr_ge0 ?(ltW U0) // prob_ge0.
rewrite eq_n1 eq_x in le_v; have le_t := scaled le_v.
apply: le_trans (down_sum _ _ _ _) _.
  move=> f0; have := one_down (n := (g * f)%num) (t := nat_of (at_scale c v E)) (k := (nat_of f).-1).
  rewrite prednK // => /(_ le_t); apply: le_trans; rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_%:R).
  rewrite nat_of_div !N2Nat.inj_mul !multE; congr (_ * (_ * _) %/ _)%N; first by rewrite /G; lia.
  by rewrite -!multE -N2Nat.inj_mul; lia.
apply: le_trans (ler_add (up_sum _ _ _ le_t) (lexx _)) _.
rewrite add0r -mulrDr ler_wpmul2l ?(ltW U0) // eq_n.
by apply: prob_apart => z; rewrite /err => /andP[h1 h2]; lia.
Qed.

End Bounds.

End Base.
