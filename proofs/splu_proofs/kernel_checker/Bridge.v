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

Lemma bnumerator g f j : 1 < g -> 0 < j ->
  numerator (b g) (b f) (b j) = b (\sum_(x < (g * f).+1 | err f j x) term g (g * f) x).
Proof.
move=> g1 j0; have g0 := ltnW g1; rewrite count_err // /numerator /first /stop.
by rewrite bM !bD1 bD bmin !bB bwindow // bexp bB.
Qed.

Lemma bdistance strict p q f : 0 < q ->
  distance strict (b p) (b q) (b f) = b (distance_nat strict p q f).
Proof.
by move=> q0; rewrite /distance /distance_nat bM; case: strict; rewrite ?bB1 ?bD bdiv // bD1.
Qed.
