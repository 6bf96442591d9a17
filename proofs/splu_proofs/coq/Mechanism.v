(* The mechanism, and the law of what it publishes (claim splu.B).

   A plan is a list of groups of g distinct values each. The records of a table
   are put on the places of the plan: the records of each value on the places
   of that value, every order equally likely. Each record then draws one of
   the g positions of its group, every position equally likely, and publishes
   the value that stands there. An outcome is an order together with a draw
   for each record; a probability is a share of the outcomes.

   Proof: of the records only those whose group holds v can publish it, g f
   records if f have v, each by one of its g draws. For each set of them the
   draws by which these and no others publish v are counted by a product over
   the records; sets of one size have equally many, which gives the binomial
   law.                                                                     *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma sum_subsets (P : finType) (S : {set P}) (F : nat -> nat) :
  (\sum_(K : {set P} | K \subset S) F #|K| = \sum_(k < #|S|.+1) 'C(#|S|, k) * F k)%N.
Proof.
rewrite (partition_big (fun K : {set P} => inord #|K| : 'I_#|S|.+1) predT) //=.
apply: eq_bigr => k _; rewrite -cards_draws -sum_nat_const.
rewrite [RHS](eq_bigl (fun K : {set P} => (K \subset S) && (inord #|K| == k))); last first.
  move=> K; rewrite inE; case sub: (K \subset S) => //=.
  by rewrite -[RHS]val_eqE /= inordK // ltnS subset_leq_card.
apply: eq_bigr => K /andP[/subset_leq_card le_KS /eqP <-].
by rewrite inordK.
Qed.

Lemma card_hits (P : finType) g (K : {set P}) (hit : P -> 'I_g -> bool) :
  #|[set d : {ffun P -> 'I_g} | [set p | hit p (d p)] == K]| = (\prod_p #|[set i | hit p i == (p \in K)]|)%N.
Proof.
have -> : (\prod_p #|[set i | hit p i == (p \in K)]| = \prod_p \sum_i (hit p i == (p \in K)))%N.
  by apply: eq_bigr => p _; rewrite -sum1_card big_mkcond; apply: eq_bigr => i _; rewrite inE; case: eqP.
rewrite bigA_distr_bigA /= -sum1_card big_mkcond; apply: eq_bigr => d _; rewrite inE.
case: eqP => [<- | neq].
  by rewrite big1 // => p _; rewrite inE eqxx.
have [p neq_p | all] := pickP (fun p => hit p (d p) != (p \in K)); last first.
  by case: neq; apply/setP => p; rewrite inE; apply/eqP/negPn; rewrite all.
by rewrite (bigD1 p) //= (negbTE neq_p).
Qed.

Lemma prod_hits (P : finType) g (S K : {set P}) (hit : P -> 'I_g -> bool) :
  (forall p, #|[set i | hit p i]| = (p \in S)) ->
  (\prod_p #|[set i | hit p i == (p \in K)]| = (K \subset S) * (g.-1 ^ (#|S| - #|K|) * g ^ (#|P| - #|S|)))%N.
Proof.
move=> cardS.
have factor p : #|[set i | hit p i == (p \in K)]| = if p \in K then (p \in S : nat) else (g - (p \in S))%N.
  case: (p \in K); first by rewrite -cardS; apply: eq_card => i; rewrite !inE eqb_id.
  rewrite -cardS -[X in (X - _)%N](card_ord g) -(cardsC [set i | hit p i]) addKn.
  by apply: eq_card => i; rewrite !inE eqbF_neg.
under eq_bigr do rewrite factor.
case subKS: (K \subset S); last first.
  have /subsetPn[p pK pS] := negbT subKS.
  by rewrite (bigD1 p) //= pK (negbTE pS).
rewrite mul1n (bigID (mem S)) /=; congr (_ * _)%N; last first.
  rewrite (eq_bigr (fun=> g)) => [|p pS]; last first.
    by rewrite (negbTE pS) subn0 ifN //; apply: contra pS; exact: (subsetP subKS).
  rewrite prod_nat_const -[(#|P| - _)%N](_ : #|~: S| = _); last by rewrite cardsCs setCK.
  by congr (_ ^ _)%N; apply: eq_card => p; rewrite !inE.
rewrite (bigID (mem K)) /= big1 ?mul1n => [|p /andP[-> ->] //].
rewrite (eq_bigr (fun=> g.-1)) => [|p /andP[-> /negbTE->]]; last by rewrite subn1.
rewrite prod_nat_const; congr (_ ^ _)%N.
have -> : (#|S| - #|K| = #|S :\: K|)%N by rewrite cardsD (setIidPr subKS).
by apply: eq_card => p; rewrite !inE andbC.
Qed.

Lemma mass_draws g n k : (0 < g)%N -> (k <= n)%N ->
  mass g n k = ('C(n, k) * g.-1 ^ (n - k))%:R / (g ^ n)%:R.
Proof.
move=> g_gt0 le_kn; have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
have -> : (g ^ n = g ^ k * g ^ (n - k))%N by rewrite -expnD subnKC.
rewrite /mass failureE // /success expr_div_n exprVn !natrM !natrX.
have gk : g%:R ^+ k != 0 :> rat by rewrite expf_neq0.
have gm : g%:R ^+ (n - k) != 0 :> rat by rewrite expf_neq0.
move: gk gm; move: (g%:R ^+ k) (g%:R ^+ (n - k)) (g.-1%:R ^+ (n - k)) => a c d a0 c0.
by field; rewrite a0 c0.
Qed.

Lemma hits_law (P : finType) g (S : {set P}) (hit : P -> 'I_g -> bool) (A : pred nat) : (0 < g)%N ->
  (forall p, #|[set i | hit p i]| = (p \in S)) ->
  #|[set d : {ffun P -> 'I_g} | A #|[set p | hit p (d p)]|]|%:R / (g ^ #|P|)%:R = prob g #|S| A.
Proof.
move=> g_gt0 cardS.
have -> : #|[set d : {ffun P -> 'I_g} | A #|[set p | hit p (d p)]|]| =
    (\sum_(k < #|S|.+1) 'C(#|S|, k) * (A k * (g.-1 ^ (#|S| - k) * g ^ (#|P| - #|S|))))%N.
  rewrite -(sum_subsets S (fun k => A k * (g.-1 ^ (#|S| - k) * g ^ (#|P| - #|S|)))%N).
  rewrite -sum1_card (partition_big (fun d : {ffun P -> 'I_g} => [set p | hit p (d p)]) predT) //=.
  rewrite [RHS]big_mkcond /=; apply: eq_bigr => K _.
  rewrite (_ : (if _ then _ else _) = A #|K| * \prod_p #|[set i | hit p i == (p \in K)]|)%N; last first.
    by rewrite (prod_hits _ cardS); case: (K \subset S); rewrite ?mul1n ?mul0n ?muln0.
  rewrite -card_hits sum1dep_card; case A_K: (A _); rewrite ?mul1n ?mul0n.
    by apply: eq_card => d; rewrite !inE; case: eqP => [->|]; rewrite ?A_K ?andbF.
  by apply: eq_card0 => d; rewrite !inE; case: eqP => [->|]; rewrite ?A_K ?andbF.
have le_S : (#|S| <= #|P|)%N by apply: max_card.
rewrite /prob [RHS]big_mkcond natr_sum mulr_suml; apply: eq_bigr => k _.
case A_k: (A k); last by rewrite mul0n muln0 mul0r.
have -> : (g ^ #|P| = g ^ #|S| * g ^ (#|P| - #|S|))%N by rewrite -expnD subnKC.
rewrite mul1n mass_draws -1?ltnS // mulnA !natrM.
have g_neq0 : g%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
by rewrite -mulf_div divff ?mulr1 // natrX expf_neq0.
Qed.

(** * The mechanism *)

(* A plan is a list of groups, each a list of g distinct values. *)
Definition plan_ok (g : nat) (w : seq (seq nat)) : bool :=
  all (fun group => (size group == g) && uniq group) w.

(* Position j of group i is a place, and a value stands there. There are as many records as places. *)
Definition place (g : nat) (w : seq (seq nat)) := ('I_(size w) * 'I_g)%type.
Definition group_at (g : nat) (w : seq (seq nat)) (p : place g w) : seq nat := nth [::] w p.1.
Definition value_at (g : nat) (w : seq (seq nat)) (p : place g w) : nat := nth 0%N (group_at p) p.2.

(* The order gives each record x of the table t a place of its value. *)
Definition order (g : nat) (w : seq (seq nat)) := {perm place g w}.
Definition fits (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (s : order g w) : bool :=
  [forall x, value_at (s x) == t x].

Definition draws (g : nat) (w : seq (seq nat)) := {ffun place g w -> 'I_g}.
Definition published (g : nat) (w : seq (seq nat)) (o : order g w * draws g w) (x : place g w) : nat :=
  value_at ((o.1 x).1, o.2 x).

(* The share of the outcomes with B that have A. *)
Definition share (O : finType) (B A : pred O) : rat :=
  #|[set o | B o && A o]|%:R / #|[set o | B o]|%:R.

Definition holders (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) : nat := #|[set x | t x == v]|.
Definition published_count (g : nat) (w : seq (seq nat)) (o : order g w * draws g w) (v : nat) : nat :=
  #|[set x | published o x == v]|.

Lemma group_ok g w (i : 'I_(size w)) : plan_ok g w -> size (nth [::] w i) = g /\ uniq (nth [::] w i).
Proof. by move=> /(all_nthP [::])/(_ i (ltn_ord i))/andP[/eqP]. Qed.

Lemma card_position g (gr : seq nat) v : size gr = g -> uniq gr ->
  #|[set i : 'I_g | nth 0%N gr i == v]| = (v \in gr).
Proof.
move=> size_gr uniq_gr; case v_gr: (v \in gr); last first.
  apply: eq_card0 => i; rewrite inE; apply/eqP => v_eq; move: v_gr.
  by rewrite -v_eq mem_nth ?size_gr.
have lt_g : (index v gr < g)%N by rewrite -size_gr index_mem.
rewrite (_ : [set _ | _] = [set Ordinal lt_g]) ?cards1 //; apply/setP => i; rewrite !inE -val_eqE /=.
apply/eqP/eqP => [<-|->]; last by rewrite nth_index.
by rewrite index_uniq ?size_gr.
Qed.

Lemma card_draws_of g w (p : place g w) v : plan_ok g w ->
  #|[set i : 'I_g | value_at ((p.1, i) : place g w) == v]| = (v \in group_at p).
Proof. by move=> /(group_ok p.1)[size_p uniq_p]; exact: card_position. Qed.

Lemma card_reindex (T : finType) (s : {perm T}) (F : pred T) : #|[set x | F (s x)]| = #|[set p | F p]|.
Proof.
rewrite -[RHS](card_imset _ (@perm_inj _ s^-1)); apply: eq_card => x; rewrite inE.
apply/idP/imsetP => [F_x | [p + ->]]; first by exists (s x); rewrite ?inE ?permK.
by rewrite inE permKV.
Qed.

Lemma card_pairs (I J : finType) (F : I -> pred J) :
  #|[set p : I * J | F p.1 p.2]| = (\sum_i #|[set j | F i j]|)%N.
Proof.
rewrite -sum1dep_card -(pair_big_dep predT F (fun _ _ => 1%N)).
by apply: eq_bigr => i _; rewrite sum1dep_card.
Qed.

(* The groups that hold v. *)
Definition groups_of (w : seq (seq nat)) (v : nat) : nat := count (fun group => v \in group) w.

Lemma count_ord (T : Type) (x0 : T) (a : pred T) (s : seq T) :
  count a s = (\sum_(i < size s) a (nth x0 s i))%N.
Proof. by rewrite -sum1_count big_mkcond (big_nth x0) big_mkord; apply: eq_bigr => i _; case: (a _). Qed.

Lemma holders_groups g w (s : order g w) t v : plan_ok g w -> fits t s -> holders t v = groups_of w v.
Proof.
move=> w_ok /forallP fit; rewrite /holders.
have -> : #|[set x | t x == v]| = #|[set x | value_at (s x) == v]|.
  by apply: eq_card => x; rewrite !inE (eqP (fit x)).
rewrite (@card_reindex _ s (fun p => value_at p == v)).
rewrite (card_pairs (fun (i : 'I_(size w)) (j : 'I_g) => value_at ((i, j) : place g w) == v)) /groups_of (count_ord [::]).
by apply: eq_bigr => i _; have [] := group_ok i w_ok; apply: card_position.
Qed.

Lemma places_groups g w (s : order g w) v :
  #|[set x : place g w | v \in group_at (s x)]| = (g * groups_of w v)%N.
Proof.
rewrite (@card_reindex _ s (fun p => v \in group_at p)).
rewrite (card_pairs (fun (i : 'I_(size w)) (_ : 'I_g) => v \in nth [::] w i)) /groups_of (count_ord [::]) big_distrr /=.
apply: eq_bigr => i _; case: (v \in nth [::] w i); rewrite ?muln1 ?muln0.
  by rewrite -[RHS](card_ord g) -cardsT; apply: eq_card => j; rewrite !inE.
by apply: eq_card0 => j; rewrite !inE.
Qed.

(* Given the order: how many of the records with Q publish v, and what one record publishes. *)
Lemma draws_law g w (s : order g w) (Q : pred (place g w)) v A : (0 < g)%N -> plan_ok g w ->
  #|[set d : draws g w | A #|[set x | Q x && (published (s, d) x == v)]|]|%:R / (g ^ #|{: place g w}|)%:R =
  prob g #|[set x | Q x && (v \in group_at (s x))]| A.
Proof.
move=> g_gt0 w_ok.
rewrite -(@hits_law _ _ _ (fun x i => Q x && (value_at (((s x).1, i) : place g w) == v)) _ g_gt0) // => x.
rewrite inE; case: (Q x) => /=; first exact: card_draws_of.
by apply: eq_card0 => i; rewrite inE.
Qed.

Lemma draws_record g w (s : order g w) x v : (0 < g)%N -> plan_ok g w ->
  #|[set d : draws g w | published (s, d) x == v]|%:R / (g ^ #|{: place g w}|)%:R = (v \in group_at (s x))%:R / g%:R :> rat.
Proof.
move=> g_gt0 w_ok; have := draws_law s (pred1 x) v (fun k => k == 1%N) g_gt0 w_ok.
have one (F : pred (place g w)) : #|[set y | (y == x) && F y]| = F x.
  rewrite (_ : [set y | _] = if F x then [set x] else set0); first by case: (F x); rewrite ?cards1 ?cards0.
  by apply/setP => y; case F_x: (F x); rewrite !inE; case: eqP => // ->; rewrite F_x.
rewrite one (eq_card (B := [set d | published (s, d) x == v])) => [->|d]; last first.
  by rewrite !inE one; case: (published _ _ == _).
case: (v \in _); rewrite probE mean_point /mass ?bin1 ?bin_small ?mul0r //.
by rewrite /success subnn !mul1r expr1 expr0 mulr1.
Qed.

(* The mean over the orders, each with its draws. *)
Lemma share_mean g w (B : pred (order g w)) (A : order g w -> pred (draws g w)) (c : order g w -> rat) :
  (0 < g)%N ->
  (forall s, B s -> #|[set d | A s d]|%:R / (g ^ #|{: place g w}|)%:R = c s) ->
  share (fun o : order g w * draws g w => B o.1) (fun o => A o.1 o.2) = (\sum_(s | B s) c s) / #|[set s | B s]|%:R.
Proof.
move=> g_gt0 each.
have G_neq0 : (g ^ #|{: place g w}|)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n expn_gt0 g_gt0.
rewrite /share (card_pairs (fun s d => B s && A s d)) (card_pairs (fun s (_ : draws g w) => B s)).
rewrite (eq_bigr (fun s => B s * #|[set d | A s d]|)%N) => [|s _]; last first.
  case: (B s); rewrite ?mul1n ?mul0n //; by apply: eq_card0 => d; rewrite inE.
rewrite [X in _ / X%:R](eq_bigr (fun s => B s * g ^ #|{: place g w}|)%N) => [|s _]; last first.
  case: (B s); rewrite ?mul1n ?mul0n //; last by apply: eq_card0 => d; rewrite inE.
  transitivity #|{: draws g w}|; last by rewrite card_ffun card_ord.
  by rewrite -cardsT; apply: eq_card => d; rewrite !inE.
rewrite -big_distrl /= natrM natr_sum.
have -> : (\sum_s B s)%N = #|[set s | B s]|.
  by rewrite -sum1dep_card [RHS]big_mkcond; apply: eq_bigr => s _; case: (B s).
rewrite (eq_bigr (fun s => (if B s then c s else 0) * (g ^ #|{: place g w}|)%:R)) => [|s _]; last first.
  rewrite natrM; case B_s: (B s); last by rewrite !mul0r.
  by rewrite -(each s B_s) divfK // mul1r.
by rewrite -mulr_suml -big_mkcond invfM mulrACA divff ?mulr1.
Qed.

Lemma share_const g w (B : pred (order g w)) (A : order g w -> pred (draws g w)) (c : rat) :
  (0 < g)%N -> [exists s, B s] ->
  (forall s, B s -> #|[set d | A s d]|%:R / (g ^ #|{: place g w}|)%:R = c) ->
  share (fun o : order g w * draws g w => B o.1) (fun o => A o.1 o.2) = c.
Proof.
move=> g_gt0 /existsP[s0 B_s0] each; rewrite (share_mean g_gt0 each).
rewrite (eq_bigl (fun s => s \in [set s | B s])) => [|s]; last by rewrite inE.
rewrite sumr_const -[c *+ _]mulr_natr mulfK // pnatr_eq0 -lt0n.
by apply/card_gt0P; exists s0; rewrite inE.
Qed.

(** * The law of the published count *)

Theorem published_count_law (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) (A : pred nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] ->
  share (fun o : order g w * draws g w => fits t o.1) (fun o => A (published_count o v)) = prob g (g * holders t v) A.
Proof.
move=> g_gt0 w_ok fit.
apply: (@share_const _ _ (fun s => fits t s) (fun s d => A (published_count (s, d) v))) => // s fit_s.
rewrite (holders_groups v w_ok fit_s) -(places_groups s).
exact: (@draws_law _ _ s predT).
Qed.

(* Of a set of records that all have v, with any conditions on the order. *)
Theorem published_count_of_holders (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (P : pred (place g w))
    (v : nat) (A : pred nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] -> [forall x, P x ==> (t x == v)] ->
  share (fun o : order g w * draws g w => fits t o.1) (fun o => A #|[set x | P x && (published o x == v)]|) =
  prob g #|[set x | P x]| A.
Proof.
move=> g_gt0 w_ok fit /forallP P_v.
apply: (@share_const _ _ (fun s => fits t s) (fun s d => A #|[set x | P x && (published (s, d) x == v)]|)) => // s.
move=> /forallP fit_s; rewrite draws_law //; congr (prob g _ A); apply: eq_card => x; rewrite !inE.
case P_x: (P x) => //=; have := implyP (P_v x) P_x; rewrite -(eqP (fit_s x)) => /eqP <-.
by rewrite /value_at mem_nth // /group_at; have [->] := group_ok (s x).1 w_ok.
Qed.

(* A record publishes each value of its group with probability 1/g. *)
Theorem published_value_law (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (x : place g w) (i : 'I_(size w))
    (v : nat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s && ((s x).1 == i)] ->
  share (fun o : order g w * draws g w => fits t o.1 && ((o.1 x).1 == i)) (fun o => published o x == v) =
  (v \in nth [::] w i)%:R / g%:R.
Proof.
move=> g_gt0 w_ok fit.
apply: (@share_const _ _ (fun s => fits t s && ((s x).1 == i)) (fun s d => published (s, d) x == v)) => // s.
by move=> /andP[_ /eqP <-]; apply: draws_record.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

(* The table whose records have the values of their places has an order. *)
Lemma own_values_fit g w : [exists s, fits (@value_at g w) s].
Proof. by apply/existsP; exists 1%g; apply/forallP => x; rewrite perm1. Qed.

Definition small_plan : seq (seq nat) := [:: [:: 0; 1]; [:: 0; 2]]%N.
Definition small_table : place 2 small_plan -> nat := @value_at 2 small_plan.
Definition small_group : 'I_(size small_plan) := ord0.
Definition small_record : place 2 small_plan := (small_group, ord0).
Definition small_zeros : pred (place 2 small_plan) := fun x => small_table x == 0%N.

Lemma small_fits : [exists s, fits small_table s].
Proof. exact: own_values_fit. Qed.

Lemma small_zeros_are : [forall x, small_zeros x ==> (small_table x == 0%N)].
Proof. by apply/forallP => x; apply: implybb. Qed.

Lemma small_stands : [exists s, fits small_table s && ((s small_record).1 == small_group)].
Proof. by apply/existsP; exists 1%g; rewrite perm1 eqxx andbT; apply/forallP => x; rewrite perm1. Qed.

Lemma small_holders v : holders small_table v = groups_of small_plan v.
Proof. by have /existsP[s fit] := small_fits; apply: holders_groups fit. Qed.

Example published_count_law_applies :
  share (fun o : order 2 small_plan * draws 2 small_plan => fits small_table o.1)
    (fun o => published_count o 0 == 2%N) = prob 2 (2 * holders small_table 0) (fun k => k == 2%N).
Proof. exact: (@published_count_law 2 small_plan small_table 0 (fun k => k == 2%N) isT isT small_fits). Qed.

Example published_count_of_holders_applies :
  share (fun o : order 2 small_plan * draws 2 small_plan => fits small_table o.1)
    (fun o => #|[set x | small_zeros x && (published o x == 0%N)]| == 1%N) =
  prob 2 #|[set x | small_zeros x]| (fun k => k == 1%N).
Proof.
exact: (@published_count_of_holders 2 small_plan small_table small_zeros 0 (fun k => k == 1%N) isT isT small_fits
  small_zeros_are).
Qed.

Example published_value_law_applies :
  share (fun o : order 2 small_plan * draws 2 small_plan => fits small_table o.1 && ((o.1 small_record).1 == small_group))
    (fun o => published o small_record == 1%N) = (1 \in nth [::] small_plan small_group)%N%:R / 2%:R.
Proof. exact: (@published_value_law 2 small_plan small_table small_record small_group 1 isT isT small_stands). Qed.
