(* concept-error: what check_concept promises. *)

From Coq Require Import PArith Pnat NArith List.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.
From Kernel Require Import Law Checker Bridge Lower Minimum LowerBounds Privacy Retention RetentionLaw Exact.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The corrected estimate, within 0 .. n, where y3 of the n records of the predicate, and y1 of the others of all rows,
   publish the value.                                                                                                   *)
Definition corrected (g rows n y3 y1 : nat) : rat :=
  let s : rat := (y3 + y1)%:R in
  Num.min (Num.max ((g%:R * (rows%:R - s) * y3%:R - n%:R * (g%:R - 1) * s) / (rows%:R - g%:R * s)) 0) n%:R.

(* Is it off? Also where it does not exist. *)
Definition concept_missed (g rows n x3 : nat) (eps : rat) (y3 y1 : nat) : bool :=
  (rows <= g * (y3 + y1))%N || (eps * x3%:R <= `|corrected g rows n y3 y1 - x3%:R|).

(* Of the records that may publish the value, inside are in the predicate; each publishes it with probability 1/g. *)
Definition concept_wrong (g rows n x3 inside outside : nat) (eps : rat) : rat :=
  mean g inside (fun y3 => prob g outside (concept_missed g rows n x3 eps y3)).

Definition concept_statement (c : concept) : Prop :=
  let g := nat_of (k_gamma c) in
  let eps := chance (k_num c) (k_den c) in
  let f := nat_of (k_count c) in
  let n := nat_of (k_records c) in
  let x3 := nat_of (k_both c) in
  let decoys := nat_of (k_decoys c) in
  let inside := (x3 + decoys)%N in
  let P := concept_wrong g (nat_of (k_rows c)) n x3 inside (g * f - inside) eps in
  [/\ (1 < g)%N, 0 < eps,
      [/\ (0 < x3 <= f)%N, (inside <= n)%N, (decoys <= (g - 1) * f)%N & (g * f - inside + n <= nat_of (k_rows c))%N],
      P = (nat_of (k_top c))%:R / (g ^ (g * f))%:R &
      P <= chance (k_value_num c) (k_value_den c)].

(** * The estimate in whole numbers *)

Lemma clipped (A B n S : nat) : (0 < S)%N ->
  Num.min (Num.max ((A%:R - B%:R) / S%:R) 0) n%:R = (minn (A - B) (n * S))%:R / S%:R :> rat.
Proof.
move=> S0; have S1 : 0 < S%:R :> rat by rewrite ltr0n.
have -> : Num.max ((A%:R - B%:R) / S%:R) 0 = (A - B)%N%:R / S%:R :> rat.
  have [le_BA | /ltnW le_AB] := leqP B A.
    by rewrite natrB //; apply/max_idPl; rewrite divr_ge0 ?ler0n // subr_ge0 ler_nat.
  rewrite (_ : A - B = 0)%N ?mul0r; last by move: le_AB; clear; lia.
  by apply/max_idPr; rewrite mulr_le0_ge0 ?invr_ge0 ?ler0n // subr_le0 ler_nat.
have -> : n%:R = (n * S)%N%:R / S%:R :> rat by rewrite natrM mulfK // lt0r_neq0.
have [le_x | /ltnW le_x] := leqP (A - B) (n * S).
  by apply/min_idPl; rewrite ler_pmul2r ?invr_gt0 // ler_nat.
by apply/min_idPr; rewrite ler_pmul2r ?invr_gt0 // ler_nat.
Qed.

Lemma off_whole (t S p q x : nat) : (0 < S)%N -> (0 < q)%N ->
  (p%:R / q%:R * x%:R <= `|t%:R / S%:R - x%:R| :> rat) =
  (t * q + p * x * S <= q * x * S)%N || ((q + p) * x * S <= t * q)%N.
Proof.
move=> S0 q0; have S1 : 0 < S%:R :> rat by rewrite ltr0n.
have q1 : 0 < q%:R :> rat by rewrite ltr0n.
have [Sn qn] : S%:R != 0 :> rat /\ q%:R != 0 :> rat by split; apply: lt0r_neq0.
have scale : 0 < q%:R * S%:R :> rat by rewrite mulr_gt0.
have big (u v : rat) : (u <= v) = (u * (q%:R * S%:R) <= v * (q%:R * S%:R)) by rewrite ler_pmul2r.
rewrite ler_normr orbC !(big (_ * x%:R)); congr (_ || _); rewrite -(ler_nat [numDomainType of rat]) !(natrD, natrM).
  have -> : p%:R / q%:R * x%:R * (q%:R * S%:R) = p%:R * x%:R * S%:R :> rat by field; rewrite qn.
  have -> : - (t%:R / S%:R - x%:R) * (q%:R * S%:R) = q%:R * x%:R * S%:R - t%:R * q%:R :> rat by field; rewrite Sn.
  by rewrite ler_subr_addl.
have -> : p%:R / q%:R * x%:R * (q%:R * S%:R) = p%:R * x%:R * S%:R :> rat by field; rewrite qn.
have -> : (t%:R / S%:R - x%:R) * (q%:R * S%:R) = t%:R * q%:R - q%:R * x%:R * S%:R :> rat by field; rewrite Sn.
by rewrite ler_subr_addl !mulrDl.
Qed.

Section Sums.

Variables (g rows n x3 f decoys p q : nat) (top vn vd : N).
Hypotheses (g_gt1 : (1 < g)%N) (p_gt0 : (0 < p)%N) (q_gt0 : (0 < q)%N).
Let c := Concept (b g) (b p) (b q) (b rows) (b f) (b n) (b x3) (b decoys) top vn vd.
Let eps : rat := p%:R / q%:R.

Lemma concept_off_ok y3 y1 : concept_off c (b y3) (b y1) = concept_missed g rows n x3 eps y3 y1.
Proof.
rewrite /concept_off /concept_missed [k_gamma _]/= [k_rows _]/= [k_records _]/= [k_den _]/= [k_num _]/= [k_both _]/=.
rewrite bD !bM bleb; case: leqP => //= lt_rows; set s := (y3 + y1)%N in lt_rows *.
have S0 : (0 < rows - g * s)%N by rewrite subn_gt0.
have le_s : (s <= rows)%N by rewrite (leq_trans _ (ltnW lt_rows)) // leq_pmull // ltnW.
rewrite !bB bB1 !bM bB bmin !bM !bD !bM !bleb /eps /corrected -/s.
have -> : g%:R * (rows%:R - s%:R) * y3%:R - n%:R * (g%:R - 1) * s%:R =
    (g * (rows - s) * y3)%N%:R - (n * (g - 1) * s)%N%:R :> rat.
  by rewrite !natrM (natrB _ le_s) (natrB _ (ltnW g_gt1)).
have -> : rows%:R - g%:R * s%:R = (rows - g * s)%N%:R :> rat by rewrite natrB ?natrM // ltnW.
by rewrite clipped // off_whole.
Qed.

Lemma terms_ok m : terms (b g) (b m) = [seq b (term g m x) | x <- iota 0 m.+1].
Proof.
suff iter k : (k <= m.+1)%N -> N.iter (b k) (terms_step (b g) (b m)) (0, 1, nil)%num =
    (b k, b (if k <= m then term g m (m - k) else 0)%N, [seq b (term g m x) | x <- iota (m.+1 - k) k]).
  by rewrite /terms bD1 addn1 iter // subnn.
rewrite -Nat2N.inj_iter; elim: k => [|k IH] le_k; first by rewrite subn0 /term binn subnn.
rewrite [Nat.iter _ _ _]/= IH; last exact: ltnW.
rewrite -ltnS le_k /terms_step bD1 !bB bB1 !bM addn1; congr (_, _, _).
  apply: (@bdiv_exact _ k.+1) => //; case: ifP => lt_km; last first.
    by rewrite (_ : m - k = 0)%N ?muln0 ?mul0n //; move: lt_km le_k; clear; lia.
  have eq_next : ((m - k.+1).+1 = m - k)%N by move: lt_km; clear; lia.
  have eq_k : (m - (m - k.+1) = k.+1)%N by move: lt_km; clear; lia.
  by have := term_next g m (m - k.+1); rewrite eq_k eq_next.
by rewrite subSS subSn.
Qed.

Lemma missed_outside_ok y3 k (F : nat -> nat) m : missed_outside c (b y3) (b k) [seq b (F x) | x <- iota k m] =
  b (\sum_(x <- iota k m) (if concept_missed g rows n x3 eps y3 x then F x else 0))%N.
Proof.
elim: m k => [|m IH] k; first by rewrite big_nil.
by rewrite /= big_cons bS IH -bD concept_off_ok; congr (_ + _)%num; case: ifP.
Qed.

Lemma missed_inside_ok k l (F : nat -> nat) (G : nat -> nat) m : (forall y3, missed_outside c (b y3) 0 l = b (G y3)) ->
  missed_inside c l (b k) [seq b (F x) | x <- iota k m] = b (\sum_(x <- iota k m) F x * G x)%N.
Proof.
move=> eq_G; elim: m k => [|m IH] k; first by rewrite big_nil.
by rewrite /= big_cons bS IH eq_G bM bD.
Qed.

Lemma concept_top inside outside :
  concept_wrong g rows n x3 inside outside eps =
  (nat_of (missed_inside c (terms (b g) (b outside)) 0 (terms (b g) (b inside))))%:R / (g ^ (inside + outside))%:R.
Proof.
have g0 := ltnW g_gt1; pose G y3 := (\sum_(x < outside.+1 | concept_missed g rows n x3 eps y3 x) term g outside x)%N.
rewrite !terms_ok (@missed_inside_ok 0 _ _ G) => [|y3]; last first.
  rewrite (@missed_outside_ok y3 0) -[iota 0 _](_ : index_iota 0 outside.+1 = _); last by rewrite /index_iota subn0.
  by rewrite big_mkord -big_mkcond.
rewrite Nat2N.id -[iota 0 _](_ : index_iota 0 inside.+1 = _); last by rewrite /index_iota subn0.
rewrite big_mkord natr_sum mulr_suml /concept_wrong /mean; apply: eq_bigr => k _.
rewrite mass_term //; last by rewrite -ltnS.
by rewrite prob_term // mulrC mulf_div expnD !natrM.
Qed.

End Sums.

Theorem check_concept_sound (c : concept) : check_concept c = true -> concept_statement c.
Proof.
have eq_c : Concept (b (nat_of (k_gamma c))) (b (nat_of (k_num c))) (b (nat_of (k_den c))) (b (nat_of (k_rows c)))
    (b (nat_of (k_count c))) (b (nat_of (k_records c))) (b (nat_of (k_both c))) (b (nat_of (k_decoys c)))
    (k_top c) (k_value_num c) (k_value_den c) = c by rewrite !N2Nat.id; case: c.
rewrite /check_concept /concept_statement.
case/andP => /andP[/andP[/andP[/andP[/andP[/andP[/andP[/andP[/andP[/andP[g2 p1] q1] x1] d1] x_f] in_n] in_o] dec] out] top] value.
have [g1 p0 q0 d0] : [/\ (1 < nat_of (k_gamma c))%N, (0 < nat_of (k_num c))%N, (0 < nat_of (k_den c))%N &
    (0 < nat_of (k_value_den c))%N] by clear -g2 p1 q1 d1; split; lia.
have fits : [/\ (0 < nat_of (k_both c) <= nat_of (k_count c))%N,
    (nat_of (k_both c) + nat_of (k_decoys c) <= nat_of (k_records c))%N,
    (nat_of (k_decoys c) <= (nat_of (k_gamma c) - 1) * nat_of (k_count c))%N &
    (nat_of (k_gamma c) * nat_of (k_count c) - (nat_of (k_both c) + nat_of (k_decoys c)) + nat_of (k_records c)
      <= nat_of (k_rows c))%N].
  clear -x1 x_f in_n dec out; split; lia.
have le_in : (nat_of (k_both c) + nat_of (k_decoys c) <= nat_of (k_gamma c) * nat_of (k_count c))%N by clear -in_o; lia.
have := @concept_top (nat_of (k_gamma c)) (nat_of (k_rows c)) (nat_of (k_records c)) (nat_of (k_both c))
  (nat_of (k_count c)) (nat_of (k_decoys c)) (nat_of (k_num c)) (nat_of (k_den c)) (k_top c) (k_value_num c) (k_value_den c)
  g1 q0 (nat_of (k_both c) + nat_of (k_decoys c))
  (nat_of (k_gamma c) * nat_of (k_count c) - (nat_of (k_both c) + nat_of (k_decoys c))).
rewrite eq_c subnKC // -bB -bM -!bD !N2Nat.id => eq_P; move/N.eqb_eq in top; rewrite top in eq_P.
split=> //; first by rewrite /chance divr_gt0 ?ltr0n.
have eq_w : (nat_of (k_gamma c) ^ (nat_of (k_gamma c) * nat_of (k_count c)))%N =
    nat_of (power (k_gamma c) (k_gamma c * k_count c)) by rewrite nat_of_power N2Nat.inj_mul.
rewrite /chance eq_P ler_pdivr_mulr ?ltr0n ?expn_gt0 ?(ltnW g1) // eq_w.
rewrite mulrAC ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
by move: value; clear; move: (power _ _) => w; lia.
Qed.
