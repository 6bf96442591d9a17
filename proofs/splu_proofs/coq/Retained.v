(* Claims splu.KEEP and splu.POSTp: the most values that can be retained under
   a bound on the belief in single values.

   No operator that lifts no value of prior at most low above high retains a
   share of more than 1 - (1 - high) L of the records, L the share of those
   with such a value. SPLU-Gen with retention p >= 1/g meets the bound
   high = p, and retains p.

   Proof: let a and z be the shares of records that are published with a
   protected value, by whether their own is protected. Of these at most
   high (a + z) are retained, and of the others at most 1 - L - z; a <= L.   *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Mechanism Posterior.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Every operator *)

Definition is_law (T : finType) (f : T -> rat) : Prop := (forall u, 0 <= f u) /\ \sum_u f u = 1.

(* Seeing v lifts no value of prior at most low above high. *)
Definition bounded (T O : finType) (prior : T -> rat) (K : T -> O -> rat) (low high : rat) : Prop :=
  forall u v, prior u <= low -> prior u * K u v <= high * \sum_u' prior u' * K u' v.

(* A value u is published as name u. *)
Theorem most_that_is_retained (T O : finType) (prior : T -> rat) (K : T -> O -> rat) (name : T -> O) (low high : rat) :
  is_law prior -> (forall u, is_law (K u)) -> injective name -> 0 <= high <= 1 -> bounded prior K low high ->
  \sum_u prior u * K u (name u) <= 1 - (1 - high) * \sum_(u | prior u <= low) prior u.
Proof.
move=> [prior_ge0 prior_1] laws inj /andP[high_ge0 high_le1] bound.
pose L := \sum_(u | prior u <= low) prior u.
pose into u := \sum_(v | prior v <= low) K u (name v).
have into_ge0 u : 0 <= into u by apply: sumr_ge0 => v _; have [] := laws u.
have into_le1 (u : T) (S : pred T) : \sum_(v | S v) K u (name v) <= 1.
  have [K_ge0 <-] := laws u; rewrite -(big_imset (K u) (in2W inj)) /=.
  by rewrite [X in _ <= X](bigID (mem [set name v | v in S])) /= ler_addl sumr_ge0.
pose a := \sum_(u | prior u <= low) prior u * into u.
pose z := \sum_(u | ~~ (prior u <= low)) prior u * into u.
have a_le : a <= L by apply: ler_sum => u _; rewrite ler_pimulr // into_le1.
have z_ge0 : 0 <= z by apply: sumr_ge0 => u _; rewrite mulr_ge0.
have rest : 1 - L = \sum_(u | ~~ (prior u <= low)) prior u.
  by rewrite -prior_1 (bigID (fun u => prior u <= low)) /= addrAC subrr add0r.
have protected : \sum_(u | prior u <= low) prior u * K u (name u) <= high * (a + z).
  apply: (@le_trans _ _ (\sum_(v | prior v <= low) high * \sum_u prior u * K u (name v))).
    by apply: ler_sum => u low_u; apply: bound.
  rewrite -mulr_sumr exchange_big /= (bigID (fun u => prior u <= low)) /= /a /z.
  by rewrite (eq_bigr (fun u => prior u * into u)) => [|u _]; rewrite ?mulr_sumr //
     [X in _ * (_ + X) <= _](eq_bigr (fun u => prior u * into u)) => [|u _]; rewrite ?mulr_sumr.
have others : \sum_(u | ~~ (prior u <= low)) prior u * K u (name u) <= 1 - L - z.
  rewrite rest /z -sumrB; apply: ler_sum => u high_u.
  rewrite -[X in _ <= X - _]mulr1 -mulrBr ler_wpmul2l // ler_subr_addr addrC.
  have := into_le1 u (fun v => (prior v <= low) || (v == u)).
  rewrite (bigID (fun v => v == u)) /= addrC (eq_bigl (fun v => prior v <= low)) => [|v]; last first.
    by have [->|neq] := eqVneq v u; rewrite ?(negbTE high_u) ?orbF ?andbT ?andbF.
  rewrite [X in _ + X](big_pred1 u) => [|v]; last by rewrite /=; case: (v == u); rewrite ?orbT ?andbF.
  by rewrite addrC.
rewrite (bigID (fun u => prior u <= low)) /= -/L.
apply: le_trans (ler_add protected others) _.
have slack : 0 <= high * (L - a) + (1 - high) * z by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0.
rewrite -subr_ge0; have -> : 1 - (1 - high) * L - (high * (a + z) + (1 - L - z)) = high * (L - a) + (1 - high) * z.
  by ring.
exact: slack.
Qed.

(* So no operator with this bound retains every value with a larger probability. *)
Corollary least_chance_to_retain (T O : finType) (prior : T -> rat) (K : T -> O -> rat) (name : T -> O) (low high c : rat) :
  is_law prior -> (forall u, is_law (K u)) -> injective name -> 0 <= high <= 1 -> bounded prior K low high ->
  (forall u, c <= K u (name u)) -> c <= 1 - (1 - high) * \sum_(u | prior u <= low) prior u.
Proof.
move=> law laws inj high_in bound le_c; apply: le_trans (most_that_is_retained law laws inj high_in bound).
have [prior_ge0 prior_1] := law; rewrite -[c]mul1r -prior_1 mulr_suml.
by apply: ler_sum => u _; rewrite ler_wpmul2l.
Qed.

(** * SPLU-Gen with retention p, given the plan *)

(* Step 3: a record publishes the value of its own position with p, each other one with (1 - p)/(g - 1). *)
Definition slot (g : nat) (p : rat) (own j : 'I_g) : rat := if j == own then p else (1 - p) / (g%:R - 1).

(* The record is any one of the table: it has u and publishes v; and it publishes v. *)
Definition share_of (g : nat) (w : seq (seq nat)) (p : rat) (u v : nat) : rat :=
  (\sum_(x : place g w | value_at x == u) \sum_(j | value_at ((x.1, j) : place g w) == v) slot p x.2 j) / (g * size w)%:R.
Definition published_share (g : nat) (w : seq (seq nat)) (p : rat) (v : nat) : rat :=
  (\sum_(x : place g w) \sum_(j | value_at ((x.1, j) : place g w) == v) slot p x.2 j) / (g * size w)%:R.

Lemma position (g : nat) (gr : seq nat) v : size gr = g -> uniq gr -> v \in gr ->
  exists a : 'I_g, forall j : 'I_g, (nth 0%N gr j == v) = (j == a).
Proof.
move=> size_gr uniq_gr v_gr; have lt_g : (index v gr < g)%N by rewrite -size_gr index_mem.
exists (Ordinal lt_g) => j; rewrite -val_eqE /=; apply/eqP/eqP => [<-|->]; last exact: nth_index.
by rewrite index_uniq ?size_gr.
Qed.

Lemma no_position (g : nat) (gr : seq nat) v : size gr = g -> v \notin gr ->
  forall j : 'I_g, (nth 0%N gr j == v) = false.
Proof. by move=> size_gr v_gr j; apply: contraNF v_gr => /eqP <-; rewrite mem_nth ?size_gr. Qed.

Lemma slot_total g p (a : 'I_g) : (1 < g)%N -> \sum_j slot p a j = 1.
Proof.
move=> g_gt1; rewrite (bigD1 a) //= /slot eqxx (eq_bigr (fun=> (1 - p) / (g%:R - 1))) => [|j /negbTE-> //].
rewrite sum_same; have -> : #|[set j : 'I_g | j != a]| = (g - 1)%N.
  have := cardsC [set a]; rewrite cards1 card_ord (_ : #|~: [set a]| = #|[set j : 'I_g | j != a]|); first by lia.
  by apply: eq_card => j; rewrite !inE.
have neq : g%:R - 1 != 0 :> rat by rewrite subr_eq0 pnatr_eq1; lia.
by rewrite natrB ?(ltnW g_gt1) // mulrCA divff // mulr1 addrCA subrr addr0.
Qed.

Lemma slot_sym g p (a b : 'I_g) : slot p a b = slot p b a.
Proof. by rewrite /slot eq_sym. Qed.

Lemma share_ofE (g : nat) (w : seq (seq nat)) (p : rat) (u v : nat) : (1 < g)%N -> plan_ok g w ->
  share_of g w p u v = (together w u v)%:R * (if u == v then p else (1 - p) / (g%:R - 1)) / (g * size w)%:R.
Proof.
move=> g_gt1 w_ok; congr (_ / _); set c := if _ then _ else _.
rewrite big_mkcond /= -(pair_bigA _ (fun (i : 'I_(size w)) (k : 'I_g) =>
  if value_at ((i, k) : place g w) == u then \sum_(j | value_at ((i, j) : place g w) == v) slot p k j else 0)) /=.
rewrite /together (count_ord [::]) natr_sum mulr_suml; apply: eq_bigr => i _.
have [size_i uniq_i] := group_ok i w_ok; rewrite -big_mkcond /value_at /group_at /=.
case u_i: (u \in nth [::] w i); last first.
  by rewrite mul0r big_pred0 // => k; apply: no_position; rewrite ?u_i.
have [a is_a] := position size_i uniq_i u_i; rewrite (big_pred1 a) //.
case v_i: (v \in nth [::] w i); last first.
  by rewrite mul0r big_pred0 // => k; apply: no_position; rewrite ?v_i.
have [b is_b] := position size_i uniq_i v_i; rewrite (big_pred1 b) // mul1r /c /slot.
congr (if _ then _ else _); apply/eqP/eqP => [eq_ba | eq_uv].
  by have := is_a a; have := is_b b; rewrite eq_ba !eqxx => /eqP <- /eqP <-.
by apply/eqP; rewrite -is_a eq_uv is_b.
Qed.

Lemma published_shareE (g : nat) (w : seq (seq nat)) (p : rat) (v : nat) : (1 < g)%N -> plan_ok g w ->
  published_share g w p v = (groups_of w v)%:R / (g * size w)%:R.
Proof.
move=> g_gt1 w_ok; congr (_ / _).
rewrite -(pair_bigA _ (fun (i : 'I_(size w)) (k : 'I_g) => \sum_(j | value_at ((i, j) : place g w) == v) slot p k j)) /=.
rewrite /groups_of (count_ord [::]) natr_sum; apply: eq_bigr => i _.
have [size_i uniq_i] := group_ok i w_ok; rewrite /value_at /group_at /=.
case v_i: (v \in nth [::] w i); last first.
  by rewrite big1 // => k _; rewrite big_pred0 // => j; apply: no_position; rewrite ?v_i.
have [b is_b] := position size_i uniq_i v_i.
rewrite (eq_bigr (fun k => slot p b k)) => [|k _]; last by rewrite (big_pred1 b) // slot_sym.
exact: slot_total.
Qed.

(* The posterior of u given v: p for the published value, and at most (1 - p)/(g - 1) for any other. *)
Theorem posterior_at_retention (g : nat) (w : seq (seq nat)) (p : rat) (u v : nat) :
  (1 < g)%N -> plan_ok g w -> (0 < groups_of w v)%N ->
  share_of g w p u v / published_share g w p v =
  (if u == v then p else (1 - p) / (g%:R - 1) * (together w u v)%:R / (groups_of w v)%:R).
Proof.
move=> g_gt1 w_ok v_held; rewrite share_ofE // published_shareE //.
have f_neq0 : (groups_of w v)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
have N_neq0 : (g * size w)%:R != 0 :> rat.
  by rewrite pnatr_eq0 -lt0n muln_gt0 (ltnW g_gt1); apply: leq_trans v_held (count_size _ _).
rewrite invf_div mulrA divfK //; case: eqP => [->|_]; last by rewrite [_%:R * _]mulrC.
by rewrite together_own mulrAC divff ?mul1r.
Qed.

Corollary posterior_at_retention_at_most (g : nat) (w : seq (seq nat)) (p : rat) (u v : nat) :
  (1 < g)%N -> plan_ok g w -> (0 < groups_of w v)%N -> p <= 1 -> u != v ->
  share_of g w p u v / published_share g w p v <= (1 - p) / (g%:R - 1).
Proof.
move=> g_gt1 w_ok v_held p_le1 /negbTE neq; rewrite posterior_at_retention // neq -mulrA ler_pimulr //.
  by rewrite divr_ge0 ?subr_ge0 ?ler1n // ltnW.
by rewrite ler_pdivr_mulr ?ltr0n // mul1r ler_nat together_le.
Qed.

(** * It attains the bound *)

(* The values of the plan are 0, ..., m - 1. *)
Definition plan_over (m : nat) (w : seq (seq nat)) : bool :=
  all (fun v => v < m)%N (flatten w) && all (fun u => (0 < groups_of w u)%N) (iota 0 m).

Definition frequency (g : nat) (w : seq (seq nat)) (u : nat) : rat := (groups_of w u)%:R / (g * size w)%:R.
Definition transition (m g : nat) (w : seq (seq nat)) (p : rat) (u v : 'I_m) : rat :=
  share_of g w p u v / frequency g w u.

Lemma some_records m g w (u : 'I_m) : (1 < g)%N -> plan_over m w -> (0 < groups_of w u)%N /\ (0 < g * size w)%N.
Proof.
move=> g_gt1 /andP[_ /allP held]; have u_held : (0 < groups_of w u)%N by apply: held; rewrite mem_iota add0n /=.
by split=> //; rewrite muln_gt0 (ltnW g_gt1); apply: leq_trans u_held (count_size _ _).
Qed.

Lemma frequency_gt0 m g w (u : 'I_m) : (1 < g)%N -> plan_over m w -> 0 < frequency g w u.
Proof. by move=> g_gt1 over; have [u_held N_gt0] := some_records u g_gt1 over; rewrite divr_gt0 ?ltr0n. Qed.

Lemma share_of_transition m g w p (u v : 'I_m) : (1 < g)%N -> plan_over m w ->
  frequency g w u * transition g w p u v = share_of g w p u v.
Proof. by move=> g_gt1 over; rewrite mulrC divfK // gt_eqF // frequency_gt0. Qed.

Lemma value_below m g w (x : place g w) (j : 'I_g) : plan_ok g w -> plan_over m w ->
  (value_at ((x.1, j) : place g w) < m)%N.
Proof.
move=> w_ok /andP[/allP below _]; apply: below; apply/flattenP; exists (nth [::] w x.1); first exact: mem_nth.
by rewrite mem_nth //; have [->] := group_ok x.1 w_ok.
Qed.

Lemma sum_by_value m g w (x : place g w) (F : 'I_g -> rat) : plan_ok g w -> plan_over m w ->
  \sum_(v < m) \sum_(j | value_at ((x.1, j) : place g w) == v) F j = \sum_j F j.
Proof.
move=> w_ok over; rewrite (exchange_big_dep predT) //=; apply: eq_bigr => j _.
by rewrite (big_pred1 (Ordinal (value_below x j w_ok over))) // => v; rewrite /= -val_eqE /= eq_sym.
Qed.

Theorem transition_is_an_operator (m g : nat) (w : seq (seq nat)) (p : rat) (u : 'I_m) :
  (1 < g)%N -> plan_ok g w -> plan_over m w -> 0 <= p <= 1 -> is_law (@transition m g w p u).
Proof.
move=> g_gt1 w_ok over /andP[p_ge0 p_le1]; have f_gt0 := frequency_gt0 u g_gt1 over.
split=> [v|].
  rewrite /transition share_ofE // mulr_ge0 ?invr_ge0 ?(ltW f_gt0) // divr_ge0 ?ler0n // mulr_ge0 ?ler0n //.
  by case: eqP => _ //; rewrite divr_ge0 ?subr_ge0 ?ler1n // ltnW.
rewrite -mulr_suml; apply: (mulIf (lt0r_neq0 f_gt0)); rewrite divfK ?lt0r_neq0 // mul1r.
rewrite -mulr_suml exchange_big /= /frequency; congr (_ / _).
rewrite (eq_bigr (fun=> 1)) => [|x _]; last by rewrite sum_by_value // slot_total.
rewrite sum_same mulr1; congr (_%:R).
rewrite (card_pairs (fun (i : 'I_(size w)) (j : 'I_g) => value_at ((i, j) : place g w) == u)) /groups_of (count_ord [::]).
by apply: eq_bigr => i _; have [] := group_ok i w_ok; apply: card_position.
Qed.

Theorem frequencies_are_a_law (m g : nat) (w : seq (seq nat)) :
  (1 < g)%N -> plan_ok g w -> plan_over m w -> (0 < m)%N -> is_law (fun u : 'I_m => frequency g w u).
Proof.
move=> g_gt1 w_ok over m_gt0; have [_ N_gt0] := some_records (Ordinal m_gt0) g_gt1 over; split=> [u|].
  by rewrite divr_ge0 ?ler0n.
rewrite -mulr_suml; have N_neq0 : (g * size w)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
apply: (mulIf N_neq0); rewrite divfK // mul1r.
rewrite -natr_sum; congr (_%:R).
transitivity (\sum_(u < m) #|[set x : place g w | value_at x == u]|)%N.
  apply: eq_bigr => u _; rewrite (card_pairs (fun (i : 'I_(size w)) (j : 'I_g) => value_at ((i, j) : place g w) == u)).
  rewrite /groups_of (count_ord [::]).
  by apply: eq_bigr => i _; have [size_i uniq_i] := group_ok i w_ok; rewrite card_position.
rewrite (eq_bigr (fun u : 'I_m => \sum_(x : place g w | value_at x == u) 1)%N) => [|u _]; last by rewrite sum1dep_card.
rewrite (exchange_big_dep predT) //= (eq_bigr (fun=> 1%N)) => [|x _]; last first.
  by case: x => i j; rewrite (big_pred1 (Ordinal (value_below (i, j) j w_ok over))) // => v; rewrite /= -val_eqE /= eq_sym.
by rewrite sum1_card card_prod !card_ord mulnC.
Qed.

(* No value is believed with more than p, and a share of p is retained. *)
Theorem splu_gen_keeps_the_bound (m g : nat) (w : seq (seq nat)) (p low : rat) :
  (1 < g)%N -> plan_ok g w -> plan_over m w -> g%:R^-1 <= p ->
  bounded (fun u : 'I_m => frequency g w u) (@transition m g w p) low p.
Proof.
move=> g_gt1 w_ok over p_ge u v _; rewrite share_of_transition //.
have [_ N_gt0] := some_records u g_gt1 over; have g_gt0 : 0 < g%:R :> rat by rewrite ltr0n ltnW.
have p_gt0 : 0 < p by apply: lt_le_trans p_ge; rewrite invr_gt0.
have -> : \sum_(u' < m) frequency g w u' * transition g w p u' v = published_share g w p v.
  rewrite (eq_bigr (fun u' : 'I_m => share_of g w p u' v)) => [|u' _]; last exact: share_of_transition.
  rewrite -mulr_suml; congr (_ / _); rewrite (exchange_big_dep predT) //=; apply: eq_bigr => x _.
  by case: x => i j; rewrite (big_pred1 (Ordinal (value_below (i, j) j w_ok over))) // => u'; rewrite /= -val_eqE /= eq_sym.
rewrite share_ofE // published_shareE // mulrA ler_wpmul2r ?invr_ge0 ?ler0n //.
apply: (@le_trans _ _ ((together w u v)%:R * p)); last by rewrite mulrC ler_pmul2l // ler_nat together_le.
rewrite ler_wpmul2l ?ler0n //; case: eqP => // _.
rewrite ler_pdivr_mulr ?subr_gt0 ?ltr1n // mulrBr mulr1 ler_subr_addr subrK.
by rewrite -ler_pdivr_mulr // div1r.
Qed.

Theorem splu_gen_retains_p (m g : nat) (w : seq (seq nat)) (p : rat) :
  (1 < g)%N -> plan_ok g w -> plan_over m w -> (0 < m)%N ->
  \sum_(u < m) frequency g w u * transition g w p u u = p.
Proof.
move=> g_gt1 w_ok over m_gt0; rewrite (eq_bigr (fun u : 'I_m => frequency g w u * p)) => [|u _].
  by rewrite -mulr_suml; have [_ ->] := frequencies_are_a_law g_gt1 w_ok over m_gt0; rewrite mul1r.
by rewrite share_of_transition // share_ofE // eqxx together_own /frequency mulrAC.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Definition small_values : finType := [finType of 'I_3].
Definition small_value : 'I_3 := ord0.
Definition small_frequency : 'I_3 -> rat := fun u => frequency 2 small_plan u.
Definition small_operator : 'I_3 -> 'I_3 -> rat := @transition 3 2 small_plan 2%:R^-1.
Definition small_name : 'I_3 -> 'I_3 := id.

Lemma small_law : is_law small_frequency.
Proof. exact: frequencies_are_a_law. Qed.
Lemma small_laws : forall u, is_law (small_operator u).
Proof. by move=> u; exact: transition_is_an_operator. Qed.
Lemma small_names : injective small_name.
Proof. by []. Qed.
Lemma small_bounded : bounded small_frequency small_operator 2%:R^-1 2%:R^-1.
Proof. exact: splu_gen_keeps_the_bound. Qed.
Lemma small_chances : forall u, 0 <= small_operator u (small_name u).
Proof. by move=> u; have [] := small_laws u. Qed.

Example most_that_is_retained_applies :
  \sum_u small_frequency u * small_operator u (small_name u) <=
  1 - (1 - 2%:R^-1) * \sum_(u | small_frequency u <= 2%:R^-1) small_frequency u.
Proof.
exact: (@most_that_is_retained small_values small_values small_frequency small_operator small_name 2%:R^-1 2%:R^-1
  small_law small_laws small_names isT small_bounded).
Qed.

Example least_chance_to_retain_applies :
  0 <= 1 - (1 - 2%:R^-1) * \sum_(u | small_frequency u <= 2%:R^-1) small_frequency u.
Proof.
exact: (@least_chance_to_retain small_values small_values small_frequency small_operator small_name 2%:R^-1 2%:R^-1 0
  small_law small_laws small_names isT small_bounded small_chances).
Qed.

Example posterior_at_retention_applies :
  share_of 2 small_plan 2%:R^-1 1 0 / published_share 2 small_plan 2%:R^-1 0 =
  (1 - 2%:R^-1) / (2%:R - 1) * (together small_plan 1 0)%:R / (groups_of small_plan 0)%:R.
Proof. exact: (@posterior_at_retention 2 small_plan 2%:R^-1 1 0 isT isT isT). Qed.

Example posterior_at_retention_at_most_applies :
  share_of 2 small_plan 2%:R^-1 1 0 / published_share 2 small_plan 2%:R^-1 0 <= (1 - 2%:R^-1) / (2%:R - 1).
Proof. exact: (@posterior_at_retention_at_most 2 small_plan 2%:R^-1 1 0 isT isT isT isT isT). Qed.

Example transition_is_an_operator_applies : is_law (@transition 3 2 small_plan 2%:R^-1 small_value).
Proof. exact: (@transition_is_an_operator 3 2 small_plan 2%:R^-1 small_value isT isT isT isT). Qed.

Example frequencies_are_a_law_applies : is_law (fun u : 'I_3 => frequency 2 small_plan u).
Proof. exact: (@frequencies_are_a_law 3 2 small_plan isT isT isT isT). Qed.

Example splu_gen_keeps_the_bound_applies :
  bounded (fun u : 'I_3 => frequency 2 small_plan u) (@transition 3 2 small_plan 2%:R^-1) 2%:R^-1 2%:R^-1.
Proof. exact: (@splu_gen_keeps_the_bound 3 2 small_plan 2%:R^-1 2%:R^-1 isT isT isT isT). Qed.

Example splu_gen_retains_p_applies :
  \sum_(u < 3) frequency 2 small_plan u * transition 2 small_plan 2%:R^-1 u u = 2%:R^-1.
Proof. exact: (@splu_gen_retains_p 3 2 small_plan 2%:R^-1 isT isT isT isT). Qed.
