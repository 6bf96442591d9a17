(* Independent trials with different chances.

   An outcome of the trials rs = [r1; r2; ...] says of each whether it
   succeeds; its probability is the product of r_i for those that do and of
   1 - r_i for those that do not. A(x) is asked of the number x of successes.

   At a retention probability p, the f records of a value retain it with p,
   and of the others (g-1) f have it among their decoys; each of these
   publishes it with q = (1-p)/(g-1).

   gen rs is the polynomial whose coefficients are the probabilities of 0, 1,
   2, ... successes: a product of one factor for each trial.                 *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Definitions *)

Definition outcome (rs : seq rat) (t : (size rs).-tuple bool) : rat :=
  \prod_(i < size rs) (if tnth t i then rs`_i else 1 - rs`_i).

(* Pr(A(X)), X the number of successes. *)
Definition trials (rs : seq rat) (A : pred nat) : rat :=
  \sum_(t : (size rs).-tuple bool | A (count id t)) outcome t.

(* The trials that publish a value with f records. *)
Definition slots (g : nat) (p : rat) (f : nat) : seq rat :=
  nseq f p ++ nseq (g.-1 * f) ((1 - p) / g.-1%:R).

Definition retained (g : nat) (p : rat) (f : nat) (A : pred nat) : rat := trials (slots g p f) A.

(** * One trial more *)

Lemma trialsE rs A : trials rs A = \sum_(t : (size rs).-tuple bool) (A (count id t))%:R * outcome t.
Proof. by rewrite /trials big_mkcond; apply: eq_bigr => t _; case: (A _); rewrite ?mul1r ?mul0r. Qed.

Lemma trials_nil A : trials [::] A = (A 0%N)%:R.
Proof.
rewrite trialsE (big_pred1 [tuple]) => [|t]; last exact/esym/eqP/tuple0.
by rewrite /outcome big_ord0 mulr1.
Qed.

Lemma trials_cons r rs A :
  trials (r :: rs) A = r * trials rs (A \o S) + (1 - r) * trials rs A.
Proof.
rewrite !trialsE (reindex (fun s : bool * (size rs).-tuple bool => [tuple of s.1 :: s.2])) /=; last first.
  exists (fun t : (size rs).+1.-tuple bool => (thead t, [tuple of behead t])) => [[i t] _|t _].
    by rewrite /= theadE; congr (_, _); apply: val_inj.
  by rewrite -tuple_eta.
have first (s : bool * (size rs).-tuple bool) :
    outcome (rs := r :: rs) [tuple of s.1 :: s.2] = (if s.1 then r else 1 - r) * outcome s.2.
  rewrite /outcome big_ord_recl /=; congr (_ * _).
  by apply: eq_bigr => i _; rewrite tnthS.
under eq_bigr do rewrite first.
rewrite -(pair_bigA _ (fun (b : bool) (t : (size rs).-tuple bool) =>
  (A (b + count id t)%N)%:R * ((if b then r else 1 - r) * outcome t))) /=.
rewrite big_bool !mulr_sumr.
by congr (_ + _); apply: eq_bigr => t _; rewrite ?add1n ?add0n mulrCA.
Qed.

Lemma eq_trials rs (A B : pred nat) : A =1 B -> trials rs A = trials rs B.
Proof. by move=> eq_A; apply: eq_bigl => t; rewrite eq_A. Qed.

(* With equal chances the number of successes has the binomial law. *)
Theorem equal_trials (g n : nat) (A : pred nat) : prob g n A = trials (nseq n g%:R^-1) A.
Proof.
elim: n A => [|n IH] A; first by rewrite probE mean0 trials_nil.
by rewrite prob_trial trials_cons !IH addrC.
Qed.

Corollary retained_plain (g f : nat) (A : pred nat) : (1 < g)%N ->
  retained g g%:R^-1 f A = prob g (g * f) A.
Proof.
move=> g1; rewrite equal_trials /retained /slots.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have g1_neq0 : g.-1%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have -> : (1 - g%:R^-1) / g.-1%:R = g%:R^-1 :> rat.
  have eq_g : g%:R = g.-1%:R + 1 :> rat by rewrite -(natrD _ _ 1) addn1 prednK // ltnW.
  by rewrite -[X in X - _](divff g_neq0) eq_g; rewrite eq_g in g_neq0; field; rewrite g1_neq0 g_neq0.
by rewrite -nseqD (_ : f + g.-1 * f = g * f)%N // -{2}[g](prednK (ltnW g1)) mulSn.
Qed.

(** * The law as the coefficients of a polynomial *)

Definition trial (r : rat) : {poly rat} := (1 - r)%:P + r%:P * 'X.

Definition gen (rs : seq rat) : {poly rat} := \prod_(r <- rs) trial r.

Lemma gen_cons r rs : gen (r :: rs) = trial r * gen rs. Proof. exact: big_cons. Qed.

Lemma coef_trial r (P : {poly rat}) k : (trial r * P)`_k = (1 - r) * P`_k + r * ('X * P)`_k.
Proof. by rewrite /trial [in LHS]mulrDl coefD coefCM -mulrA coefCM. Qed.

Lemma trials_gen rs A n : (size rs < n)%N -> trials rs A = \sum_(k < n) (A k)%:R * (gen rs)`_k.
Proof.
elim: rs A n => [|r rs IH] A n lt_n.
  rewrite trials_nil /gen big_nil (bigD1 (Ordinal lt_n)) //= coef1 mulr1 big1 ?addr0 // => k neq.
  by move: neq; rewrite -val_eqE /= coef1 => /negbTE->; rewrite mulr0.
case: n lt_n => // n lt_n; rewrite trials_cons gen_cons.
under eq_bigr do rewrite coef_trial mulrDr; rewrite big_split /= addrC.
congr (_ + _); first by rewrite (IH _ n.+1) 1?ltnW // mulr_sumr; apply: eq_bigr => k _; rewrite mulrCA.
rewrite (IH _ n) // mulr_sumr big_ord_recl coefXM eqxx !mulr0 add0r.
by apply: eq_bigr => k _; rewrite coefXM /= mulrCA.
Qed.

Lemma same_gen rs ss A : size rs = size ss -> gen rs = gen ss -> trials rs A = trials ss A.
Proof. by move=> eq_n eq_g; rewrite !(@trials_gen _ _ (size rs).+1) ?eq_g // eq_n. Qed.

(* The chances of all outcomes add up to 1. *)
Lemma trials_total rs : trials rs predT = 1.
Proof.
elim: rs => [|r rs IH]; first exact: trials_nil.
by rewrite trials_cons (@eq_trials _ (predT \o S) predT) // IH; ring.
Qed.
