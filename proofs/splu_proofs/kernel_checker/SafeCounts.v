(* What the check of safe promises, given the counts of the values. *)

From Coq Require Import NArith Bool List.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From Kernel Require Import DGamma Replacement Belief.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation nat_of := N.to_nat.
Notation nth := seq.nth.

(* The prior gives every value its share of the records. *)
Definition counted_statement (c : counted) : Prop :=
  let l := c_levels c in
  let m := nat_of (values l) in
  let p := ratio (p_num l) (p_den l) in
  let prior := @share m (c_counts c) in
  let most := ratio (most_num c) (most_den c) in
  [/\ levels_hold l, before prior predT = 1, most < ratio (rho2_num l) (rho2_den l) &
      forall (set : pred 'I_m) (v : 'I_m),
        before prior set <= ratio (rho1_num l) (rho1_den l) -> after p prior set v <= most].

(** * Sums of some of the counts *)

Lemma last_bitsE y k : last_bits y k = (y mod 2 ^ k)%num.
Proof.
rewrite /last_bits N.shiftl_mul_pow2 N.shiftr_div_pow2 N.mul_comm N.mod_eq //.
exact: N.pow_nonzero.
Qed.

Lemma reached_ok left counts sums P s : subseq P counts -> N.testbit sums s -> (s + total P <= left)%num ->
  N.testbit (reached left counts sums) (s + total P).
Proof.
elim: counts sums P s => [|x counts IH] sums P s.
  by rewrite subseq0 => /eqP-> /=; rewrite N.add_0_r.
set more := (if (x <=? left)%num then N.lor sums (last_bits (N.shiftl sums x) (left + 1)) else sums).
rewrite (_ : reached left (x :: counts) sums = reached left counts more) //.
have kept t : N.testbit sums t -> N.testbit more t.
  by move=> sums_t; rewrite /more; case: ifP => // _; rewrite N.lor_spec sums_t.
case: P => [|y P] sub sums_s le_left; first by apply: IH; [exact: sub0seq | exact: kept |].
move: sub; rewrite [subseq _ _]/=; case: eqP => [eq_yx | _] sub; last by apply: (IH _ (y :: P)); [| exact: kept |].
move: le_left; rewrite eq_yx (_ : total (x :: P) = (x + total P)%num) // N.add_assoc => le_left.
apply: IH => //; rewrite /more; have -> : (x <=? left)%num by move: le_left; clear; lia.
rewrite N.lor_spec last_bitsE N.mod_pow2_bits_low; last by move: le_left; clear; lia.
by rewrite N.shiftl_spec_alt sums_s orbT.
Qed.

Lemma bit_below sums s k : N.testbit sums s -> (sums < N.shiftl 1 k)%num -> (s < k)%num.
Proof.
rewrite N.shiftl_1_l => bit lt; apply/N.nle_gt => le_ks; move: bit.
rewrite N.testbit_eqb N.div_small //; apply: N.lt_le_trans lt _.
exact: N.pow_le_mono_r.
Qed.

Lemma withoutE x counts : without x counts = rem x counts.
Proof. by elim: counts => //= y counts ->; case: N.eqb_spec => [-> | /eqP/negbTE->]; rewrite ?eqxx. Qed.

Lemma in_different x counts : x \in counts -> x \in different counts.
Proof.
elim: counts => //= y counts IH; rewrite is_inE in_cons; case: ifP => [y_in | _]; rewrite ?in_cons.
  by case/orP => [/eqP eq_xy | ]; apply: IH; rewrite ?eq_xy.
by case/orP => [-> // | /IH ->]; rewrite orbT.
Qed.

Lemma total_rem x P : x \in P -> total P = (x + total (rem x P))%num.
Proof.
elim: P => //= y P IH; rewrite in_cons; case: eqP => [-> | /eqP/negbTE neq] /=; first by rewrite eqxx.
by rewrite eq_sym neq /= => /IH {1}->; lia.
Qed.

Lemma forallb_in (A : eqType) (f : A -> bool) (s : seq A) x : forallb f s -> x \in s -> f x.
Proof.
elim: s => //= y s IH /andP[f_y all_s]; rewrite in_cons => /orP[/eqP-> // | ]; exact: IH.
Qed.

Theorem check_counted_sound (c : counted) : check_counted c = true -> counted_statement c.
Proof.
case: c => l counts mn md; rewrite /check_counted /counted_statement /=.
case/andP => /andP[/andP[/andP[/andP[ok d1] some] few] small] fits.
have [d0 pd m0 /andP[l0 h0] hold] := check_levels_ok ok; have [/andP[p0 p1] m1 _ lh high1] := hold.
have {}few : (size counts <= nat_of (values l))%N by move: few; rewrite -[length _]/(size _); clear; lia.
have {}some : (0 < total counts)%num by move: some; clear; lia.
rewrite frac_leb frac1 frac_ge1 in d1.
have all0 := all_gt0 some; set m := nat_of (values l) in few *.
split=> //; first exact: before_all.
  by rewrite /ratio -!/(frac _) ltr_pdivr_mulr // mulrAC ltr_pdivl_mulr // -!fracM -frac_ltb.
set p := ratio (p_num l) (p_den l) in p0 p1 *; set most := ratio mn md.
have most0 : 0 <= most by rewrite divr_ge0 ?ler0n.
(* A set with the value that is seen. *)
have inside (set : pred 'I_m) (v : 'I_m) : before (share counts) set <= ratio (rho1_num l) (rho1_den l) ->
    set v -> (0 < nth 0 counts v)%num -> after p (share counts) set v <= most.
  set own := nth _ _ _ => le_low set_v own0; pose q i := if insub i is Some u then set u else false.
  have eq_q u : set u = q (val u) by rewrite /q valK.
  have own0' : 0 < frac own by rewrite -frac0 -frac_ltb; move: own0; clear; lia.
  have := after_seen ok few some v eq_q; rewrite set_v -/own -/p => ->; set P := picked q 0 counts.
  move: le_low; rewrite (before_picked few eq_q) -/P /ratio -!/(frac _).
  rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -!fracM -frac_leb => room.
  have own_P : own \in P.
    rewrite /P /picked /own; have lt_v : (v < size counts)%N.
      by rewrite ltnNge; apply/negP => le_v; move: own0; rewrite /own nth_default.
    have : nth false [seq q i | i <- iota 0 (size counts)] v by rewrite (nth_map 0%N) ?size_iota // nth_iota // -eq_q.
    elim: (counts) (map _ _) (nat_of_ord v) lt_v => [|x s IH] [|[] bits] [|i] //= lt_i.
    - by rewrite in_cons eqxx.
    - by move=> bit; rewrite in_cons IH ?orbT.
    - exact: IH.
  have sub_P : subseq P counts by exact: picked_subseq.
  have own_in : own \in counts by exact: (mem_subseq sub_P).
  have := forallb_in fits (in_different own_in); rewrite /own_fits /=.
  set all := total counts in room *; set R := (_ / _)%num; set s := total (rem own P).
  have eq_P : total P = (own + s)%num by exact: total_rem.
  have le_R : (total P <= R)%num.
    by apply: N.div_le_lower_bound; [move: l0; rewrite /frac ltr0n; clear; lia | move: room; rewrite N.mul_comm; clear; lia].
  have -> : (R <? own)%num = false by move: le_R; rewrite eq_P; clear; lia.
  rewrite ler_pdivr_mulr ?seen_gt0 // /most /ratio -!/(frac _) mulrAC ler_pdivl_mulr // -!fracM -frac_leb eq_P.
  set goal := (mn * _)%num; set alone := (_ * md)%num; set step := (_ * md)%num.
  have -> : (seen l own (own + s) * md = alone + step * s)%num.
    by rewrite /alone /step /seen; move: (p_den l - p_num l)%num (p_num l * values l * own)%num => x y; clear; lia.
  case/andP => le_goal /orP[/N.eqb_eq-> | ]; first by move: le_goal; clear; lia.
  have left_s : (0 + s <= R - own)%num by move: le_R; rewrite eq_P; clear; lia.
  have bit : N.testbit (reached (R - own) (without own counts) 1) (0 + s).
    by apply: reached_ok; rewrite // withoutE subseq_rem.
  move=> /N.ltb_lt /(bit_below bit) lt_s.
  have [-> | step0] := N.eq_dec step 0; first by move: le_goal; clear; lia.
  have le_sx : (s <= (goal - alone) / step)%num by move: lt_s; clear; lia.
  have := N.mul_le_mono_l _ _ step le_sx; have := N.mul_div_le (goal - alone) step step0; move: le_goal.
  by move: ((goal - alone) / step)%num => x; clear; lia.
move=> set v le_low.
have share_ge0 (u : 'I_m) : 0 <= share counts u by rewrite divr_ge0 ?ler0n.
have B0 : 0 <= before (share counts) set by apply: sumr_ge0.
have B1 : before (share counts) set <= 1 := le_trans le_low (ltW (lt_trans lh high1)).
have m_gt0 : (0 < m)%N := ltnW m1.
have other0 : 0 <= (1 - p) / m%:R by rewrite divr_ge0 ?subr_ge0 ?ler0n.
have one : before (share counts) (predT : pred 'I_m) = 1 by exact: before_all.
(* The belief in a set that is not lifted is at most what it is once one of its values is seen. *)
have prior_le : before (share counts) set <= most.
  have [/existsP[u /andP[set_u u0]] | /existsPn none] := boolP [exists u, set u && (0 < share counts u)]; last first.
    rewrite /before big1 // => u set_u; apply/eqP; rewrite eq_le share_ge0 andbT leNgt.
    by have := none u; rewrite set_u.
  have own0 : (0 < nth 0 counts u)%num.
    by move: u0; rewrite shareE pmulr_lgt0 ?invr_gt0 // /frac ltr0n; clear; lia.
  apply: le_trans (inside set u le_low set_u own0); rewrite afterE // set_u mul1r.
  have den0 : 0 < p * share counts u + (1 - p) / m%:R.
    have [p_gt0 | p_le0] := ltP 0 p; first exact: ltr_paddr other0 (mulr_gt0 p_gt0 u0).
    have -> : p = 0 by apply/eqP; rewrite eq_le p_le0 p0.
    by rewrite mul0r add0r subr0 divr_gt0 ?ltr01 ?ltr0n.
  rewrite ler_pdivl_mulr // mulrDr ler_add //; last by rewrite mulrC.
  exact: ler_pimull (mulr_ge0 p0 (share_ge0 u)) B1.
have [/andP[set_v own0] | no] := boolP (set v && (0 <? nth 0 counts v)%num).
  by apply: inside => //; exact/N.ltb_lt.
apply: le_trans prior_le; rewrite afterE //.
have -> : p * ((set v)%:R * share counts v) = 0.
  move: no; rewrite negb_and => /orP[/negbTE-> | ]; first by rewrite mul0r mulr0.
  by rewrite shareE /frac => no; rewrite (_ : nat_of _ = 0%N) ?mul0r ?mulr0 //; move: no; clear; lia.
rewrite add0r; set d := p * _ + _; have d_ge : (1 - p) / m%:R <= d by rewrite ler_addr mulr_ge0.
have [d_gt0 | d_le0] := ltP 0 d; last first.
  have -> : d = 0 by apply/eqP; rewrite eq_le d_le0 (le_trans other0 d_ge).
  by rewrite invr0 mulr0.
by rewrite ler_pdivr_mulr // mulrC ler_wpmul2l.
Qed.
