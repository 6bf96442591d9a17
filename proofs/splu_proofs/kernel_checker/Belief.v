(* Retention replacement: its law, what it does to a belief, and what the checks of breach and safe promise. *)

From Coq Require Import NArith Bool List.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From Kernel Require Import DGamma Replacement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation nat_of := N.to_nat.
Notation nth := seq.nth.
Notation filter := seq.filter.

(** * Binary numbers as fractions *)

Definition frac (n : N) : rat := (nat_of n)%:R.

Lemma fracD m n : frac (m + n)%num = frac m + frac n.
Proof. by rewrite /frac N2Nat.inj_add natrD. Qed.

Lemma fracM m n : frac (m * n)%num = frac m * frac n.
Proof. by rewrite /frac N2Nat.inj_mul natrM. Qed.

Lemma frac_leb m n : (m <=? n)%num = (frac m <= frac n).
Proof. by rewrite /frac ler_nat; lia. Qed.

Lemma frac_ltb m n : (m <? n)%num = (frac m < frac n).
Proof. by rewrite /frac ltr_nat; lia. Qed.

Lemma frac_eqb m n : (m =? n)%num = (frac m == frac n).
Proof. by rewrite /frac eqr_nat; lia. Qed.

Lemma fracB m n : (frac n <= frac m) -> frac (m - n)%num = frac m - frac n.
Proof. by rewrite /frac ler_nat => le_nm; rewrite -natrB //; congr (_%:R); lia. Qed.

Lemma frac1 : frac 1%num = 1. Proof. by []. Qed.
Lemma frac0 : frac 0%num = 0. Proof. by []. Qed.

Lemma frac_ge0 n : 0 <= frac n. Proof. exact: ler0n. Qed.

Lemma frac_ge1 n : (1 <= frac n) = (0 < frac n).
Proof. by rewrite -frac1 -frac0 -frac_leb -frac_ltb; lia. Qed.

(** * The law *)

(* A record of value u draws a replacement w from the m values, each with probability 1/m, and publishes its
   own value with probability p and the replacement otherwise: the probability that it publishes v.         *)
Definition published (m : nat) (p : rat) (u v : 'I_m) : rat :=
  \sum_(w < m) m%:R^-1 * (p * (u == v)%:R + (1 - p) * (w == v)%:R).

(* The probability of a set of values, given the probability of each. *)
Definition before (m : nat) (prior : 'I_m -> rat) (set : pred 'I_m) : rat := \sum_(u | set u) prior u.

(* Bayes: the same once v has been seen. *)
Definition after (m : nat) (p : rat) (prior : 'I_m -> rat) (set : pred 'I_m) (v : 'I_m) : rat :=
  (\sum_(u | set u) prior u * published p u v) / \sum_u prior u * published p u v.

(* The value of a record drawn from all: its probability is its share of the records. *)
Definition share (m : nat) (counts : seq N) (u : 'I_m) : rat :=
  (nat_of (nth 0%num counts u))%:R / (sumn (map nat_of counts))%:R.

(* The set of the values whose places are listed. *)
Definition listed (m : nat) (places : seq N) : pred 'I_m := fun u => N.of_nat u \in places.

Section Law.

Variables (m : nat) (p : rat).
Hypotheses m0 : (0 < m)%N.
Let other : rat := (1 - p) / m%:R.

Lemma publishedE (u v : 'I_m) : published p u v = p * (u == v)%:R + other.
Proof.
have m_neq0 : m%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
rewrite /published -mulr_sumr big_split /= sumr_const card_ord -[X in _ * (X + _)]mulr_natl.
rewrite (bigD1 v) //= eqxx big1 => [|w /negbTE ->]; last by rewrite mulr0.
by rewrite mulr1 addr0 mulrDr mulKf // /other; congr (_ + _); rewrite mulrC.
Qed.

Lemma joint (prior : 'I_m -> rat) (set : pred 'I_m) v :
  \sum_(u | set u) prior u * published p u v = p * ((set v)%:R * prior v) + other * before prior set.
Proof.
under eq_bigr do rewrite publishedE mulrDr.
rewrite big_split /= -mulr_suml [X in _ + X]mulrC; congr (_ + _).
have [set_v | not_v] := boolP (set v).
  rewrite (bigD1 v) //= eqxx mulr1 mul1r mulrC big1 ?addr0 // => u /andP[_ /negbTE ->].
  by rewrite !mulr0.
rewrite mul0r mulr0 big1 // => u set_u; case: eqP => [eq_uv | _]; last by rewrite !mulr0.
by rewrite -eq_uv set_u in not_v.
Qed.

Lemma afterE (prior : 'I_m -> rat) (set : pred 'I_m) v : before prior predT = 1 ->
  after p prior set v = (p * ((set v)%:R * prior v) + other * before prior set) / (p * prior v + other).
Proof. by move=> one; rewrite /after !joint /= mul1r one mulr1. Qed.

End Law.

(** * Sums of counts *)

Lemma is_inE x l : is_in x l = (x \in l).
Proof. by elim: l => //= y l IH; rewrite in_cons /is_in /= -[existsb _ _]/(is_in x l) IH. Qed.

Lemma totalE counts : nat_of (total counts) = sumn (map nat_of counts).
Proof. by elim: counts => //= x counts IH; rewrite -IH N2Nat.inj_add. Qed.

Definition picked (q : pred nat) (k : nat) (counts : seq N) : seq N :=
  mask [seq q i | i <- iota k (size counts)] counts.

Lemma picked_sum q k counts m : (size counts <= m)%N ->
  (\sum_(u < m | q (k + u)) nat_of (nth 0%num counts u))%N = nat_of (total (picked q k counts)).
Proof.
elim: counts k m => [|x counts IH] k m /=; first by rewrite big1 // => u _; rewrite nth_nil.
case: m => // m le_m; rewrite big_mkcond big_ord_recl /= addn0.
rewrite -[in RHS]/(iota _ _) /picked /=; under eq_bigr => u _ do rewrite /bump /= add1n addnS -addSn.
rewrite -big_mkcond /= IH //; case: (q k) => //=.
by rewrite N2Nat.inj_add.
Qed.

Lemma weightE k places counts :
  weight (N.of_nat k) places counts = total (picked (fun i => N.of_nat i \in places) k counts).
Proof.
elim: counts k => //= x counts IH k; rewrite is_inE (_ : (N.of_nat k + 1)%num = N.of_nat k.+1) ?IH; last by lia.
by rewrite /picked /=; case: (_ \in _).
Qed.

Lemma picked_all k counts : picked predT k counts = counts.
Proof.
rewrite /picked; move: (iota _ _) (size_iota k (size counts)) => l.
by elim: counts l => [|x counts IH] [|i l] //= [/IH ->].
Qed.

Lemma picked_subseq q k counts : subseq (picked q k counts) counts.
Proof. exact: mask_subseq. Qed.

Section Shares.

Variables (m : nat) (counts : seq N).
Hypotheses (few : (size counts <= m)%N) (some : (0 < total counts)%num).
Let all := frac (total counts).

Lemma all_gt0 : 0 < all.
Proof. by rewrite /all -frac0 -frac_ltb; apply/N.ltb_lt. Qed.

Lemma shareE (u : 'I_m) : share counts u = frac (nth 0%num counts u) / all.
Proof. by rewrite /share /all /frac totalE. Qed.

Lemma before_picked (q : pred nat) (set : pred 'I_m) : (forall u, set u = q (val u)) ->
  before (share counts) set = frac (total (picked q 0 counts)) / all.
Proof.
move=> eq_q; rewrite /before; under eq_bigr do rewrite shareE.
rewrite -mulr_suml /frac -(picked_sum q 0 few) natr_sum; congr (_ / _).
by apply: eq_bigl => u; rewrite eq_q.
Qed.

Lemma before_all : before (share counts) (predT : pred 'I_m) = 1.
Proof. by rewrite (@before_picked predT) // picked_all divff // gt_eqF // all_gt0. Qed.

End Shares.

(** * The statements *)

Definition levels_hold (l : levels) : Prop :=
  [/\ 0 <= ratio (p_num l) (p_den l) <= 1, (1 < nat_of (values l))%N, 0 < ratio (rho1_num l) (rho1_den l),
      ratio (rho1_num l) (rho1_den l) < ratio (rho2_num l) (rho2_den l) & ratio (rho2_num l) (rho2_den l) < 1].

Definition breach_statement (c : breach) : Prop :=
  let l := b_levels c in
  let m := nat_of (values l) in
  let p := ratio (p_num l) (p_den l) in
  let prior := @share m (b_counts c) in
  let set := @listed m (secret c) in
  [/\ levels_hold l, before prior predT = 1,
      before prior set = ratio (before_num c) (before_den c),
      before prior set <= ratio (rho1_num l) (rho1_den l) &
      exists v : 'I_m, [/\ v = nat_of (observed c) :> nat, set v,
        after p prior set v = ratio (after_num c) (after_den c) &
        ratio (rho2_num l) (rho2_den l) <= after p prior set v]].

Lemma check_levels_ok (l : levels) : check_levels l ->
  [/\ 0 < frac (p_den l), frac (p_num l) <= frac (p_den l), 0 < frac (values l),
      (0 < frac (rho1_den l)) && (0 < frac (rho2_den l)) & levels_hold l].
Proof.
rewrite /check_levels /levels_hold /ratio -!/(frac _).
case/andP => /andP[/andP[/andP[/andP[d1 pd] m2] l1] lh] h1.
rewrite frac_leb frac1 frac_ge1 in d1; rewrite frac_leb in pd; rewrite frac_leb frac1 frac_ge1 in l1.
have m1 : 0 < frac (values l) by rewrite -frac0 -frac_ltb; lia.
have h0 : 0 < frac (rho2_den l) by rewrite frac_ltb in h1; apply: le_lt_trans h1; apply: frac_ge0.
have l0 : 0 < frac (rho1_den l).
  rewrite lt_neqAle frac_ge0 andbT eq_sym; apply/eqP => zero.
  by move: lh; rewrite frac_ltb !fracM zero mulr0 ltNge mulr_ge0 ?frac_ge0.
split; rewrite ?l0 //; split.
- by rewrite divr_ge0 ?frac_ge0 //= ler_pdivr_mulr // mul1r.
- by lia.
- by rewrite divr_gt0.
- by rewrite ltr_pdivr_mulr // mulrAC ltr_pdivl_mulr // -!fracM -frac_ltb.
- by rewrite ltr_pdivr_mulr // mul1r -frac_ltb.
Qed.

Lemma mix (a d m x t w : rat) : d != 0 -> m != 0 -> t != 0 ->
  a / d * (x / t) + (1 - a / d) / m * (w / t) = (a * m * x + (d - a) * w) / (d * m * t).
Proof. by move=> d0 m0 t0; field; rewrite d0 m0 t0. Qed.

Lemma mix_all (a d m x t : rat) : d != 0 -> m != 0 -> t != 0 ->
  a / d * (x / t) + (1 - a / d) / m = (a * m * x + (d - a) * t) / (d * m * t).
Proof. by move=> d0 m0 t0; field; rewrite d0 m0 t0. Qed.

Section Seen.

Variables (l : levels) (counts : seq N).
Hypotheses (ok : check_levels l) (few : (size counts <= nat_of (values l))%N) (some : (0 < total counts)%num).
Let m := nat_of (values l).
Let p := ratio (p_num l) (p_den l).

Lemma seenE own all : frac (seen l own all) =
  frac (p_num l) * frac (values l) * frac own + (frac (p_den l) - frac (p_num l)) * frac all.
Proof. by have [_ pd _ _ _] := check_levels_ok ok; rewrite /seen !(fracD, fracM) fracB. Qed.

Lemma after_seen (q : pred nat) (set : pred 'I_m) (v : 'I_m) : (forall u, set u = q (val u)) ->
  let own := nth 0%num counts v in
  after p (share counts) set v =
    frac (seen l (if set v then own else 0%num) (total (picked q 0 counts))) / frac (seen l own (total counts)).
Proof.
move=> eq_q own; have [d0 _ m0 _ _] := check_levels_ok ok.
have m_gt0 : (0 < m)%N by move: m0; rewrite /frac ltr0n.
rewrite afterE ?before_all // (before_picked few eq_q) // !shareE -/own !seenE.
rewrite /p /ratio /m -!/(frac _).
have all0 := all_gt0 some.
have [dn mn an] : [/\ frac (p_den l) != 0, frac (values l) != 0 & frac (total counts) != 0].
  by split; apply: lt0r_neq0.
set x := (if _ then _ else _); have -> : (set v)%:R * (frac own / frac (total counts)) = frac x / frac (total counts).
  by rewrite /x; case: (set v); rewrite ?mul1r // !mul0r.
rewrite mix // mix_all // invf_div mulrA divfK //.
by rewrite !mulf_neq0.
Qed.

Lemma seen_gt0 own : 0 < frac own -> 0 < frac (seen l own (total counts)).
Proof.
have [d0 pd m0 _ _] := check_levels_ok ok; have all0 := all_gt0 some => own0.
rewrite seenE; have [p0 | p0] := ltP 0 (frac (p_num l)).
  by rewrite ltr_paddr ?mulr_gt0 // mulr_ge0 ?subr_ge0 ?frac_ge0.
have -> : frac (p_num l) = 0 by apply/eqP; rewrite eq_le p0 frac_ge0.
by rewrite !mul0r add0r subr0 mulr_gt0.
Qed.

End Seen.

Lemma nth_list i (s : seq N) : List.nth i s 0%num = nth 0%num s i.
Proof. by elim: s i => [|x s IH] [|i] /=. Qed.

Theorem check_breach_sound (c : breach) : check_breach c = true -> breach_statement c.
Proof.
case: c => l counts places v bn bd an ad; rewrite /check_breach /breach_statement /=.
case/andP => /andP[/andP[/andP[/andP[/andP[/andP[/andP[/andP[/andP[ok b1] a1] few] v_in] v_m] own1] before_ok] low] after_ok] high.
have [d0 pd m0 /andP[l0 h0] hold] := check_levels_ok ok.
have {}few : (size counts <= nat_of (values l))%N by move: few; rewrite -[length _]/(size _); lia.
have own0 : 0 < frac (nth 0%num counts (nat_of v)).
  by move: own1; rewrite nth_list frac_leb frac1 frac_ge1.
have own_le : (nat_of (nth 0%num counts (nat_of v)) <= sumn (map nat_of counts))%N.
  elim: (counts) (nat_of v) => [|x s IH] [|i] //=; first exact: leq_addr.
  exact: leq_trans (IH i) (leq_addl _ _).
have some : (0 < total counts)%num.
  by move: own0; rewrite /frac ltr0n -totalE in own_le *; lia.
have lt_v : (nat_of v < nat_of (values l))%N by lia.
pose q i := N.of_nat i \in places.
have eq_q (u : 'I_(nat_of (values l))) : listed places u = q (val u) by [].
have v_listed : listed places (Ordinal lt_v) by rewrite /listed /= N2Nat.id -is_inE.
move: before_ok low after_ok high; rewrite nth_list (weightE 0) !(frac_eqb, frac_leb, fracM) -/q.
have all0 := all_gt0 some; have seen0 := seen_gt0 ok some own0.
rewrite frac_leb frac1 frac_ge1 in b1; rewrite frac_leb frac1 frac_ge1 in a1.
have after_v := after_seen ok few some (Ordinal lt_v) eq_q; rewrite v_listed /= in after_v.
move=> /eqP before_ok low /eqP after_ok high; split=> //; rewrite ?(before_picked few eq_q) /ratio -?/(frac _).
- exact: before_all.
- by apply/eqP; rewrite eqr_div ?lt0r_neq0 // before_ok mulrC.
- by rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr.
exists (Ordinal lt_v); rewrite -/(ratio _ _) after_v /ratio -!/(frac _); split=> //.
- by apply/eqP; rewrite eqr_div ?lt0r_neq0 // after_ok mulrC.
- by rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr.
Qed.
