(* The checker's binary numbers are the naturals they stand for. *)

From Coq Require Import PArith Pnat NArith.
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
From Kernel Require Import Law Checker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope nat_scope.
Notation b := N.of_nat.

Lemma bM m n : (b m * b n)%num = b (m * n). Proof. by lia. Qed.
Lemma bD m n : (b m + b n)%num = b (m + n). Proof. by lia. Qed.
Lemma bD1 m : (b m + 1)%num = b (m + 1). Proof. by lia. Qed.
Lemma bS m : (b m + 1)%num = b m.+1. Proof. by lia. Qed.
Lemma bB m n : (b m - b n)%num = b (m - n). Proof. by lia. Qed.
Lemma bB1 m : (b m - 1)%num = b (m - 1). Proof. by lia. Qed.
Lemma bmin m n : N.min (b m) (b n) = b (minn m n). Proof. by lia. Qed.
Lemma bleb m n : (b m <=? b n)%num = (m <= n). Proof. by lia. Qed.
Lemma bltb m n : (b m <? b n)%num = (m < n). Proof. by lia. Qed.
Lemma beqb m n : (b m =? b n)%num = (m == n). Proof. by lia. Qed.

Lemma bdiv m d : 0 < d -> (b m / b d)%num = b (m %/ d).
Proof.
move=> d0; symmetry; apply: (N.div_unique _ _ _ (b (m %% d))).
  by have := ltn_mod m d; lia.
by rewrite bM bD; congr b; rewrite mulnC; exact: divn_eq.
Qed.

Lemma bdiv_exact m d q : 0 < d -> m = q * d -> (b m / b d)%num = b q.
Proof. by move=> d0 ->; rewrite bdiv // mulnK. Qed.

Lemma bexp_pos x e : power_pos (b x) e = b (x ^ Pos.to_nat e).
Proof.
elim: e => [e IH|e IH|]; rewrite /= ?expn1 // IH !bM; congr b.
- by rewrite Pos2Nat.inj_xI expnS (_ : (2 * _)%coq_nat = Pos.to_nat e + Pos.to_nat e) ?expnD //; lia.
- by rewrite Pos2Nat.inj_xO (_ : (2 * _)%coq_nat = Pos.to_nat e + Pos.to_nat e) ?expnD //; lia.
Qed.

Lemma bexp x e : power (b x) (b e) = b (x ^ e).
Proof.
case: e => [|e] //.
rewrite (_ : power (b x) (b e.+1) = power_pos (b x) (Pos.of_succ_nat e)) // bexp_pos.
by rewrite SuccNat2Pos.id_succ.
Qed.

Lemma bchoose n k : choose (b n) (b k) = b 'C(n, k).
Proof.
suff : N.iter (b k) (choose_step (b n)) (0%num, 1%num) = (b k, b 'C(n, k)).
  by rewrite /choose => ->.
rewrite -Nat2N.inj_iter; elim: k => [|k IH]; first by rewrite /= bin0.
rewrite /= IH /choose_step bS bB bM; congr (_, _).
by apply: bdiv_exact => //; rewrite mulnC -mul_bin_left mulnC.
Qed.

Lemma term_next g n x : term g n x * (n - x) = term g n x.+1 * (x.+1 * (g - 1)).
Proof.
rewrite /term; have [lt_xn | le_nx] := ltnP x n; last first.
  by rewrite (_ : n - x = 0) ?muln0 ?bin_small //; lia.
rewrite (_ : n - x = (n - x.+1).+1) ?expnS; last by lia.
have := mul_bin_left n x; rewrite (_ : n - x = (n - x.+1).+1); last by lia.
rewrite subn1; move: (g.-1) => q; set p := (_ ^ _); set c := 'C(n, x); set d := 'C(n, x.+1); move=> eq.
clearbody p c d.
rewrite (_ : c * (q * p) * (n - x.+1).+1 = (n - x.+1).+1 * c * (q * p)); last by lia.
by rewrite -eq; clear eq; lia.
Qed.

Lemma bwindow g n first count : 1 < g ->
  window (b g) (b n) (b first) (b count) = b (\sum_(i < count) term g n (first + i)).
Proof.
move=> g1; pose start := (b first, choose (b n) (b first) * power (b g - 1) (b n - b first), 0)%num.
suff : N.iter (b count) (window_step (b g) (b n)) start =
    (b (first + count), b (term g n (first + count)), b (\sum_(i < count) term g n (first + i))).
  by rewrite /window -/start => ->.
rewrite -Nat2N.inj_iter; elim: count => [|count IH].
  by rewrite /= /start bchoose bB1 bB bexp bM addn0 big_ord0 subn1.
rewrite /= IH /window_step bS bB bM bB1 bM bD big_ord_recr /= addnS; congr (_, _, _).
apply: bdiv_exact; last exact: term_next.
by rewrite muln_gt0 subn_gt0 g1.
Qed.

Lemma blast_window g n count : 1 < g -> count <= n.+1 ->
  last_window (b g) (b n) (b count) = b (\sum_(i < count) term g n (n - i)).
Proof.
move=> g1 le_count.
suff : N.iter (b count) (last_step (b g) (b n)) (0, 1, 0)%num =
    (b count, b (if count <= n then term g n (n - count) else 0), b (\sum_(i < count) term g n (n - i))).
  by rewrite /last_window => ->.
rewrite -Nat2N.inj_iter; elim: count le_count => [|i IH] le_i.
  by rewrite big_ord0 subn0 /term binn subnn.
rewrite /= IH; last exact: ltnW.
rewrite -ltnS le_i /last_step bD1 !bB bB1 !bM bD addn1 big_ord_recr /=; congr (_, _, _).
apply: (@bdiv_exact _ i.+1) => //; case: ifP => lt_in; last first.
  by rewrite (_ : n - i = 0) ?muln0 ?mul0r //; move: lt_in le_i; clear; lia.
have eq_next : (n - i.+1).+1 = n - i by move: lt_in; clear; lia.
have eq_i : n - (n - i.+1) = i.+1 by move: lt_in; clear; lia.
by have := term_next g n (n - i.+1); rewrite eq_i eq_next.
Qed.

Lemma sum_err g n f j : 0 < j -> f + j <= n.+1 ->
  \sum_(x < n.+1 | err f j x) term g n x =
  \sum_(i < f + 1 - j) term g n i + \sum_(i < n + 1 - (f + j)) term g n (n - i).
Proof.
move=> j0 le_n; rewrite (bigID (fun x : 'I_n.+1 => x < f + 1 - j)) /=; congr (_ + _).
  rewrite (big_ord_widen n.+1 (fun i => term g n i)); last by move: j0 le_n; clear; lia.
  by apply: eq_bigl => x; move: j0; rewrite /err; clear; lia.
rewrite (reindex_inj rev_ord_inj) (big_ord_widen n.+1 (fun i => term g n (n - i))); last by clear; lia.
apply: eq_big => [x | x _] /=; last by rewrite subSS.
by have := ltn_ord x; rewrite /err; move: j0 le_n; clear; lia.
Qed.

Lemma bnumerator g f j : 1 < g -> 0 < j ->
  numerator (b g) (b f) (b j) = b (\sum_(x < (g * f).+1 | err f j x) term g (g * f) x).
Proof.
move=> g1 j0; have g0 := ltnW g1; rewrite /numerator bM !bD1 bD bmin !bB !bD bltb; case: ifP => [few | _].
  rewrite (@bwindow g (g * f) 0 (f + 1 - j)) // (blast_window g1); last by rewrite addn1 leq_subr.
  rewrite bD; congr b; have [le_n | lt_n] := leqP (f + j) (g * f).+1.
    have -> : minn (g * f + 1) (f + j) = f + j by move: le_n; clear; lia.
    by rewrite sum_err.
  have eq_stop : minn (g * f + 1) (f + j) = (g * f + 1) by move: lt_n; clear; lia.
  rewrite eq_stop subnn big_ord0 addn0; rewrite eq_stop in few.
  rewrite (big_ord_widen (g * f).+1 (fun i => term g (g * f) i)); last by move: few; clear; lia.
  by apply: eq_bigl => x; have := ltn_ord x; rewrite /err; move: j0 lt_n; clear; lia.
by rewrite count_err // /first /stop bwindow // bexp bB.
Qed.

Lemma bdistance strict p q f : 0 < q ->
  distance strict (b p) (b q) (b f) = b (distance_nat strict p q f).
Proof.
by move=> q0; rewrite /distance /distance_nat bM; case: strict; rewrite ?bB1 ?bD bdiv // bD1.
Qed.
