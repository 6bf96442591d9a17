(* Claims splu.M1, refuted, and splu.M1c: the transition matrix of a value.

   The probability that the group of a record without v holds v is
   f (g - 1)/(N - f), whatever the plan. Printed is g f/N, which is right
   only at f = N/g and too large below. The smallest case is g = 2, N = 4,
   f = 1: 1/3 against the printed 1/2. The printed matrix gives a mean count
   of f + f (1/g - f/N), the corrected one f.

   Proof: the f groups that hold v have g f places, f of them of v.        *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Mechanism Posterior.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The number of records. *)
Definition records (g : nat) (w : seq (seq nat)) : nat := (g * size w)%N.

Lemma card_place g w : #|{: place g w}| = records g w.
Proof. by rewrite card_prod !card_ord mulnC. Qed.

(* Of the records without v, drawn from the table: the share whose group holds v. *)
Definition decoy_share (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) : rat :=
  share (fun e : place g w * order g w => fits t e.2 && (t e.1 != v)) (fun e => v \in group_at (e.2 e.1)).

(* The same for publishing v. *)
Definition gained_share (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) : rat :=
  share (fun e : place g w * (order g w * draws g w) => fits t e.2.1 && (t e.1 != v))
    (fun e => published e.2 e.1 == v).

(* As printed: equations (6) and (8). *)
Definition printed_decoy_share (g N f : nat) : rat := g%:R * f%:R / N%:R.
Definition printed_gain (N f : nat) : rat := f%:R / N%:R.

Lemma count_others g w (t : place g w -> nat) (v : nat) :
  #|[set x | t x != v]| = (records g w - holders t v)%N.
Proof.
rewrite -card_place -(cardsC [set x | t x == v]) addKn.
by apply: eq_card => x; rewrite !inE.
Qed.

Lemma count_decoys g w (s : order g w) (t : place g w -> nat) (v : nat) : plan_ok g w -> fits t s ->
  #|[set x | (t x != v) && (v \in group_at (s x))]| = (g * holders t v - holders t v)%N.
Proof.
move=> w_ok fit; rewrite {1}(holders_groups v w_ok fit) -(places_groups s).
rewrite (holders_groups v w_ok fit) -(together_own w v) -(together_places v v w_ok fit).
rewrite -(cardsID [set x | t x == v] [set x | v \in group_at (s x)]).
rewrite (_ : [set x | v \in group_at (s x)] :&: [set x | t x == v] = [set x | (t x == v) && (v \in group_at (s x))]).
  by rewrite addKn; apply: eq_card => x; rewrite !inE.
by apply/setP => x; rewrite !inE andbC.
Qed.

Lemma count_outcomes g w (t : place g w -> nat) (S : pred (place g w)) :
  #|[set e : place g w * order g w | fits t e.2 && S e.1]| = (#|[set x | S x]| * #|[set s | fits t s]|)%N.
Proof.
rewrite -cardsX; apply: eq_card => -[x s]; by rewrite !inE /= andbC.
Qed.

Theorem decoy_law (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  decoy_share t v = ((g - 1) * holders t v)%:R / (records g w - holders t v)%:R.
Proof.
move=> g_gt0 w_ok /existsP[s0 fit0]; rewrite /decoy_share /share (count_outcomes t (fun x => t x != v)) count_others.
rewrite (card_pairs (fun x s => fits t s && (t x != v) && (v \in group_at (s x)))).
have -> : (\sum_x #|[set s : order g w | fits t s && (t x != v) && (v \in group_at (s x))]| =
    \sum_(s : order g w | fits t s) #|[set x | (t x != v) && (v \in group_at (s x))]|)%N.
  rewrite (eq_bigr (fun x => \sum_(s : order g w | fits t s) ((t x != v) && (v \in group_at (s x))))%N) => [|x _].
    rewrite exchange_big /=; apply: eq_bigr => s _.
    by rewrite -sum1dep_card [RHS]big_mkcond; apply: eq_bigr => x _; case: (_ && _).
  rewrite -sum1dep_card -big_mkcondr /=; apply: eq_bigl => s; by rewrite andbA.
rewrite (eq_bigr (fun=> (g * holders t v - holders t v)%N)) => [|s fit_s]; last exact: count_decoys.
have o_neq0 := card_neq0 fit0.
rewrite (eq_bigl (fun s => s \in [set s | fits t s])) => [|s]; last by rewrite inE.
have -> : (g * holders t v - holders t v = (g - 1) * holders t v)%N by rewrite mulnBl mul1n.
rewrite sum_nat_const natrM [X in _ / X]natrM [X in _ / X]mulrC.
by rewrite -mulf_div divff ?mul1r.
Qed.

Theorem gained_law (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  gained_share t v = ((g - 1) * holders t v)%:R / (g * (records g w - holders t v))%:R.
Proof.
move=> g_gt0 w_ok /existsP[s0 fit0]; rewrite /gained_share /share.
rewrite (eq_card (B := [set e : place g w * (order g w * draws g w) |
   fits t e.2.1 && (published e.2 e.1 == v) && (t e.1 != v)])); last first.
  by move=> e; rewrite !inE andbAC.
rewrite (@card_published _ _ t (fun x => t x != v) v (g * holders t v - holders t v)) // => [|s]; last exact: count_decoys.
have -> : #|[set e : place g w * (order g w * draws g w) | fits t e.2.1 && (t e.1 != v)]| =
    (#|[set s | fits t s]| * (g ^ #|{: place g w}| * #|[set x | t x != v]|))%N.
  rewrite (_ : [set e | _] = setX [set x | t x != v] (setX [set s | fits t s] setT)).
    by rewrite !cardsX cardsT card_ffun card_ord mulnC mulnA.
  by apply/setP => -[x [s d]]; rewrite !inE andbT andbC.
have G_neq0 : (g ^ #|{: place g w}|)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n expn_gt0 g_gt0.
have o_neq0 := card_neq0 fit0.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
have -> : (g * holders t v - holders t v = (g - 1) * holders t v)%N by rewrite mulnBl mul1n.
rewrite count_others.
move: o_neq0 G_neq0 g_neq0; set F := #|[set s | fits t s]|; set G := (g ^ _)%N; set c := ((g - 1) * _)%N.
set r := (records g w - _)%N; rewrite (natrM _ F) (natrM _ G) (natrM _ g r) !invfM.
move: (r%:R^-1) (c%:R) (F%:R) (G%:R) (g%:R) => ri c' F' G' g' F_neq0 G_neq0 g_neq0.
by field; rewrite F_neq0 G_neq0 g_neq0.
Qed.

(** * The printed matrix *)

Lemma held_at_most g w (s : order g w) (t : place g w -> nat) (v : nat) : plan_ok g w -> fits t s ->
  (holders t v <= size w)%N.
Proof. by move=> w_ok fit; rewrite (holders_groups v w_ok fit) count_size. Qed.

Lemma shares_differ (g N f : nat) : (1 < g)%N -> (0 < f)%N -> (g * f <= N)%N ->
  printed_decoy_share g N f - ((g - 1) * f)%:R / (N - f)%:R =
  f%:R * (N - g * f)%:R / (N * (N - f))%:R.
Proof.
move=> g_gt1 f_gt0 le_N; have lt_f : (f < N)%N by nia.
have N_neq0 : N%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have r_neq0 : N%:R - f%:R != 0 :> rat by rewrite -natrB ?pnatr_eq0; lia.
rewrite /printed_decoy_share !natrM !natrB ?natrM //; try lia.
by field; rewrite N_neq0 r_neq0.
Qed.

(* Right only where every group holds the value, and too large everywhere else. *)
Theorem printed_share_too_large (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (1 < g)%N -> plan_ok g w -> [exists s, fits t s] -> (0 < holders t v < size w)%N ->
  decoy_share t v < printed_decoy_share g (records g w) (holders t v).
Proof.
move=> g_gt1 w_ok fit /andP[f_gt0 lt_w]; rewrite decoy_law // ?(ltnW g_gt1) // -subr_gt0 shares_differ //; last first.
  by rewrite /records leq_mul2l ltnW ?orbT.
have lt_N : (g * holders t v < records g w)%N by rewrite /records ltn_mul2l lt_w (ltnW g_gt1).
by rewrite divr_gt0 ?mulr_gt0 ?ltr0n ?muln_gt0; nia.
Qed.

Theorem printed_share_right_at_the_limit (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (1 < g)%N -> plan_ok g w -> [exists s, fits t s] -> (0 < holders t v)%N -> holders t v = size w ->
  decoy_share t v = printed_decoy_share g (records g w) (holders t v).
Proof.
move=> g_gt1 w_ok fit f_gt0 eq_w; rewrite decoy_law // ?(ltnW g_gt1) //; apply/esym/eqP.
by rewrite -subr_eq0 shares_differ // /records eq_w ?subnn ?mulr0 ?mul0r // -eq_w.
Qed.

Definition smallest_plan : seq (seq nat) := [:: [:: 0; 1]; [:: 2; 3]]%N.
Definition smallest_table : place 2 smallest_plan -> nat := @value_at 2 smallest_plan.

Lemma smallest_fits : [exists s, fits smallest_table s].
Proof. exact: own_values_fit. Qed.
Lemma smallest_count : holders smallest_table 0 = 1%N.
Proof. by have /existsP[s fit] := smallest_fits; rewrite (holders_groups 0 _ fit). Qed.

Theorem smallest_counterexample :
  decoy_share smallest_table 0 = 1 / 3%:R /\ printed_decoy_share 2 (records 2 smallest_plan) (holders smallest_table 0) = 1 / 2%:R.
Proof.
by rewrite (@decoy_law 2 smallest_plan smallest_table 0 isT isT smallest_fits) smallest_count; split; apply/eqP; vm_compute.
Qed.

Theorem printed_share_refuted :
  ~ (forall (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat), (1 < g)%N -> plan_ok g w ->
       [exists s, fits t s] -> (0 < holders t v)%N ->
       decoy_share t v = printed_decoy_share g (records g w) (holders t v)).
Proof.
have held : (0 < holders smallest_table 0)%N by rewrite smallest_count.
move=> /(_ 2%N smallest_plan smallest_table 0%N isT isT smallest_fits held).
by have [-> ->] := smallest_counterexample; move/eqP.
Qed.

(* With fewer than four records the printed share is right. *)
Theorem printed_share_right_below_four_records (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (1 < g)%N -> plan_ok g w -> [exists s, fits t s] -> (0 < holders t v)%N -> (records g w < 4)%N ->
  decoy_share t v = printed_decoy_share g (records g w) (holders t v).
Proof.
move=> g_gt1 w_ok fit f_gt0 lt4; apply: printed_share_right_at_the_limit => //.
have /existsP[s fit_s] := fit; have := held_at_most v w_ok fit_s; rewrite /records in lt4; nia.
Qed.

(** * The mean count that each matrix gives *)

(* f records with the value retain it with 1/g, and N - f others gain it. *)
Definition mean_given (g N f : nat) (gain : rat) : rat := f%:R / g%:R + (N - f)%:R * gain.

Theorem printed_mean (g N f : nat) : (0 < g)%N -> (f <= N)%N -> (0 < N)%N ->
  mean_given g N f (printed_gain N f) = f%:R + f%:R * (g%:R^-1 - f%:R / N%:R).
Proof.
move=> g_gt0 le_N N_gt0; rewrite /mean_given /printed_gain natrB //.
have N_neq0 : N%:R != 0 :> rat by rewrite pnatr_eq0; lia.
by move: (g%:R^-1) => gi; field; rewrite N_neq0.
Qed.

Theorem corrected_mean (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (1 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  mean_given g (records g w) (holders t v) (gained_share t v) = (holders t v)%:R.
Proof.
move=> g_gt1 w_ok fit; have g_gt0 := ltnW g_gt1; have /existsP[s fit_s] := fit.
have le_w := held_at_most v w_ok fit_s; rewrite /mean_given gained_law //.
have [-> | f_gt0] := posnP (holders t v); first by rewrite muln0 !mul0r mulr0 addr0.
have lt_N : (holders t v < records g w)%N by rewrite /records; nia.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have r_neq0 : (records g w - holders t v)%:R != 0 :> rat by rewrite pnatr_eq0; lia.
have -> : ((g - 1) * holders t v)%:R = (g%:R - 1) * (holders t v)%:R :> rat by rewrite natrM natrB.
rewrite natrM; move: r_neq0 g_neq0; move: ((records g w - holders t v)%:R : rat) (g%:R : rat) (_%:R : rat) => r g' f r_neq0 g_neq0.
by field; rewrite g_neq0 r_neq0.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Definition one_group : seq (seq nat) := [:: [:: 0; 1]]%N.
Definition one_table : place 2 one_group -> nat := @value_at 2 one_group.
Lemma one_fits : [exists s, fits one_table s].
Proof. exact: own_values_fit. Qed.
Lemma one_holder : holders one_table 0 = 1%N.
Proof. by have /existsP[s fit] := one_fits; rewrite (holders_groups 0 _ fit). Qed.
Lemma one_held : (0 < holders one_table 0)%N.
Proof. by rewrite one_holder. Qed.
Lemma smallest_below : (0 < holders smallest_table 0 < size smallest_plan)%N.
Proof. by rewrite smallest_count. Qed.

Example decoy_law_applies :
  decoy_share smallest_table 0 =
  ((2 - 1) * holders smallest_table 0)%:R / (records 2 smallest_plan - holders smallest_table 0)%:R.
Proof. exact: (@decoy_law 2 smallest_plan smallest_table 0 isT isT smallest_fits). Qed.

Example gained_law_applies :
  gained_share smallest_table 0 =
  ((2 - 1) * holders smallest_table 0)%:R / (2 * (records 2 smallest_plan - holders smallest_table 0))%:R.
Proof. exact: (@gained_law 2 smallest_plan smallest_table 0 isT isT smallest_fits). Qed.

Example printed_share_too_large_applies :
  decoy_share smallest_table 0 < printed_decoy_share 2 (records 2 smallest_plan) (holders smallest_table 0).
Proof. exact: (@printed_share_too_large 2 smallest_plan smallest_table 0 isT isT smallest_fits smallest_below). Qed.

Example printed_share_right_at_the_limit_applies :
  decoy_share one_table 0 = printed_decoy_share 2 (records 2 one_group) (holders one_table 0).
Proof. exact: (@printed_share_right_at_the_limit 2 one_group one_table 0 isT isT one_fits one_held one_holder). Qed.

Example printed_share_right_below_four_records_applies :
  decoy_share one_table 0 = printed_decoy_share 2 (records 2 one_group) (holders one_table 0).
Proof. exact: (@printed_share_right_below_four_records 2 one_group one_table 0 isT isT one_fits one_held isT). Qed.

Example printed_mean_applies :
  mean_given 2 4 1 (printed_gain 4 1) = 1%:R + 1%:R * (2%:R^-1 - 1%:R / 4%:R).
Proof. exact: (@printed_mean 2 4 1 isT isT isT). Qed.

Example corrected_mean_applies :
  mean_given 2 (records 2 smallest_plan) (holders smallest_table 0) (gained_share smallest_table 0) =
  (holders smallest_table 0)%:R.
Proof. exact: (@corrected_mean 2 smallest_plan smallest_table 0 isT isT smallest_fits). Qed.
