(* Claims splu.POST, splu.DOMc and splu.M1c: what a published value says about a record.

   For a record drawn from the table, the probability of the value u given
   the published value v is c(u, v)/(g f_v), where c(u, v) is the number of
   groups that hold both: 1/g for u = v, and at most 1/g for every u. Given
   all that is published and the groups, it is 1/g for each value of the
   record's group, under every prior that does not change when two records
   of one group exchange their values.

   Proof: a record of u stands in each of the f_u groups of u equally often,
   since exchanging two records of u in an order gives another order. The
   last part: exchanging two records of one group leaves what is seen as
   likely as it was, so all records of a group have v with the same
   probability; just one of the g has it.                                   *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Mechanism.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The groups that hold both. *)
Definition together (w : seq (seq nat)) (u v : nat) : nat :=
  count (fun group => (u \in group) && (v \in group)) w.

Lemma together_own w u : together w u u = groups_of w u.
Proof. by apply: eq_count => group; rewrite /= andbb. Qed.

Lemma together_le w u v : (together w u v <= groups_of w v)%N.
Proof. by apply: sub_count => group /andP[]. Qed.

Lemma together_places g w (s : order g w) t u v : plan_ok g w -> fits t s ->
  #|[set x | (t x == u) && (v \in group_at (s x))]| = together w u v.
Proof.
move=> w_ok /forallP fit.
have -> : #|[set x | (t x == u) && (v \in group_at (s x))]| =
    #|[set x | (value_at (s x) == u) && (v \in group_at (s x))]|.
  by apply: eq_card => x; rewrite !inE (eqP (fit x)).
rewrite (@card_reindex _ s (fun p => (value_at p == u) && (v \in group_at p))).
rewrite (card_pairs (fun (i : 'I_(size w)) (j : 'I_g) =>
  (value_at ((i, j) : place g w) == u) && (v \in nth [::] w i))) /together (count_ord [::]).
apply: eq_bigr => i _; have [size_i uniq_i] := group_ok i w_ok.
case: (v \in nth [::] w i); last first.
  by rewrite andbF; apply: eq_card0 => j; rewrite inE andbF.
rewrite andbT -(card_position u size_i uniq_i).
by apply: eq_card => j; rewrite !inE andbT.
Qed.

Lemma fits_swap g w (t : place g w -> nat) (s : order g w) x y : t x = t y ->
  fits t (tperm x y * s)%g = fits t s.
Proof.
move=> eq_t; have swap (r : order g w) : fits t r -> fits t (tperm x y * r)%g.
  move=> /forallP fit; apply/forallP => z; rewrite permM (eqP (fit _)).
  by case: tpermP => [->|->|] //; rewrite eq_t.
by apply/idP/idP => [/swap|]; [rewrite mulgA tperm2 mul1g | exact: swap].
Qed.

Lemma sum_card (O : finType) (P F : pred O) :
  \sum_(x | P x) (F x)%:R = #|[set x | P x && F x]|%:R :> rat.
Proof.
by rewrite -sum1dep_card natr_sum big_mkcondr; apply: eq_bigr => x _; case: (F x).
Qed.

Lemma sum_same (O : finType) (P : pred O) (c : rat) : \sum_(x | P x) c = #|[set x | P x]|%:R * c.
Proof.
rewrite (eq_bigl (fun x => x \in [set x | P x])) => [|x]; last by rewrite inE.
by rewrite sumr_const -[c *+ _]mulr_natl.
Qed.

Lemma card_neq0 (O : finType) (P : pred O) x : P x -> #|[set x | P x]|%:R != 0 :> rat.
Proof. by move=> P_x; rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists x; rewrite inE. Qed.

(** * The published value of a record whose place is not known *)

Theorem transition_law (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (x : place g w) (v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  share (fun o : order g w * draws g w => fits t o.1) (fun o => published o x == v) =
  (together w (t x) v)%:R / (g * holders t (t x))%:R.
Proof.
move=> g_gt0 w_ok /existsP[s0 fit0].
rewrite (@share_mean _ _ (fun s => fits t s) (fun s d => published (s, d) x == v)
  (fun s => (v \in group_at (s x))%:R / g%:R)) => // [|s _]; last exact: draws_record.
pose F y : rat := \sum_(s : order g w | fits t s) (v \in group_at (s y))%:R.
rewrite -mulr_suml -/(F x).
have same y : t y = t x -> F y = F x.
  move=> eq_t; rewrite /F (reindex_inj (mulgI (tperm x y))) /=.
  apply: eq_big => [s|s _]; first by rewrite fits_swap.
  by rewrite permM tpermR.
have all_F : (holders t (t x))%:R * F x = #|[set s | fits t s]|%:R * (together w (t x) v)%:R.
  transitivity (\sum_(y | t y == t x) F y).
    by rewrite (eq_bigr (fun=> F x)) => [|y /eqP/same] //; rewrite sum_same.
  rewrite /F exchange_big /= -sum_same; apply: eq_bigr => s fit_s.
  by rewrite sum_card together_places.
have h_neq0 : (holders t (t x))%:R != 0 :> rat by apply: (@card_neq0 _ _ x).
have o_neq0 := card_neq0 fit0.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
apply: (mulfI h_neq0); rewrite !mulrA all_F natrM.
by field; rewrite h_neq0 o_neq0 g_neq0.
Qed.

(** * The posterior of one record, drawn from the table *)

Lemma card_published g w (t : place g w -> nat) (S : pred (place g w)) v c : (0 < g)%N -> plan_ok g w ->
  (forall s, fits t s -> #|[set x | S x && (v \in group_at (s x))]| = c) ->
  #|[set e : place g w * (order g w * draws g w) | fits t e.2.1 && (published e.2 e.1 == v) && S e.1]|%:R =
  #|[set s | fits t s]|%:R * (c%:R / g%:R * (g ^ #|{: place g w}|)%:R) :> rat.
Proof.
move=> g_gt0 w_ok cards.
have G_neq0 : (g ^ #|{: place g w}|)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n expn_gt0 g_gt0.
rewrite -sum_same; transitivity (\sum_(x | S x) \sum_(s | fits t s) #|[set d | published (s, d) x == v]|%:R : rat).
  rewrite (card_pairs (fun (x : place g w) (o : order g w * draws g w) => fits t o.1 && (published o x == v) && S x)).
  rewrite natr_sum [RHS]big_mkcond; apply: eq_bigr => x _.
  rewrite (card_pairs (fun s (d : draws g w) => fits t s && (published (s, d) x == v) && S x)).
  case: (S x); last by rewrite big1 // => s _; apply: eq_card0 => d; rewrite inE andbF.
  rewrite natr_sum [RHS]big_mkcond; apply: eq_bigr => s _.
  by case: (fits t s) => /=; [congr (_%:R) | rewrite eq_card0 // => d]; rewrite ?inE //; apply: eq_card => d; rewrite !inE andbT.
rewrite exchange_big /=; apply: eq_bigr => s fit_s.
rewrite (eq_bigr (fun x => (v \in group_at (s x))%:R * ((g ^ #|{: place g w}|)%:R / g%:R))) => [|x _]; last first.
  have := draws_record s x v g_gt0 w_ok; move=> /(canRL (mulfVK G_neq0)) ->.
  by rewrite mulrAC -mulrA.
by rewrite -mulr_suml sum_card cards // mulrA mulrAC.
Qed.

Theorem posterior_of_one_record (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (u v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  share (fun e : place g w * (order g w * draws g w) => fits t e.2.1 && (published e.2 e.1 == v))
    (fun e => t e.1 == u) = (together w u v)%:R / (g * holders t v)%:R.
Proof.
move=> g_gt0 w_ok /existsP[s0 fit0]; rewrite /share.
rewrite (@card_published _ _ t (fun x => t x == u) v (together w u v)) // => [|s]; last exact: together_places.
have -> : #|[set e : place g w * (order g w * draws g w) | fits t e.2.1 && (published e.2 e.1 == v)]|%:R =
    #|[set s | fits t s]|%:R * ((g * holders t v)%:R / g%:R * (g ^ #|{: place g w}|)%:R) :> rat.
  rewrite -(@card_published _ _ t predT v (g * holders t v)) // => [|s fit_s]; last first.
    by rewrite (holders_groups v w_ok fit_s) -(places_groups s).
  by congr (_%:R); apply: eq_card => e; rewrite !inE andbT.
have G_neq0 : (g ^ #|{: place g w}|)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n expn_gt0 g_gt0.
have o_neq0 := card_neq0 fit0.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
rewrite -mulf_div divff // mul1r -mulf_div divff // mulr1.
by rewrite -mulf_div divff ?mulr1 // invr_neq0.
Qed.

(* So 1/g for the published value, and no more for any other. *)
Corollary posterior_of_the_published_value (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] -> (0 < holders t v)%N ->
  share (fun e : place g w * (order g w * draws g w) => fits t e.2.1 && (published e.2 e.1 == v))
    (fun e => t e.1 == v) = g%:R^-1.
Proof.
move=> g_gt0 w_ok fit v_held; rewrite posterior_of_one_record // together_own.
have /existsP[s0 fit0] := fit; rewrite -(holders_groups v w_ok fit0) natrM.
by rewrite invfM mulrCA divff ?mulr1 // pnatr_eq0 -lt0n.
Qed.

Corollary posterior_of_any_value (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (u v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  share (fun e : place g w * (order g w * draws g w) => fits t e.2.1 && (published e.2 e.1 == v))
    (fun e => t e.1 == u) <= g%:R^-1.
Proof.
move=> g_gt0 w_ok fit; have [none | held] := posnP (holders t v).
  by rewrite posterior_of_one_record // none muln0 invr0 mulr0 invr_ge0 ler0n.
rewrite posterior_of_one_record // natrM invfM mulrCA ler_pimulr ?invr_ge0 ?ler0n //.
rewrite ler_pdivr_mulr ?ltr0n // mul1r ler_nat; have /existsP[s0 fit0] := fit.
by rewrite (holders_groups v w_ok fit0) together_le.
Qed.

(* The values that a record published as v can have. *)
Definition possible_values (w : seq (seq nat)) (v : nat) : seq nat :=
  [seq u <- undup (flatten w) | (0 < together w u v)%N].

Theorem few_values_are_possible (g : nat) (w : seq (seq nat)) (v : nat) : plan_ok g w ->
  (size (possible_values w v) <= 1 + (g - 1) * groups_of w v)%N.
Proof.
move=> w_ok; pose others := flatten [seq rem v group | group <- w & v \in group].
have size_others : size others = ((g - 1) * groups_of w v)%N.
  rewrite /others /groups_of; elim: (w) w_ok => [|group rest IH] /=; first by rewrite muln0.
  move=> /andP[/andP[/eqP size_g _] /IH eq_rest]; case: (boolP (v \in group)) => [v_in|_] /=; last by rewrite eq_rest.
  by rewrite size_cat eq_rest size_rem // size_g mulnDr muln1 subn1.
rewrite -size_others -[(1 + _)%N]/(size (v :: others)); apply: uniq_leq_size; first by rewrite filter_uniq ?undup_uniq.
move=> u; rewrite mem_filter -has_count => /andP[/hasP[group in_w /andP[u_in v_in]] _].
rewrite inE; have [//|neq] := eqVneq u v; apply/flattenP; exists (rem v group).
  by apply/mapP; exists group; rewrite // mem_filter v_in.
by rewrite mem_rem_uniq ?inE ?neq //; have /andP[] := allP w_ok group in_w.
Qed.

(** * The posterior given everything that is published, and the groups *)

(* What is seen: the group of each record, and the value that it publishes. *)
Definition seen (g : nat) (w : seq (seq nat)) (h : place g w -> 'I_(size w)) (pub : place g w -> nat)
    (o : order g w * draws g w) : bool :=
  [forall x, ((o.1 x).1 == h x) && (published o x == pub x)].

(* Tables whose values are below m, their prior weights, and Bayes' rule. *)
Definition table (m g : nat) (w : seq (seq nat)) := {ffun place g w -> 'I_m}.
Definition value (m g : nat) (w : seq (seq nat)) (t : table m g w) (x : place g w) : nat := t x.
Definition likelihood (m g : nat) (w : seq (seq nat)) (h : place g w -> 'I_(size w)) (pub : place g w -> nat)
    (t : table m g w) : rat :=
  share (fun o : order g w * draws g w => fits (value t) o.1) (seen h pub).
Definition joint (m g : nat) (w : seq (seq nat)) (prior : table m g w -> rat) (h : place g w -> 'I_(size w))
    (pub : place g w -> nat) (A : pred (table m g w)) : rat :=
  \sum_(t | A t) prior t * likelihood h pub t.

(* The table in which x and y have exchanged their values. *)
Definition exchanged (m g : nat) (w : seq (seq nat)) (x y : place g w) (t : table m g w) : table m g w :=
  [ffun z => t (tperm x y z)].

Lemma exchangedK m g w x y : involutive (@exchanged m g w x y).
Proof. by move=> t; apply/ffunP => z; rewrite !ffunE tpermK. Qed.

Lemma fits_exchanged m g w (x y : place g w) (t : table m g w) (s : order g w) :
  fits (value (exchanged x y t)) (tperm x y * s)%g = fits (value t) s.
Proof.
apply/forallP/forallP => fit z; have := fit (tperm x y z); rewrite permM /value ffunE ?tpermK //.
Qed.

Lemma seen_exchanged g w (x y : place g w) h pub (s : order g w) (d : draws g w) : h x = h y ->
  seen h pub ((tperm x y * s)%g, d) = seen h pub (s, d).
Proof.
move=> eq_h; have same z : h (tperm x y z) = h z by case: tpermP => [->|->|].
have back (r : order g w) : seen h pub (r, d) -> seen h pub ((tperm x y * r)%g, d).
  move=> /forallP each; apply/forallP => z; have /andP[/eqP h_z /eqP <-] := each z.
  have /andP[/eqP h_z' _] := each (tperm x y z); rewrite /= in h_z h_z'.
  by rewrite /published /= permM h_z' h_z same !eqxx.
by apply/idP/idP => [/back|]; [rewrite mulgA tperm2 mul1g | exact: back].
Qed.

Lemma likelihood_exchanged m g w (x y : place g w) h pub (t : table m g w) : h x = h y ->
  likelihood h pub (exchanged x y t) = likelihood h pub t.
Proof.
move=> eq_h; rewrite /likelihood /share; pose move_order (o : order g w * draws g w) := ((tperm x y * o.1)%g, o.2).
have inj : injective move_order by move=> [s d] [s' d'] [/mulgI -> ->].
by congr (_%:R / _%:R); rewrite -[RHS](card_imset _ inj); apply: eq_card => o; rewrite inE;
  apply/idP/imsetP => [fit | [[s d] + ->]];
  rewrite ?inE /= ?fits_exchanged ?seen_exchanged //;
  (exists ((tperm x y * o.1)%g, o.2); last by rewrite /move_order /= mulgA tperm2 mul1g; case: (o));
  rewrite inE /= -(fits_exchanged x y) ?seen_exchanged // mulgA tperm2 mul1g; case: (o) fit.
Qed.

Theorem posterior_given_the_groups (m g : nat) (w : seq (seq nat)) (prior : table m g w -> rat)
    (h : place g w -> 'I_(size w)) (pub : place g w -> nat) (x : place g w) (v : nat) :
  (0 < g)%N -> plan_ok g w ->
  (forall t y z, h y = h z -> prior (exchanged y z t) = prior t) ->
  joint prior h pub predT != 0 -> v \in nth [::] w (h x) ->
  joint prior h pub (fun t => value t x == v) / joint prior h pub predT = g%:R^-1.
Proof.
move=> g_gt0 w_ok exchangeable seen_neq0 v_x.
pose W y := joint prior h pub (fun t => value t y == v).
have same y : h y = h x -> W y = W x.
  move=> eq_h; rewrite /W /joint (reindex_inj (can_inj (@exchangedK m g w y x))) /=.
  apply: eq_big => [t|t _]; first by rewrite /value ffunE tpermL.
  by rewrite exchangeable // likelihood_exchanged.
have place_of (t : table m g w) : likelihood h pub t != 0 -> exists2 s, fits (value t) s & forall y, (s y).1 = h y.
  rewrite /likelihood /share; have [-> | ] := posnP #|[set o | fits (value t) o.1 && seen h pub o]|.
    by rewrite mul0r eqxx.
  by move=> /card_gt0P[o]; rewrite inE => /andP[fit /forallP see] _; exists o.1 => // y; have /andP[/eqP] := see y.
have size_h (s : order g w) : (forall y, (s y).1 = h y) -> #|[set y | h y == h x]| = g.
  move=> see; have -> : #|[set y | h y == h x]| = #|[set y | (s y).1 == h x]|.
    by apply: eq_card => y; rewrite !inE see.
  rewrite (@card_reindex _ s (fun p => p.1 == h x)) (card_pairs (fun (i : 'I_(size w)) (_ : 'I_g) => i == h x)).
  rewrite (bigD1 (h x)) //= big1 => [|i /negbTE neq]; last by apply: eq_card0 => j; rewrite inE neq.
  by rewrite addn0 -[RHS](card_ord g) -cardsT; apply: eq_card => j; rewrite !inE eqxx.
have one (t : table m g w) (s : order g w) : fits (value t) s -> (forall y, (s y).1 = h y) ->
    #|[set y | (h y == h x) && (value t y == v)]| = 1%N.
  move=> /forallP fit see; have -> : #|[set y | (h y == h x) && (value t y == v)]| =
      #|[set y | ((s y).1 == h x) && (value_at (s y) == v)]|.
    by apply: eq_card => y; rewrite !inE see (eqP (fit y)).
  rewrite (@card_reindex _ s (fun p => (p.1 == h x) && (value_at p == v))).
  rewrite (card_pairs (fun (i : 'I_(size w)) (j : 'I_g) => (i == h x) && (value_at ((i, j) : place g w) == v))).
  rewrite (bigD1 (h x)) //= big1 => [|i /negbTE neq]; last by apply: eq_card0 => j; rewrite inE neq.
  have [size_x uniq_x] := group_ok (h x) w_ok; rewrite addn0 -[RHS]/(true : nat) -v_x.
  by rewrite -(card_position v size_x uniq_x); apply: eq_card => j; rewrite !inE eqxx.
have [s0 see0] : exists s : order g w, forall y, (s y).1 = h y.
  have [t t_neq0 | all0] := pickP (fun t : table m g w => likelihood h pub t != 0).
    by have [s _ see] := place_of t t_neq0; exists s.
  by case/eqP: seen_neq0; apply: big1 => t _; have /negbFE/eqP -> := all0 t; rewrite mulr0.
have total : g%:R * W x = joint prior h pub predT.
  transitivity (\sum_(y | h y == h x) W y).
    by rewrite (eq_bigr (fun=> W x)) => [|y /eqP/same] //; rewrite sum_same (size_h s0 see0).
  rewrite /W /joint (exchange_big_dep predT) //=; apply: eq_bigr => t _.
  have [-> | t_neq0] := eqVneq (likelihood h pub t) 0; first by rewrite mulr0 big1.
  have [s fit see] := place_of t t_neq0.
  by rewrite sum_same (one t s fit see) mul1r.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
rewrite -total in seen_neq0 *; rewrite -/(W x); have W_neq0 : W x != 0.
  by apply: contraNneq seen_neq0 => ->; rewrite mulr0.
by rewrite invfM mulrCA divff ?mulr1.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Lemma small_held : (0 < holders small_table 0)%N.
Proof. by rewrite small_holders. Qed.

Example transition_law_applies :
  share (fun o : order 2 small_plan * draws 2 small_plan => fits small_table o.1) (fun o => published o small_record == 1%N) =
  (together small_plan (small_table small_record) 1)%:R / (2 * holders small_table (small_table small_record))%:R.
Proof. exact: (@transition_law 2 small_plan small_table small_record 1 isT isT small_fits). Qed.

Example posterior_of_one_record_applies :
  share (fun e : place 2 small_plan * (order 2 small_plan * draws 2 small_plan) =>
      fits small_table e.2.1 && (published e.2 e.1 == 0%N))
    (fun e => small_table e.1 == 1%N) = (together small_plan 1 0)%:R / (2 * holders small_table 0)%:R.
Proof. exact: (@posterior_of_one_record 2 small_plan small_table 1 0 isT isT small_fits). Qed.

Example posterior_of_the_published_value_applies :
  share (fun e : place 2 small_plan * (order 2 small_plan * draws 2 small_plan) =>
      fits small_table e.2.1 && (published e.2 e.1 == 0%N))
    (fun e => small_table e.1 == 0%N) = 2%:R^-1.
Proof. exact: (@posterior_of_the_published_value 2 small_plan small_table 0 isT isT small_fits small_held). Qed.

Example posterior_of_any_value_applies :
  share (fun e : place 2 small_plan * (order 2 small_plan * draws 2 small_plan) =>
      fits small_table e.2.1 && (published e.2 e.1 == 0%N))
    (fun e => small_table e.1 == 1%N) <= 2%:R^-1.
Proof. exact: (@posterior_of_any_value 2 small_plan small_table 1 0 isT isT small_fits). Qed.

Example few_values_are_possible_applies : (size (possible_values small_plan 0) <= 1 + (2 - 1) * groups_of small_plan 0)%N.
Proof. exact: (@few_values_are_possible 2 small_plan 0 isT). Qed.

(* Every table with values below 3 is equally likely; each record stands in the group of its own place, and
   publishes the first value of the group.                                                                 *)
Definition small_prior : table 3 2 small_plan -> rat := fun=> 1.
Definition small_groups : place 2 small_plan -> 'I_(size small_plan) := fun x => x.1.
Definition small_release : place 2 small_plan -> nat := fun x => @value_at 2 small_plan (x.1, ord0).

Lemma small_exchangeable : forall t y z, small_groups y = small_groups z ->
  small_prior (exchanged y z t) = small_prior t.
Proof. by []. Qed.

Lemma small_seen : joint small_prior small_groups small_release predT != 0.
Proof.
pose t : table 3 2 small_plan := [ffun x => inord (value_at x)].
have t_is x : value t x = value_at x.
  by rewrite /value ffunE inordK //; case: x => -[[|[|i]] lt_i] [[|[|j]] lt_j].
pose o : order 2 small_plan * draws 2 small_plan := (1%g, [ffun=> ord0]).
have fit : fits (value t) o.1 by apply/forallP => x; rewrite perm1 t_is.
have see : seen small_groups small_release o.
  by apply/forallP => x; rewrite /published !perm1 ffunE /small_groups /small_release !eqxx.
have share_ge0 u : 0 <= likelihood small_groups small_release u by rewrite /likelihood /share divr_ge0 ?ler0n.
rewrite gt_eqF // /joint (bigD1 t) //= ltr_paddr ?sumr_ge0 // => [u _|]; rewrite /small_prior mul1r //.
by rewrite /likelihood /share divr_gt0 // ltr0n; apply/card_gt0P; exists o; rewrite inE ?fit.
Qed.

Example posterior_given_the_groups_applies :
  joint small_prior small_groups small_release (fun t => value t small_record == 0%N) /
  joint small_prior small_groups small_release predT = 2%:R^-1.
Proof.
exact: (@posterior_given_the_groups 3 2 small_plan small_prior small_groups small_release small_record 0 isT isT
  small_exchangeable small_seen isT).
Qed.
