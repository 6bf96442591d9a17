(* Claim splu.L3, refuted: a guarantee for a value does not pass to the
   conjunction of the value with a predicate P.

   If all n records of P have the value, the reconstruction is n, exactly
   right, as soon as n/g of them are published with it. With g = 2 and two
   records of the value, both in P, in a table of ten, the count of the value
   is wrong with probability 5/8 for eps <= 1/2, and that of the conjunction
   with 1/4.                                                                *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Mechanism.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * The estimates *)

Definition clip (n : nat) (x : rat) : rat := Num.max 0 (Num.min x n%:R).

(* The estimate of a conjunction of n records from N, of which y are published with the value, as F of all
   are: by the corrected matrix, and by the printed one at the share phi that its iteration ends at. *)
Definition corrected_estimate (g N n F y : nat) : rat :=
  clip n ((g%:R * (N%:R - F%:R) * y%:R - n%:R * F%:R * (g%:R - 1)) / (N%:R - g%:R * F%:R)).
Definition printed_estimate (g n : nat) (phi : rat) (y : nat) : rat :=
  clip n ((y%:R - n%:R * phi) / (g%:R^-1 - phi)).

Lemma clip_top n x : n%:R <= x -> clip n x = n%:R.
Proof. by move=> le_n; rewrite /clip min_r // max_r ?ler0n. Qed.

Lemma clip_bottom n x : x <= 0 -> clip n x = 0.
Proof. by move=> le_0; rewrite /clip min_l ?max_l // (le_trans le_0) ?ler0n. Qed.

(* As soon as n/g of the n records are published with the value, the estimate is n. *)
Theorem corrected_estimate_whole (g N n F y : nat) : (0 < g)%N -> (g * F < N)%N -> (n <= g * y)%N ->
  corrected_estimate g N n F y = n%:R.
Proof.
move=> g_gt0 lt_N le_n; apply: clip_top.
have den_gt0 : 0 < N%:R - g%:R * F%:R :> rat by rewrite subr_gt0 -natrM ltr_nat.
rewrite ler_pdivl_mulr // -subr_ge0.
have -> : g%:R * (N%:R - F%:R) * y%:R - n%:R * F%:R * (g%:R - 1) - n%:R * (N%:R - g%:R * F%:R) =
    (N%:R - F%:R) * (g%:R * y%:R - n%:R) :> rat by ring.
rewrite mulr_ge0 // subr_ge0; last by rewrite -natrM ler_nat.
by rewrite ler_nat; nia.
Qed.

Theorem printed_estimate_whole (g n y : nat) (phi : rat) : (0 < g)%N -> phi < g%:R^-1 -> (n <= g * y)%N ->
  printed_estimate g n phi y = n%:R.
Proof.
move=> g_gt0 lt_phi le_n; apply: clip_top; have g_gt0' : 0 < g%:R :> rat by rewrite ltr0n.
rewrite ler_pdivl_mulr ?subr_gt0 // -subr_ge0.
have -> : y%:R - n%:R * phi - n%:R * (g%:R^-1 - phi) = y%:R - n%:R / g%:R by ring.
by rewrite subr_ge0 ler_pdivr_mulr // -natrM ler_nat mulnC.
Qed.

(* None published: the estimate is 0. *)
Lemma corrected_estimate_none g N n F : (0 < g)%N -> (g * F < N)%N -> corrected_estimate g N n F 0 = 0.
Proof.
move=> g_gt0 lt_N; apply: clip_bottom; rewrite mulr0 sub0r mulNr oppr_le0.
rewrite divr_ge0 ?mulr_ge0 ?ler0n ?subr_ge0 ?ler1n // -natrM ler_nat ltnW //.
Qed.

(** * The error of a conjunction *)

(* Records of P that publish v, and the error of the estimate of those of P that have v. *)
Definition published_in (g : nat) (w : seq (seq nat)) (P : pred (place g w)) (v : nat)
    (o : order g w * draws g w) : nat := #|[set x | P x && (published o x == v)]|.
Definition conjunction_error (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (P : pred (place g w)) (v : nat)
    (eps : rat) : rat :=
  share (fun o : order g w * draws g w => fits t o.1) (fun o =>
    let x3 := #|[set x | P x && (t x == v)]| in
    eps * x3%:R <= `|corrected_estimate g (g * size w) #|[set x | P x]| (published_count o v) (published_in P v o) - x3%:R|).

(* The error of the count of v, estimated by its published count. *)
Definition count_error (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (v : nat) (eps : rat) : rat :=
  share (fun o : order g w * draws g w => fits t o.1) (fun o => off (holders t v) eps (published_count o v)).

Lemma share_same (O : finType) (B A A' : pred O) : (forall o, B o -> A o = A' o) -> share B A = share B A'.
Proof.
move=> same; rewrite /share; congr (_%:R / _); apply: eq_card => o; rewrite !inE.
by case B_o: (B o) => //=; apply: same.
Qed.

Lemma share_le (O : finType) (B A A' : pred O) : (forall o, B o -> A o -> A' o) -> share B A <= share B A'.
Proof.
move=> sub; rewrite /share ler_wpmul2r ?invr_ge0 ?ler0n // ler_nat.
by apply: subset_leq_card; apply/subsetP => o; rewrite !inE => /andP[B_o A_o]; rewrite B_o sub.
Qed.

Lemma published_at_most g w (t : place g w -> nat) (v : nat) (o : order g w * draws g w) :
  plan_ok g w -> fits t o.1 -> (published_count o v <= g * holders t v)%N.
Proof.
move=> w_ok fit; rewrite (holders_groups v w_ok fit) -(places_groups o.1).
apply: subset_leq_card; apply/subsetP => x; rewrite !inE => /eqP <-.
by rewrite /published /value_at mem_nth // /group_at; have [->] := group_ok (o.1 x).1 w_ok.
Qed.

(* If all records of P have v, a rare value, the estimate errs only where fewer than n/g are published. *)
Theorem pure_error_at_most (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (P : pred (place g w)) (v : nat) (eps : rat) :
  (0 < g)%N -> plan_ok g w -> [exists s, fits t s] -> [forall x, P x ==> (t x == v)] ->
  (g * (g * holders t v) < g * size w)%N -> (0 < #|[set x | P x]|)%N -> 0 < eps ->
  conjunction_error t P v eps <= prob g #|[set x | P x]| (fun y => g * y < #|[set x | P x]|)%N.
Proof.
move=> g_gt0 w_ok fit pure rare n_gt0 eps_gt0.
rewrite -(published_count_of_holders (fun y => g * y < #|[set x | P x]|)%N g_gt0 w_ok fit pure).
have -> : conjunction_error t P v eps = share (fun o : order g w * draws g w => fits t o.1) (fun o =>
    eps * #|[set x | P x]|%:R <= `|corrected_estimate g (g * size w) #|[set x | P x]| (published_count o v)
      (published_in P v o) - #|[set x | P x]|%:R|).
  rewrite /conjunction_error /= (_ : #|[set x | P x && (t x == v)]| = #|[set x | P x]|) //.
  by apply: eq_card => x; rewrite !inE; case P_x: (P x) => //=; apply: (implyP (forallP pure x)).
apply: share_le => o fit_o err; rewrite ltnNge; apply/negP => enough; move: err.
rewrite corrected_estimate_whole //; last first.
  by apply: leq_ltn_trans rare; rewrite leq_mul2l published_at_most ?orbT.
by rewrite subrr normr0 leNgt mulr_gt0 // ltr0n.
Qed.

(* A group of at most g records, all with v: wrong only if none is published. *)
Theorem small_pure_error_at_most (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (P : pred (place g w)) (v : nat) (eps : rat) :
  (1 < g)%N -> plan_ok g w -> [exists s, fits t s] -> [forall x, P x ==> (t x == v)] ->
  (g * (g * holders t v) < g * size w)%N -> (0 < #|[set x | P x]| <= g)%N -> 0 < eps ->
  conjunction_error t P v eps <= failure g ^+ #|[set x | P x]|.
Proof.
move=> g_gt1 w_ok fit pure rare /andP[n_gt0 le_n] eps_gt0; have g_gt0 := ltnW g_gt1.
apply: le_trans (pure_error_at_most g_gt0 w_ok fit pure rare n_gt0 eps_gt0) _.
rewrite (@eq_prob _ _ _ (fun y => y == 0)%N) => [|y]; last by nia.
by rewrite probE mean_point /mass bin0 expr0 !mul1r subn0.
Qed.

(** * The counterexample *)

(* Two records with the value 0 among ten. *)
Definition ten_records : seq (seq nat) := [:: [:: 0; 1]; [:: 0; 2]; [:: 3; 4]; [:: 5; 6]; [:: 7; 8]]%N.
Definition their_values : place 2 ten_records -> nat := @value_at 2 ten_records.
Definition with_zero : pred (place 2 ten_records) := fun x => their_values x == 0%N.

Lemma ten_fit : [exists s, fits their_values s].
Proof. exact: own_values_fit. Qed.

Lemma two_zeros : holders their_values 0 = 2%N.
Proof. by have /existsP[s fit] := ten_fit; rewrite (holders_groups 0 _ fit). Qed.

Lemma zeros_have_zero : [forall x, with_zero x ==> (their_values x == 0%N)].
Proof. by apply/forallP => x; apply: implybb. Qed.

Theorem count_error_of_two (eps : rat) : 0 < eps <= 1 / 2%:R -> count_error their_values 0 eps = 5%:R / 8%:R.
Proof.
move=> /andP[eps_gt0 le_eps]; rewrite /count_error two_zeros.
rewrite (@published_count_law 2 ten_records their_values 0 (off 2 eps) isT isT ten_fit) two_zeros.
have off_two x : off 2 eps x = (x != 2)%N.
  rewrite /off; have le_1 : eps * 2%:R <= 1 by rewrite -ler_pdivl_mulr.
  have [->|neq] := eqVneq x 2%N; first by rewrite subrr normr0 leNgt mulr_gt0.
  apply/(le_trans le_1); have [le_2x | lt_x2] := leqP 2 x.
    by rewrite -natrB // normr_nat ler1n; lia.
  by rewrite distrC -natrB 1?ltnW // normr_nat ler1n; lia.
rewrite (eq_prob _ _ off_two) /prob big_mkcond !big_ord_recl big_ord0 /=.
by rewrite /mass /success /failure; apply/eqP; vm_compute.
Qed.

Theorem conjunction_error_of_two (eps : rat) : 0 < eps <= 1 -> conjunction_error their_values with_zero 0 eps = 1 / 4%:R.
Proof.
move=> /andP[eps_gt0 le_eps]; have fit := ten_fit.
have two : #|[set x | with_zero x]| = 2%N := two_zeros.
have -> : 1 / 4%:R = prob 2 #|[set x | with_zero x]| (fun y => y == 0)%N.
  by rewrite two probE mean_point; apply/eqP; vm_compute.
rewrite -(published_count_of_holders (fun y => y == 0)%N _ _ fit zeros_have_zero) //.
rewrite /conjunction_error /= two (_ : #|[set x | with_zero x && (their_values x == 0)%N]| = 2%N); last first.
  by apply: etrans two; apply: eq_card => x; rewrite !inE /with_zero andbb.
apply: share_same => o fit_o.
have few : (2 * @published_count 2 ten_records o 0 < 2 * 5)%N.
  by have := @published_at_most 2 ten_records their_values 0 o isT fit_o; rewrite two_zeros; lia.
rewrite -/(@published_in 2 ten_records with_zero 0 o); case: posnP => [-> | some].
  by rewrite corrected_estimate_none // sub0r normrN normr_nat ler_pimull ?ler0n.
rewrite corrected_estimate_whole //; last by lia.
by rewrite subrr normr0; apply/negbTE; rewrite -ltNge mulr_gt0.
Qed.

Theorem guarantee_for_conjunctions_refuted :
  ~ (forall (g : nat) (w : seq (seq nat)) (t : place g w -> nat) (P : pred (place g w)) (v : nat) (eps level : rat),
       (1 < g)%N -> plan_ok g w -> [exists s, fits t s] -> 0 < eps ->
       level <= count_error t v eps -> level <= conjunction_error t P v eps).
Proof.
move=> /(_ 2%N ten_records their_values with_zero 0%N (1 / 2%:R) (5%:R / 8%:R) isT isT ten_fit isT).
rewrite (@count_error_of_two (1 / 2%:R) isT) (@conjunction_error_of_two (1 / 2%:R) isT) => /(_ (lexx _)).
by apply/negP; vm_compute.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Lemma zeros_are_rare : (2 * (2 * holders their_values 0) < 2 * size ten_records)%N.
Proof. by rewrite two_zeros. Qed.
Lemma zeros_are_there : (0 < #|[set x | with_zero x]|)%N.
Proof. exact: (etrans (congr1 (leq 1) two_zeros)). Qed.
Lemma zeros_are_few : (0 < #|[set x | with_zero x]| <= 2)%N.
Proof. by rewrite zeros_are_there; exact: (eq_leq two_zeros). Qed.

Example corrected_estimate_whole_applies : corrected_estimate 2 10 2 3 1 = 2%:R.
Proof. exact: (@corrected_estimate_whole 2 10 2 3 1 isT isT isT). Qed.

Example printed_estimate_whole_applies : printed_estimate 2 2 3%:R^-1 1 = 2%:R.
Proof. exact: (@printed_estimate_whole 2 2 1 3%:R^-1 isT isT isT). Qed.

Example pure_error_at_most_applies :
  conjunction_error their_values with_zero 0 1 <= prob 2 #|[set x | with_zero x]| (fun y => 2 * y < #|[set x | with_zero x]|)%N.
Proof.
exact: (@pure_error_at_most 2 ten_records their_values with_zero 0 1 isT isT ten_fit zeros_have_zero zeros_are_rare
  zeros_are_there isT).
Qed.

Example small_pure_error_at_most_applies :
  conjunction_error their_values with_zero 0 1 <= failure 2 ^+ #|[set x | with_zero x]|.
Proof.
exact: (@small_pure_error_at_most 2 ten_records their_values with_zero 0 1 isT isT ten_fit zeros_have_zero zeros_are_rare
  zeros_are_few isT).
Qed.

Example count_error_of_two_applies : count_error their_values 0 2%:R^-1 = 5%:R / 8%:R.
Proof. exact: (@count_error_of_two 2%:R^-1 isT). Qed.

Example conjunction_error_of_two_applies : conjunction_error their_values with_zero 0 2%:R^-1 = 1 / 4%:R.
Proof. exact: (@conjunction_error_of_two 2%:R^-1 isT). Qed.
