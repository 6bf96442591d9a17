(* Claim splu.L1c: from which count on an error probability is kept.

   Chebyshev's threshold is (g - 1)/(g eps^2 te). There is a least threshold,
   and it is the start of a plateau of ceil(eps f). A Chernoff bound at one
   count F, its whole end rounded against the bound, covers every f >= F,
   eps = p/q.

   Proof of the last: the q-th power of the bound at f is at most r^f, and
   r^F at most the q-th power of the bound at F. Where that is below 1, r is
   at most 1, and r^f at most r^F.                                          *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Sawtooth Chebyshev Chernoff Levels.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Chebyshev's threshold *)

Theorem chebyshev_threshold (g f : nat) (eps te : rat) : (1 < g)%N -> 0 < eps -> 0 < te ->
  (g%:R - 1) / (g%:R * eps ^+ 2 * te) <= f%:R -> prob g (g * f) (off f eps) <= te.
Proof.
move=> g_gt1 eps_gt0 te_gt0 le_f; have g_gt0 : 0 < g%:R :> rat by rewrite ltr0n ltnW.
have g1_gt0 : 0 < g%:R - 1 :> rat by rewrite subr_gt0 ltr1n.
have den_gt0 : 0 < g%:R * eps ^+ 2 * te by rewrite !mulr_gt0 ?exprn_gt0.
have f_gt0 : 0 < f%:R :> rat by apply: lt_le_trans le_f; rewrite divr_gt0.
apply: le_trans (chebyshev g_gt1 _ eps_gt0) _; first by rewrite -(ltr0n rat_numDomainType).
rewrite ler_pdivr_mulr ?mulr_gt0 ?exprn_gt0 //.
rewrite ler_pdivr_mulr // in le_f; rewrite (_ : te * _ = f%:R * (g%:R * eps ^+ 2 * te)) //.
by ring.
Qed.

(** * The least threshold *)

(* There is a least count from which on the promise is kept; it starts a plateau of ceil(eps f). *)
Theorem least_threshold (g : nat) (eps te : rat) : (1 < g)%N -> 0 < eps -> 0 < te ->
  exists t, [/\ (0 < t)%N, forall f, (t <= f)%N -> prob g (g * f) (off f eps) <= te,
    (1 < t)%N -> te < prob g (g * t.-1) (off t.-1 eps) & ceil_rises eps t].
Proof.
move=> g_gt1 eps_gt0 te_gt0.
pose last := Num.bound ((g%:R - 1) / (g%:R * eps ^+ 2 * te)).
have beyond f : (last <= f)%N -> prob g (g * f) (off f eps) <= te.
  move=> le_f; apply: chebyshev_threshold => //; apply: le_trans (_ : last%:R <= _); last by rewrite ler_nat.
  apply/ltW/archi_boundP; rewrite divr_ge0 ?subr_ge0 ?ler1n ?(ltnW g_gt1) //.
  by rewrite !mulr_ge0 ?ler0n ?exprn_ge0 // ltW.
pose kept n := (0 < n)%N && [forall i : 'I_last, (n <= i)%N ==> (prob g (g * i) (off i eps) <= te)].
have some : exists n, kept n.
  by exists last.+1; apply/andP; split=> //; apply/forallP => i; apply/implyP; have := ltn_ord i; lia.
have [t /andP[t_gt0 /forallP kept_t] min_t] := ex_minnP some.
have from f : (t <= f)%N -> prob g (g * f) (off f eps) <= te.
  move=> le_f; have [/beyond // | lt_f] := leqP last f.
  exact: (implyP (kept_t (Ordinal lt_f)) le_f).
have before : (1 < t)%N -> te < prob g (g * t.-1) (off t.-1 eps).
  move=> t_gt1; rewrite ltNge; apply/negP => le_te; suff /min_t : kept t.-1 by lia.
  apply/andP; split; first by lia.
  apply/forallP => i; apply/implyP => le_i; have [/eqP -> // | neq] := boolP (i == t.-1 :> nat).
  by apply: from; move: neq; lia.
exists t; split=> //; case: t t_gt0 {kept_t min_t} from before => [|[|t]] // _ from before; first by left.
right; have [j /andP[lt_j le_j]] := upper_whole (mulr_gt0 eps_gt0 (ltr0Sn _ t.+1)).
exists j; rewrite /= lt_j andbT leNgt; apply/negP => lt_f.
have rise : prob g (g * t.+1) (off t.+1 eps) <= prob g (g * t.+2) (off t.+2 eps).
  have ceil : j%:R < eps * t.+1%:R <= j.+1%:R.
    by rewrite lt_f (le_trans _ le_j) // ler_pmul2l // ler_nat.
  rewrite (eq_prob _ _ (fun x => off_away x ceil)) (@eq_prob _ _ (off t.+2 eps) (away t.+2 j.+1)) => [|x].
    exact: away_rises.
  by apply: off_away; rewrite lt_j.
by have := lt_le_trans (before isT) (le_trans rise (from t.+2 (leqnn _))); rewrite ltxx.
Qed.

(** * A bound at one count covers every larger one *)

Lemma powers_carry (F f q : nat) (x r bound : rat) : (0 < q)%N -> (F <= f)%N -> 0 <= x -> 0 <= r -> 0 <= bound < 1 ->
  x ^+ q <= r ^+ f -> r ^+ F <= bound ^+ q -> x <= bound.
Proof.
move=> q_gt0 le_F x_ge0 r_ge0 /andP[b_ge0 b_lt1] le_x le_r.
rewrite -(@ler_pexpn2r _ q) // ?nnegrE //; apply: (le_trans le_x); apply: (le_trans _ le_r).
have r_le1 : r <= 1.
  rewrite leNgt; apply/negP => r_gt1; have := exprn_ege1 F (ltW r_gt1); rewrite leNgt => /negP; apply.
  by apply: le_lt_trans le_r _; rewrite exprn_ilt1 ?lt0n_neq0.
by rewrite ler_wiexpn2l.
Qed.

Theorem tail_above (g F f e p q : nat) (z : rat) : (1 < g)%N -> (0 < q)%N -> (F <= f)%N -> 1 <= z ->
  (e * q <= (q + p) * F)%N -> (1 + (z - 1) / g%:R) ^+ (g * F) / z ^+ e < 1 ->
  prob g (g * f) (fun x => (q + p) * f <= x * q)%N <= (1 + (z - 1) / g%:R) ^+ (g * F) / z ^+ e.
Proof.
move=> g_gt1 q_gt0 le_F z_ge1 le_e lt1; have z_gt0 : 0 < z by apply: lt_le_trans z_ge1.
set m := 1 + _ in lt1 *; have m_gt0 : 0 < m.
  by rewrite ltr_paddr // divr_ge0 ?ler0n // subr_ge0.
pose k := (((q + p) * f + (q - 1)) %/ q)%N.
have k_le x : ((q + p) * f <= x * q)%N = (k <= x)%N.
  by rewrite /k -[RHS]ltnS ltn_divLR // mulSn; lia.
rewrite (eq_prob _ _ k_le); apply: le_trans (chernoff_above f k g_gt1 z_ge1) _; rewrite -/m.
apply: (@powers_carry F f q _ (m ^+ (g * q) / z ^+ (q + p))) => //.
- by rewrite divr_ge0 ?exprn_ge0 // ltW.
- by rewrite divr_ge0 ?exprn_ge0 // ltW.
- by rewrite lt1 andbT divr_ge0 ?exprn_ge0 // ltW.
- rewrite !expr_div_n -!exprM [(g * q * f)%N]mulnAC ler_wpmul2l ?exprn_ge0 ?(ltW m_gt0) //.
  by rewrite lef_pinv ?posrE ?exprn_gt0 // ler_weexpn2l // k_le.
rewrite !expr_div_n -!exprM [(g * q * F)%N]mulnAC ler_wpmul2l ?exprn_ge0 ?(ltW m_gt0) //.
by rewrite lef_pinv ?posrE ?exprn_gt0 // ler_weexpn2l.
Qed.

Theorem tail_below (g F f e p q : nat) (z : rat) : (1 < g)%N -> (0 < q)%N -> (F <= f)%N -> 0 < z <= 1 ->
  ((q - p) * F <= e * q)%N -> (1 + (z - 1) / g%:R) ^+ (g * F) / z ^+ e < 1 ->
  prob g (g * f) (fun x => x * q <= (q - p) * f)%N <= (1 + (z - 1) / g%:R) ^+ (g * F) / z ^+ e.
Proof.
move=> g_gt1 q_gt0 le_F z_in le_e lt1; have /andP[z_gt0 z_le1] := z_in.
have g_gt0 : 0 < g%:R :> rat by rewrite ltr0n ltnW.
set m := 1 + _ in lt1 *; have m_gt0 : 0 < m.
  rewrite /m -[1]opprK addrC subr_gt0 ltr_pdivl_mulr // mulN1r ltr_subr_addl.
  by rewrite (le_lt_trans _ z_gt0) // subr_le0 ler1n ltnW.
pose k := ((q - p) * f %/ q)%N.
have k_le x : (x * q <= (q - p) * f)%N = (x <= k)%N by rewrite /k leq_divRL.
rewrite (eq_prob _ _ k_le); apply: le_trans (chernoff_below f k g_gt1 z_in) _; rewrite -/m.
apply: (@powers_carry F f q _ (m ^+ (g * q) / z ^+ (q - p))) => //.
- by rewrite divr_ge0 ?exprn_ge0 // ltW.
- by rewrite divr_ge0 ?exprn_ge0 // ltW.
- by rewrite lt1 andbT divr_ge0 ?exprn_ge0 // ltW.
- rewrite !expr_div_n -!exprM [(g * q * f)%N]mulnAC ler_wpmul2l ?exprn_ge0 ?(ltW m_gt0) //.
  by rewrite lef_pinv ?posrE ?exprn_gt0 // ler_wiexpn2l ?(ltW z_gt0) // k_le.
rewrite !expr_div_n -!exprM [(g * q * F)%N]mulnAC ler_wpmul2l ?exprn_ge0 ?(ltW m_gt0) //.
by rewrite lef_pinv ?posrE ?exprn_gt0 // ler_wiexpn2l ?(ltW z_gt0).
Qed.

(* The bound of the Chernoff tail with tilt z, at f records and the whole end a. *)
Definition tilted (g f a : nat) (z : rat) : rat := (1 + (z - 1) / g%:R) ^+ (g * f) / z ^+ a.

Lemma off_sides (f p q x : nat) : (0 < q)%N -> off f (p%:R / q%:R) x ->
  ((q + p) * f <= x * q)%N || (x * q + p * f <= q * f)%N.
Proof.
move=> q_gt0; rewrite /off mulrAC ler_pdivr_mulr ?ltr0n // -natrM.
have [le_fx | /ltnW le_xf] := leqP f x.
  by rewrite -natrB // normr_nat -natrM ler_nat; nia.
by rewrite distrC -natrB // normr_nat -natrM ler_nat; nia.
Qed.

Lemma tilted_ge0 g f a z : (1 < g)%N -> 0 < z -> 0 <= tilted g f a z.
Proof.
move=> g_gt1 z_gt0; have g_gt0 : 0 < g%:R :> rat by rewrite ltr0n ltnW.
rewrite divr_ge0 ?exprn_ge0 ?(ltW z_gt0) // -[1]opprK addrC subr_ge0 ler_pdivl_mulr // mulN1r ler_subr_addl.
by rewrite (le_trans _ (ltW z_gt0)) // subr_le0 ler1n ltnW.
Qed.

(* Two bounds at F that add up to te keep every f >= F within te. The first end is rounded down, the second up. *)
Theorem two_tails_from_one_count (g F f p q above below : nat) (y z te : rat) :
  (1 < g)%N -> (0 < q)%N -> (p <= q)%N -> (F <= f)%N -> 1 <= y -> 0 < z <= 1 ->
  (above * q <= (q + p) * F)%N -> ((q - p) * F <= below * q)%N ->
  tilted g F above y + tilted g F below z <= te -> te < 1 ->
  prob g (g * f) (off f (p%:R / q%:R)) <= te.
Proof.
move=> g_gt1 q_gt0 le_pq le_F y_ge1 z_in le_above le_below le_te te_lt1.
have y_gt0 : 0 < y by apply: lt_le_trans y_ge1.
have /andP[z_gt0 _] := z_in.
have above_ge0 := tilted_ge0 F above g_gt1 y_gt0; have below_ge0 := tilted_ge0 F below g_gt1 z_gt0.
have above_lt1 : tilted g F above y < 1 by apply: le_lt_trans te_lt1; apply: le_trans le_te; rewrite ler_addl.
have below_lt1 : tilted g F below z < 1 by apply: le_lt_trans te_lt1; apply: le_trans le_te; rewrite ler_addr.
apply: le_trans le_te.
apply: le_trans (ler_add (tail_above g_gt1 q_gt0 le_F y_ge1 le_above above_lt1)
                         (tail_below g_gt1 q_gt0 le_F z_in le_below below_lt1)).
rewrite !probE -meanD; apply: mean_le => // x; case off_x: (off _ _ x); last by rewrite addr_ge0 ?ler0n.
have : ((q + p) * f <= x * q)%N || (x * q <= (q - p) * f)%N.
  by have := off_sides q_gt0 off_x; rewrite mulnBl; lia.
by case/orP=> ->; rewrite ?ler_addl ?ler_addr ler0n.
Qed.

(* Where eps > 1 no count errs from below. *)
Theorem one_tail_from_one_count (g F f p q above : nat) (y te : rat) :
  (1 < g)%N -> (0 < q < p)%N -> (0 < f)%N -> (F <= f)%N -> 1 <= y -> (above * q <= (q + p) * F)%N ->
  tilted g F above y <= te -> te < 1 -> prob g (g * f) (off f (p%:R / q%:R)) <= te.
Proof.
move=> g_gt1 /andP[q_gt0 lt_qp] f_gt0 le_F y_ge1 le_above le_te te_lt1.
have above_lt1 := le_lt_trans le_te te_lt1.
apply: le_trans (le_trans (tail_above g_gt1 q_gt0 le_F y_ge1 le_above above_lt1) le_te).
by apply: prob_le => // x /(off_sides q_gt0); nia.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example chebyshev_threshold_applies : prob 3 (3 * 2) (off 2 1) <= 2%:R^-1.
Proof. exact: (@chebyshev_threshold 3 2 1 2%:R^-1 isT isT isT isT). Qed.

Example least_threshold_applies :
  exists t, [/\ (0 < t)%N, forall f, (t <= f)%N -> prob 3 (3 * f) (off f 1) <= 2%:R^-1,
    (1 < t)%N -> 2%:R^-1 < prob 3 (3 * t.-1) (off t.-1 1) & ceil_rises 1 t].
Proof. exact: (@least_threshold 3 1 2%:R^-1 isT isT isT). Qed.

Example tail_above_applies :
  prob 3 (3 * 2) (fun x => (1 + 2) * 2 <= x * 1)%N <= (1 + (4%:R - 1) / 3%:R) ^+ (3 * 1) / 4%:R ^+ 3.
Proof. exact: (@tail_above 3 1 2 3 2 1 4%:R isT isT isT isT isT isT). Qed.

Example tail_below_applies :
  prob 3 (3 * 2) (fun x => x * 1 <= (1 - 1) * 2)%N <= (1 + (2%:R^-1 - 1) / 3%:R) ^+ (3 * 1) / 2%:R^-1 ^+ 0.
Proof. exact: (@tail_below 3 1 2 0 1 1 2%:R^-1 isT isT isT isT isT isT). Qed.

Lemma small_tails : tilted 2 2 4 3%:R + tilted 2 2 0 3%:R^-1 <= 2%:R^-1.
Proof. by rewrite /tilted; vm_compute. Qed.

Example two_tails_from_one_count_applies : prob 2 (2 * 5) (off 5 (1%:R / 1%:R)) <= 2%:R^-1.
Proof. exact: (@two_tails_from_one_count 2 2 5 1 1 4 0 3%:R 3%:R^-1 2%:R^-1 isT isT isT isT isT isT isT isT small_tails isT). Qed.

Example one_tail_from_one_count_applies : prob 3 (3 * 2) (off 2 (2%:R / 1%:R)) <= 2%:R^-1.
Proof. exact: (@one_tail_from_one_count 3 1 2 2 1 3 4%:R 2%:R^-1 isT isT isT isT isT isT isT isT). Qed.
