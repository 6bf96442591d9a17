(* The sawtooth lemma for any retention probability p: the ledger's claim splu.Sp.

   X_f counts the successes of f trials of chance p and (g-1) f trials of
   chance q = (1-p)/(g-1). For a fixed whole distance j >= 1, neither
   Pr(X_f >= f + j) nor Pr(X_f <= f - j) falls as f grows.

   Proof: the law of a number of successes is log-concave, and a trial more
   raises the ratio of each probability to the one before. Let A be the law
   of X_h less a trial of chance p, and B less one of chance q. Counting the
   successes in two ways gives A(h) = B(h-1); hence X_h less a trial of the
   likelier kind does not rise from h-1 to h, and X_h does not fall. From X_f
   to X_(f+1) are g trials, and each moves its chance times one probability
   over the line; with the likeliest trial last, those are at least Pr(X_f =
   f+j) above and at most Pr(X_f = f+1-j) below, and the chances add up to 1. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Trials.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition proper (rs : seq rat) : bool := all (fun r => 0 < r < 1) rs.

(** * Log-concave laws *)

Lemma proper_cons r rs : proper (r :: rs) = (0 < r < 1) && proper rs. Proof. by []. Qed.

Lemma properE r rs : proper (r :: rs) -> [/\ 0 < r, 0 < 1 - r & proper rs].
Proof. by move=> /andP[/andP[r0 r1] ok]; rewrite subr_gt0. Qed.

Lemma gen_ge0 rs k : proper rs -> 0 <= (gen rs)`_k.
Proof.
elim: rs k => [|r rs IH] k; first by rewrite /gen big_nil coef1 ler0n.
move=> /properE[r0 r1 ok]; rewrite gen_cons coef_trial addr_ge0 ?mulr_ge0 ?IH ?(ltW r0) ?(ltW r1) //.
by rewrite coefXM; case: ifP => // _; apply: IH.
Qed.

Lemma gen_gt0 rs k : proper rs -> (k <= size rs)%N -> 0 < (gen rs)`_k.
Proof.
elim: rs k => [|r rs IH] k; first by rewrite leqn0 => _ /eqP->; rewrite /gen big_nil coef1.
move=> /properE[r0 r1 ok] le_k; rewrite gen_cons coef_trial.
have X0 : 0 <= ('X * gen rs)`_k by rewrite coefXM; case: ifP => // _; apply: gen_ge0.
case: k le_k X0 => [|k] /= le_k X0; first by rewrite ltr_paddr ?mulr_gt0 ?IH ?mulr_ge0 // ltW.
by rewrite coefXM ltr_paddl ?mulr_gt0 ?IH // mulr_ge0 ?gen_ge0 // ltW.
Qed.

Lemma gen_above rs k : (size rs < k)%N -> (gen rs)`_k = 0.
Proof.
elim: rs k => [|r rs IH] k; first by case: k => // k _; rewrite /gen big_nil coef1.
case: k => // k lt_k; rewrite gen_cons coef_trial coefXM /= !IH ?mulr0 ?addr0 //; exact: ltnW.
Qed.

Lemma log_concave rs i j : proper rs -> (i <= j)%N ->
  (gen rs)`_i * (gen rs)`_j.+1 <= (gen rs)`_i.+1 * (gen rs)`_j.
Proof.
elim: rs i j => [|r rs IH] i j.
  by rewrite /gen big_nil !coef1 /= mulr0 mul0r.
move=> /properE[r0 r1 ok] le_ij; rewrite gen_cons !coef_trial !coefXM /=.
have ge0 k : 0 <= (gen rs)`_k by apply: gen_ge0.
have {}IH k l : (k <= l)%N -> (gen rs)`_k * (gen rs)`_l.+1 <= (gen rs)`_k.+1 * (gen rs)`_l by apply: IH.
set m := 1 - r in r1 *; set P := gen rs in IH ge0 *.
have m2 : 0 <= m * m by rewrite mulr_ge0 // ltW.
have mr : 0 <= m * r by rewrite mulr_ge0 // ltW.
have rr : 0 <= r * r by rewrite mulr_ge0 // ltW.
have cross : (if i == 0%N then 0 else P`_i.-1) * P`_j.+1 <= P`_i.+1 * (if j == 0%N then 0 else P`_j.-1).
  case: i le_ij => [|i] /= le_ij; first by rewrite mul0r mulr_ge0 //; case: ifP.
  case: j le_ij => [|j] //=; rewrite ltnS leq_eqVlt => /orP[/eqP-> | lt_ij].
    by rewrite mulrC.
  by apply: le_trans (IH i j.+1 (leqW (ltnW lt_ij))) _; exact: IH.
have both : (if i == 0%N then 0 else P`_i.-1) * P`_j <= P`_i * (if j == 0%N then 0 else P`_j.-1).
  case: i le_ij {cross} => [|i] /= le_ij; first by rewrite mul0r mulr_ge0 //; case: ifP.
  by case: j le_ij => //= j le_ij; exact: IH.
have same := IH i j le_ij.
rewrite -subr_ge0; set a := (if i == _ then _ else _) in cross both *; set c := (if j == _ then _ else _) in cross both *.
have -> : (m * P`_i.+1 + r * P`_i) * (m * P`_j + r * c) - (m * P`_i + r * a) * (m * P`_j.+1 + r * P`_j) =
    m * m * (P`_i.+1 * P`_j - P`_i * P`_j.+1) + m * r * (P`_i.+1 * c - a * P`_j.+1) + r * r * (P`_i * c - a * P`_j).
  by ring.
by rewrite !addr_ge0 // mulr_ge0 // subr_ge0.
Qed.

(* Where a law does not rise with a trial, it does not rise without it; where it does not fall without, nor does it with. *)
Lemma ratio_rises r rs k : proper (r :: rs) ->
  (gen (r :: rs))`_k * (gen rs)`_k.+1 <= (gen (r :: rs))`_k.+1 * (gen rs)`_k.
Proof.
move=> /properE[r0 r1 ok]; rewrite gen_cons !coef_trial !coefXM /= -subr_ge0.
set a := (if _ then _ else _); set P := gen rs.
have -> : ((1 - r) * P`_k.+1 + r * P`_k) * P`_k - ((1 - r) * P`_k + r * a) * P`_k.+1 = r * (P`_k * P`_k - a * P`_k.+1).
  by ring.
rewrite mulr_ge0 ?(ltW r0) // subr_ge0 /a; case: k {a} => [|k] /=.
  by rewrite mul0r mulr_ge0 // gen_ge0.
exact: log_concave.
Qed.

Definition rises_not rs k := (gen rs)`_k.+1 <= (gen rs)`_k.
Definition falls_not rs k := (gen rs)`_k <= (gen rs)`_k.+1.

Lemma rises_not_before r rs k : proper (r :: rs) -> rises_not (r :: rs) k -> rises_not rs k.
Proof.
move=> ok no_rise; have [_ _ ok'] := properE ok; rewrite /rises_not.
have [lt_k | le_k] := ltnP (size rs) k.+1; first by rewrite gen_above // gen_ge0.
have w0 : 0 < (gen (r :: rs))`_k by rewrite gen_gt0 //= (leq_trans (leqnSn k)) // leqW.
rewrite -(ler_pmul2l w0); apply: le_trans (ratio_rises k ok) _.
by rewrite ler_wpmul2r ?gen_ge0.
Qed.

Lemma falls_not_after r rs k : proper (r :: rs) -> (k < size rs)%N -> falls_not rs k -> falls_not (r :: rs) k.
Proof.
move=> ok lt_k no_fall; have [_ _ ok'] := properE ok; rewrite /falls_not.
have u0 : 0 < (gen rs)`_k.+1 by rewrite gen_gt0.
rewrite -(ler_pmul2r u0); apply: le_trans (ratio_rises k ok) _.
by rewrite ler_wpmul2l ?gen_ge0.
Qed.

(* Once it does not rise it never does; until it does not fall it never does. *)
Lemma rises_not_later rs h k : proper rs -> (h <= size rs)%N -> (h <= k)%N -> rises_not rs h -> rises_not rs k.
Proof.
move=> ok le_h le_hk no_rise; have P0 : 0 < (gen rs)`_h by rewrite gen_gt0.
rewrite /rises_not -(ler_pmul2l P0); apply: le_trans (log_concave ok le_hk) _.
by rewrite ler_wpmul2r ?gen_ge0.
Qed.

Lemma falls_not_sooner rs h k : proper rs -> (h < size rs)%N -> (k <= h)%N -> falls_not rs h -> falls_not rs k.
Proof.
move=> ok lt_h le_kh no_fall; have P0 : 0 < (gen rs)`_h.+1 by rewrite gen_gt0.
rewrite /falls_not -(ler_pmul2r P0); apply: le_trans (log_concave ok le_kh) _.
by rewrite ler_wpmul2l ?gen_ge0.
Qed.

(** * One trial more moves one probability over the line *)

Lemma trials_point rs a : trials rs (fun x => x == a) = (gen rs)`_a.
Proof.
rewrite (@trials_gen _ _ (maxn (size rs) a).+1); last by rewrite ltnS leq_maxl.
have lt_a : (a < (maxn (size rs) a).+1)%N by rewrite ltnS leq_maxr.
rewrite (bigD1 (Ordinal lt_a)) //= eqxx mul1r big1 ?addr0 // => k neq.
by move: neq; rewrite -val_eqE /= => /negbTE->; rewrite mul0r.
Qed.

Lemma trials_disjoint rs (A B : pred nat) : (forall x, ~~ (A x && B x)) ->
  trials rs (fun x => A x || B x) = trials rs A + trials rs B.
Proof.
move=> apart; rewrite !(@trials_gen _ _ (size rs).+1) // -big_split /=; apply: eq_bigr => k _.
by rewrite -mulrDl -natrD; congr (_%:R * _); have := apart k; case: (A k); case: (B k).
Qed.

Lemma trials_none rs : trials rs pred0 = 0. Proof. exact: big_pred0_eq. Qed.

Lemma trials_ge0 rs A : proper rs -> 0 <= trials rs A.
Proof. by move=> ok; rewrite (trials_gen _ (leqnn _)); apply: sumr_ge0 => i _; rewrite mulr_ge0 ?ler0n ?gen_ge0. Qed.

Lemma above_split rs a : trials rs (fun x => a <= x)%N = (gen rs)`_a + trials rs (fun x => a < x)%N.
Proof.
rewrite -trials_point -trials_disjoint => [|x]; last by lia.
by apply: eq_trials => x; lia.
Qed.

Lemma below_split rs a : trials rs (fun x => x <= a)%N = (gen rs)`_a + trials rs (fun x => x < a)%N.
Proof.
rewrite -trials_point -trials_disjoint => [|x]; last by lia.
by apply: eq_trials => x; lia.
Qed.

Lemma above_more r rs a :
  trials (r :: rs) (fun x => a < x)%N = trials rs (fun x => a < x)%N + r * (gen rs)`_a.
Proof.
rewrite trials_cons [trials rs (_ \o S)](_ : _ = trials rs (fun x => a <= x)%N) // above_split.
by move: (trials _ _) (_`_a) => tail point; ring.
Qed.

Lemma below_more r rs a :
  trials (r :: rs) (fun x => x <= a)%N = trials rs (fun x => x <= a)%N - r * (gen rs)`_a.
Proof.
rewrite trials_cons [trials rs (_ \o S)](_ : _ = trials rs (fun x => x < a)%N) // below_split.
by move: (trials _ _) (_`_a) => tail point; ring.
Qed.

(** * Trials added one by one *)

Lemma proper_catrev adds rs : proper (catrev adds rs) = proper adds && proper rs.
Proof. by rewrite /proper catrevE all_cat all_rev. Qed.

Lemma gen_catrev adds rs : gen (catrev adds rs) = gen adds * gen rs.
Proof.
elim: adds rs => [|r adds IH] rs /=; first by rewrite /gen big_nil mul1r.
by rewrite IH !gen_cons mulrCA mulrA.
Qed.

Lemma rises_not_start adds rs a : proper (catrev adds rs) -> rises_not (catrev adds rs) a -> rises_not rs a.
Proof.
elim: adds rs => //= r adds IH rs /[dup] ok; rewrite proper_catrev => /andP[_ ok'] no_rise.
by apply: (rises_not_before ok'); exact: IH.
Qed.

Lemma coef_more r rs a : (gen (r :: rs))`_a.+1 = (gen rs)`_a.+1 + r * ((gen rs)`_a - (gen rs)`_a.+1).
Proof. by rewrite gen_cons coef_trial coefXM /=; ring. Qed.

Lemma sum_ge0 rs : proper rs -> 0 <= \sum_(r <- rs) r.
Proof.
elim: rs => [|r rs IH]; first by rewrite big_nil.
by move=> /properE[r0 _ ok]; rewrite big_cons addr_ge0 ?IH // ltW.
Qed.

(* None of the laws on the way rises at a: each trial adds at least its chance times the first of them. *)
Lemma above_all adds rs r a : proper (catrev adds rs) -> 0 <= r -> rises_not (catrev adds rs) a ->
  trials rs (fun x => a.+1 < x)%N + (r + \sum_(s <- adds) s) * (gen rs)`_a.+1
  <= trials (r :: catrev adds rs) (fun x => a.+1 < x)%N.
Proof.
elim: adds rs => [|s adds IH] rs /= ok r0 no_rise; first by rewrite big_nil addr0 above_more.
apply: le_trans (IH _ ok r0 no_rise); rewrite above_more big_cons.
have := rises_not_start (adds := s :: adds) ok no_rise; rewrite /rises_not -subr_ge0 => no_rise'.
move: ok; rewrite proper_catrev => /andP[ok_adds ok_rs]; have [s0 _ _] := properE ok_rs.
rewrite -addrA ler_add2l addrCA mulrDl ler_add2l ler_wpmul2l ?addr_ge0 ?sum_ge0 //.
by rewrite coef_more ler_addl mulr_ge0 // ltW.
Qed.

(* None of them falls at a: each takes at most that away. *)
Lemma below_all adds rs a : proper (catrev adds rs) -> (a < size rs)%N -> falls_not rs a ->
  trials rs (fun x => x <= a.+1)%N - (\sum_(s <- adds) s) * (gen rs)`_a.+1
  <= trials (catrev adds rs) (fun x => x <= a.+1)%N.
Proof.
elim: adds rs => [|s adds IH] rs /= ok lt_a no_fall; first by rewrite big_nil mul0r subr0.
move: (ok); rewrite proper_catrev => /andP[ok_adds ok_rs]; have [s0 _ _] := properE ok_rs.
have lt_a' : (a < size (s :: rs))%N by apply: ltnW.
apply: le_trans (IH _ ok lt_a' (falls_not_after ok_rs lt_a no_fall)).
rewrite below_more big_cons mulrDl opprD addrA ler_add2l ler_opp2 ler_wpmul2l ?sum_ge0 //.
by rewrite coef_more ger_addl mulr_ge0_le0 ?(ltW s0) // subr_le0.
Qed.

(** * Where the laws at a retention probability are largest *)

Section Algebra.
Variables p q v0 v1 v2 : rat.
Hypotheses twice : (1 - q) * v0 + q * v1 = (1 - p) * v1 + p * v2.

Lemma same_sign : p * (v1 - v2) = (1 - q) * (v1 - v0).
Proof.
apply/eqP; rewrite -subr_eq0; apply/eqP.
rewrite [LHS](_ : _ = ((1 - q) * v0 + q * v1) - ((1 - p) * v1 + p * v2)); last by ring.
by rewrite twice subrr.
Qed.

Lemma around_A : ((1 - q) * v1 + q * v2) - ((1 - q) * v0 + q * v1) = (p - q) * (v1 - v2).
Proof.
rewrite [LHS](_ : _ = (1 - q) * (v1 - v0) - q * (v1 - v2)); last by ring.
by rewrite -same_sign mulrBl.
Qed.

Lemma around_B : (1 - q) * (((1 - p) * v0 + p * v1) - ((1 - p) * v1 + p * v2)) = p * (p - q) * (v1 - v2).
Proof.
rewrite [LHS](_ : _ = (1 - q) * p * (v1 - v2) - (1 - p) * ((1 - q) * (v1 - v0))); last by ring.
by rewrite -same_sign; ring.
Qed.
End Algebra.

Section Retention.

Variables (p q : rat) (k : nat).
Hypotheses (p01 : 0 < p < 1) (k_gt0 : (0 < k)%N) (kq : k%:R * q = 1 - p).

Let p0 : 0 < p. Proof. by case/andP: p01. Qed.
Let rest_gt0 : 0 < 1 - p. Proof. by case/andP: p01; rewrite subr_gt0. Qed.
Let q0 : 0 < q. Proof. by rewrite -(@pmulr_rgt0 _ k%:R) ?ltr0n // kq. Qed.
Let q_le : q <= 1 - p.
Proof. by rewrite -kq ler_pemull ?(ltW q0) // ler1n. Qed.
Let q01 : 0 < q < 1.
Proof. by rewrite q0 (le_lt_trans q_le) // ltr_subl_addl ltr_addr. Qed.
Let q_rest : 0 < 1 - q. Proof. by case/andP: q01; rewrite subr_gt0. Qed.

Definition own (f m : nat) : seq rat := nseq f p ++ nseq m q.

Lemma proper_own f m : proper (own f m).
Proof. by rewrite /proper all_cat !all_nseq p01 q01 !orbT. Qed.

Lemma size_own f m : size (own f m) = (f + m)%N.
Proof. by rewrite size_cat !size_nseq. Qed.

Lemma gen_nseq n r : gen (nseq n r) = trial r ^+ n.
Proof. by rewrite /gen big_nseq iter_mulr_1. Qed.

Lemma gen_own f m : gen (own f m) = trial p ^+ f * trial q ^+ m.
Proof. by rewrite {1}/gen big_cat -!/(gen _) !gen_nseq. Qed.

Lemma gen_p f m : gen (own f.+1 m) = trial p * gen (own f m).
Proof. by rewrite !gen_own exprS mulrA. Qed.

Lemma gen_q f m : gen (own f m.+1) = trial q * gen (own f m).
Proof. by rewrite !gen_own exprS mulrCA. Qed.

Lemma deriv_trial r : (trial r)^`() = r%:P.
Proof. by rewrite /trial derivD derivM !derivC derivX mul0r !add0r mulr1. Qed.

Lemma deriv_own f m : (gen (own f.+1 m.+1))^`() =
  (p%:P * gen (own f m.+1)) *+ f.+1 + (q%:P * gen (own f.+1 m)) *+ m.+1.
Proof.
rewrite !gen_own derivM !deriv_exp !deriv_trial /= mulrnAl mulrnAr.
by rewrite -mulrA [_ * (q%:P * _)]mulrCA.
Qed.

Section Pivot.

Variables (f m : nat).
Hypotheses eq_m : m.+1 = (k * f.+1)%N.

Let v := gen (own f m).

Lemma counted_twice : (gen (own f m.+1))`_f.+1 = (gen (own f.+1 m))`_f.
Proof.
have := congr1 (fun P : {poly rat} => P`_f) (deriv_own f m).
rewrite coef_deriv coefD !coefMn !coefCM gen_p coef_trial coefXM /=.
set a := (gen (own f m.+1))`_f.+1; set a' := (gen (own f m.+1))`_f; set b := (gen _)`_f => twice.
have eq_b : (q * b) *+ m.+1 = ((1 - p) * b) *+ f.+1.
  by rewrite eq_m mulrnA; congr (_ *+ _); rewrite -kq -mulrA mulr_natl.
move: twice; rewrite mulrnDl [RHS]addrC => /addIr; rewrite eq_b => /eqP; rewrite eqr_pmuln2r // => /eqP.
exact: (mulfI (lt0r_neq0 rest_gt0)).
Qed.

(* Around f and f + 1, of X_(f+1) less a trial of either kind. *)
Lemma around : exists2 d, 0 <= d &
  (gen (own f m.+1))`_f - (gen (own f m.+1))`_f.+1 = (p - q) * d /\
  (1 - q) * ((gen (own f.+1 m))`_f.+1 - (gen (own f.+1 m))`_f) = p * (p - q) * d.
Proof.
have := counted_twice; rewrite gen_p gen_q !coef_trial !coefXM [_ == 0%N]/= [_.-1]/= -/v.
have ge0 i : 0 <= v`_i by apply: gen_ge0; exact: proper_own.
have : (if f == 0%N then 0 else v`_f.-1) * v`_f.+1 <= v`_f * v`_f.
  case: (f) => [|f'] /=; first by rewrite mul0r mulr_ge0.
  by apply: log_concave => //; exact: proper_own.
move: (ge0 f); set v2 := (if _ then _ else _); set v1 := v`_f; set v0 := v`_f.+1 => v1_ge0 lc twice.
exists (v1 - v2); last by split; [exact: around_A | exact: around_B].
rewrite leNgt subr_lt0; apply/negP => lt12.
have lt10 : v1 < v0.
  by rewrite -subr_lt0 -(pmulr_rlt0 _ q_rest) -(same_sign twice) pmulr_rlt0 // subr_lt0.
have : v1 * v1 < v2 * v0 by rewrite ltr_pmul.
by rewrite ltNge lc.
Qed.

Lemma rises_not_A : q <= p -> rises_not (own f m.+1) f.
Proof.
by move=> le_qp; have [d d0 [eq_A _]] := around; rewrite /rises_not -subr_ge0 eq_A mulr_ge0 // subr_ge0.
Qed.

Lemma falls_not_A : p <= q -> falls_not (own f m.+1) f.
Proof.
move=> le_pq; have [d d0 [eq_A _]] := around.
by rewrite /falls_not -subr_le0 eq_A mulr_le0_ge0 // subr_le0.
Qed.

Lemma falls_not_B : q <= p -> falls_not (own f.+1 m) f.
Proof.
move=> le_qp; have [d d0 [_ eq_B]] := around.
by rewrite /falls_not -subr_ge0 -(pmulr_rge0 _ q_rest) eq_B !mulr_ge0 ?(ltW p0) // subr_ge0.
Qed.

Lemma rises_not_B : p <= q -> rises_not (own f.+1 m) f.
Proof.
move=> le_pq; have [d d0 [_ eq_B]] := around.
by rewrite /rises_not -subr_le0 -(pmulr_rle0 _ q_rest) eq_B mulr_le0_ge0 // mulr_ge0_le0 ?(ltW p0) // subr_le0.
Qed.

Lemma falls_not_X : falls_not (own f.+1 m.+1) f.
Proof.
rewrite /falls_not; have [le_qp | /ltW le_pq] := leP q p.
  rewrite gen_q -!gen_cons; apply: (@falls_not_after q (own f.+1 m) f).
  - by rewrite proper_cons q01 proper_own.
  - by rewrite size_own addSn ltnS leq_addr.
  - exact: falls_not_B.
rewrite gen_p -!gen_cons; apply: (@falls_not_after p (own f m.+1) f).
- by rewrite proper_cons p01 proper_own.
- by rewrite size_own addnS ltnS leq_addr.
- exact: falls_not_A.
Qed.

End Pivot.

(** * The sawtooth *)

Lemma all_chances : p + k%:R * q = 1. Proof. by rewrite kq; ring. Qed.

Lemma sum_nseq n (r : rat) : \sum_(s <- nseq n r) s = n%:R * r.
Proof. by rewrite big_nseq iter_addr_0 mulr_natl. Qed.

Lemma own_above f j : (0 < j)%N ->
  trials (own f (k * f)) (fun x => f + j <= x)%N <= trials (own f.+1 (k * f.+1)) (fun x => f.+1 + j <= x)%N.
Proof.
case: j => // j _.
have [m eq_m] : exists m, m.+1 = (k * f.+1)%N by exists (k * f.+1).-1; rewrite prednK // muln_gt0 k_gt0.
have step adds r : proper adds -> 0 <= r -> rises_not (catrev adds (own f (k * f))) f ->
    r + \sum_(s <- adds) s = 1 -> size adds = k -> trial r * gen adds = gen (own 1 k) ->
    trials (own f (k * f)) (fun x => f + j.+1 <= x)%N <= trials (own f.+1 (k * f.+1)) (fun x => f.+1 + j.+1 <= x)%N.
  move=> ok r0 no_rise sum1 size_k gen_1; have ok' : proper (catrev adds (own f (k * f))).
    by rewrite proper_catrev ok proper_own.
  have {}no_rise : rises_not (catrev adds (own f (k * f))) (f + j).
    by apply: rises_not_later no_rise; rewrite ?leq_addr // catrevE size_cat size_own addnCA leq_addr.
  have all_in A : trials (r :: catrev adds (own f (k * f))) A = trials (own f.+1 (k * f.+1)) A.
    apply: same_gen; first by rewrite /= catrevE size_cat size_rev size_k !size_own mulnS ?addSn addnCA.
    rewrite gen_cons gen_catrev mulrA gen_1 !gen_own expr1 -!mulrA exprS -mulrA; congr (_ * _).
    by rewrite mulrCA -exprD mulnS.
  have := above_all ok' r0 no_rise; rewrite sum1 mul1r addrC all_in -above_split.
  rewrite (@eq_trials _ _ (fun x => f + j.+1 <= x)%N) => [|x]; last by rewrite addnS.
  by rewrite (@eq_trials (own f.+1 _) _ (fun x => f.+1 + j.+1 <= x)%N) // => x; rewrite addSn addnS.
have [le_qp | /ltW le_pq] := leP q p.
  apply: (step (nseq k q) p); rewrite ?sum_nseq ?size_nseq ?(ltW p0) ?all_chances //.
  - by rewrite /proper all_nseq q01 orbT.
  - have := rises_not_A eq_m le_qp; rewrite /rises_not gen_catrev gen_nseq !gen_own mulrCA -exprD eq_m.
    by rewrite mulnS.
  - by rewrite gen_own gen_nseq expr1.
apply: (step (p :: nseq k.-1 q) q); rewrite ?big_cons ?sum_nseq /= ?size_nseq ?(ltW q0) ?prednK //.
- by rewrite /proper /= p01 all_nseq q01 orbT.
- have eq_gen : gen (catrev (nseq k.-1 q) (p :: own f (k * f))) = gen (own f.+1 m).
    rewrite gen_catrev gen_cons gen_nseq !gen_own exprS -mulrA mulrCA; congr (_ * _).
    rewrite mulrCA -exprD; congr (_ * _ ^+ _).
    by move: eq_m k_gt0; rewrite mulnS; clear; lia.
  by have := rises_not_B eq_m le_pq; rewrite /rises_not eq_gen.
- by rewrite addrCA -[X in _ + (X + _)]mul1r -mulrDl -(natrD _ 1) add1n prednK // all_chances.
- by rewrite gen_own gen_cons gen_nseq expr1 mulrCA -exprS prednK.
Qed.

Lemma own_below f j : (0 < j)%N ->
  trials (own f (k * f)) (fun x => x + j <= f)%N <= trials (own f.+1 (k * f.+1)) (fun x => x + j <= f.+1)%N.
Proof.
case: j => // j _.
case: f => [|f]; first by rewrite (@eq_trials _ _ pred0) ?trials_none ?trials_ge0 ?proper_own // => x; rewrite addnS.
have [m eq_m] : exists m, m.+1 = (k * f.+1)%N by exists (k * f.+1).-1; rewrite prednK // muln_gt0 k_gt0.
have [lt_fj | le_jf] := ltnP f j.
  by rewrite (@eq_trials _ _ pred0) ?trials_none ?trials_ge0 ?proper_own // => x; move: lt_fj; clear; rewrite /=; lia.
pose a := (f - j)%N; pose adds := p :: nseq k q.
have ok : proper (catrev adds (own f.+1 (k * f.+1))).
  by rewrite proper_catrev proper_own /proper /= p01 all_nseq q01 orbT.
have no_fall : falls_not (own f.+1 (k * f.+1)) a.
  apply: (@falls_not_sooner _ f); first exact: proper_own.
  - by rewrite size_own addSn ltnS leq_addr.
  - exact: leq_subr.
  - by rewrite -eq_m; exact: falls_not_X.
have lt_a : (a < size (own f.+1 (k * f.+1)))%N by rewrite size_own addSn ltnS; exact: leq_trans (leq_subr _ _) (leq_addr _ _).
have := below_all ok lt_a no_fall; rewrite [\sum_(s <- adds) s]big_cons sum_nseq all_chances mul1r.
have all_in A : trials (catrev adds (own f.+1 (k * f.+1))) A = trials (own f.+2 (k * f.+2)) A.
  apply: same_gen; first by rewrite catrevE size_cat size_rev /adds /= size_nseq !size_own [(k * f.+2)%N]mulnS; clear; lia.
  rewrite gen_catrev /adds gen_cons gen_nseq -mulrA [RHS]gen_p !gen_own; congr (_ * _).
  by rewrite mulrCA -exprD -mulnS.
rewrite all_in below_split addrC addKr.
rewrite (@eq_trials _ _ (fun x => x + j.+1 <= f.+1)%N) => [|x]; last by rewrite /a; clear -le_jf; lia.
by rewrite (@eq_trials (own f.+2 _) _ (fun x => x + j.+1 <= f.+2)%N) // => x; rewrite /a; clear -le_jf; lia.
Qed.

End Retention.

Section Theorems.

Variables (g f j : nat) (p : rat).
Hypotheses (g_gt1 : (1 < g)%N) (p01 : 0 < p < 1) (j_gt0 : (0 < j)%N).

Let k_gt0 : (0 < g.-1)%N. Proof. by lia. Qed.
Let kq : g.-1%:R * ((1 - p) / g.-1%:R) = 1 - p.
Proof. by rewrite mulrC divfK // pnatr_eq0 -lt0n. Qed.

Theorem retention_sawtooth_above :
  retained g p f (fun x => f + j <= x)%N <= retained g p f.+1 (fun x => f.+1 + j <= x)%N.
Proof. exact: (own_above p01 k_gt0 kq). Qed.

Theorem retention_sawtooth_below :
  retained g p f (fun x => x + j <= f)%N <= retained g p f.+1 (fun x => x + j <= f.+1)%N.
Proof. exact: (own_below p01 k_gt0 kq). Qed.

End Theorems.
