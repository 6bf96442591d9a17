(* Claim splu.PB: ProbB <= ProbA.

   The paper estimates f, the number of records of a concept (P, s), by the
   published count of s. ProbA = Pr((1-eps) f <= X <= (1+eps) f) for
   X ~ Bin(g f, 1/g) is the probability of an estimate within eps when no
   other record holds s. ProbB = Pr((1-eps) f <= X + x0 <= (1+eps) f) is the
   same when x0 further instances of s are published on behalf of others.
   (The printed sums run from ceil to floor; as x is whole, that is the same
   range. Nothing bounds eps from above.)

   Proof: moving the window down by one, from [f-w-y, f+w-y] to
   [f-w-y-1, f+w-y-1], exchanges b(f+w-y) for b(f-w-y-1), and the former is
   at least the latter. With A = (g-1) f, b(f+d)/b(f-d-1) is the product over
   -d <= i <= d of (A+1-i)/(A+(g-1)i); i and -i together give
   ((A+1)^2 - i^2)/(A^2 - (g-1)^2 i^2) >= 1.                              *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Is the count x within eps of f, that is, (1-eps) f <= x <= (1+eps) f? *)
Definition within (f : nat) (eps : rat) (x : nat) : bool :=
  (1 - eps) * f%:R <= x%:R <= (1 + eps) * f%:R.

(** * The law is heavier above f than below *)

(* A^2 - (g-1)^2 i^2 <= (A+1)^2 - i^2 for A = (g-1) f, where g = t + 2 and
   f = u + i, and both sides are factored. *)
Lemma pair_weights t u i :
  ((u + i + i) * t.+1 * (u * t.+1)
    <= (t.+1 * u + t * i + 1) * (t.+1 * u + t.+2 * i + 1))%N.
Proof.
pose rest := (t * t.+2 * (i * i) + 2 * (t.+1 * u) + 2 * (t.+1 * i) + 1)%N.
rewrite [X in (_ <= X)%N](_ : _ = (u + i + i) * t.+1 * (u * t.+1) + rest)%N ?leq_addr //.
by rewrite /rest; lia.
Qed.

(* b(g f; f - d - 1) <= b(g f; f + d). *)
Lemma mass_pair g e d : (1 < g)%N ->
  mass g (g * (e + d.+1)) e <= mass g (g * (e + d.+1)) (e + d.+1 + d).
Proof.
move=> g_gt1; have g_gt0 := ltnW g_gt1.
elim: d e => [|d IHd] e; first by rewrite addn0 addn1 mass_rises_below_f.
rewrite addnS -addSn; set n := (g * _)%N.
have up := mass_next n (e.+1 + d.+1 + d) g_gt0.
have down := mass_next n e g_gt0.
have := IHd e.+1; rewrite -/n => middle.
set u := mass g n (e.+1 + d.+1 + d).+1 in up.
rewrite [(e.+1 + _ + d.+1)%N]addnS -/u.
set a := ((e.+1 + d.+1 + d).+1 * g.-1)%N in up.
set b := (n - (e.+1 + d.+1 + d))%N in up.
set c := (e.+1 * g.-1)%N in down.
set h := (n - e)%N in down.
have c_gt0 : (0 < c)%N by rewrite /c; nia.
have a_gt0 : (0 < a)%N by rewrite /a; nia.
have le_weights : (a * c <= b * h)%N.
  case eq_g: g g_gt1 => [|[|t]] // _.
  have -> : a = ((e.+1 + d.+1 + d.+1) * t.+1)%N by rewrite /a eq_g /=; lia.
  have -> : c = (e.+1 * t.+1)%N by rewrite /c eq_g.
  have -> : b = (t.+1 * e.+1 + t * d.+1 + 1)%N by rewrite /b /n eq_g; lia.
  have -> : h = (t.+1 * e.+1 + t.+2 * d.+1 + 1)%N by rewrite /h /n eq_g; lia.
  exact: pair_weights.
apply: (@le_trans _ _ u) => //.
have ac_gt0 : 0 < (a * c)%:R :> rat by rewrite ltr0n muln_gt0 a_gt0.
rewrite -(ler_pmul2l ac_gt0).
apply: (@le_trans _ _ ((b * h)%:R * mass g n e)).
  by rewrite ler_wpmul2r ?mass_ge0 // ler_nat.
rewrite (natrM _ a c) (natrM _ b h) -[X in X <= _]mulrA -down [X in _ <= X]mulrAC up.
rewrite [X in X <= _]mulrA [X in _ <= X]mulrAC.
by rewrite ler_wpmul2l ?mulr_ge0 ?ler0n.
Qed.

(** * Moving the window *)

(* The window [f - w, f + w], for counts that lie y too high. *)
Definition window (f w y x : nat) : bool := ((f <= x + y + w) && (x + y <= f + w))%N.

Lemma mean_indicator g n (A : pred nat) a : (forall x, A x = (x == a)) ->
  prob g n A = mass g n a.
Proof. by move=> eq_A; rewrite (eq_prob _ _ eq_A) probE mean_point. Qed.

Lemma window_shift g f w y : (1 < g)%N ->
  prob g (g * f) (window f w y.+1) <= prob g (g * f) (window f w y).
Proof.
move=> g_gt1; set n := (g * f)%N.
pose gained x := (x + y + w.+1 == f)%N; pose lost x := (x + y == f + w)%N.
have exchange : prob g n (window f w y.+1) + prob g n lost =
                prob g n (window f w y) + prob g n gained.
  rewrite !probE -!meanD; apply: eq_mean => x.
  by rewrite -!natrD /window /gained /lost; congr (_%:R); lia.
suff le_gl : prob g n gained <= prob g n lost.
  by rewrite -(ler_add2r (prob g n lost)) exchange ler_add2l.
have [lt_f | le_f] := ltnP f (y + w.+1).
  rewrite [X in X <= _](_ : _ = 0) ?prob_ge0 //.
  by rewrite /prob big_pred0 // => x; rewrite /gained; lia.
rewrite (@mean_indicator _ _ gained (f - (y + w.+1))%N) => [|x]; last by rewrite /gained; lia.
rewrite (@mean_indicator _ _ lost (f + w - y)%N) => [|x]; last by rewrite /lost; lia.
have [lt_wy | le_yw] := ltnP w y.
  by apply: mass_monotone_below_f => //; lia.
pose e := (f - (w - y).+1)%N.
apply: (@le_trans _ _ (mass g n e)).
  by apply: mass_monotone_below_f => //; rewrite /e; lia.
have eq_f : (e + (w - y).+1 = f)%N by rewrite /e; lia.
have eq_top : (f + (w - y) = f + w - y)%N by lia.
by have := mass_pair e (w - y) g_gt1; rewrite eq_f eq_top.
Qed.

Lemma window_shifts g f w y : (1 < g)%N ->
  prob g (g * f) (window f w y) <= prob g (g * f) (window f w 0).
Proof.
by move=> g_gt1; elim: y => // y IHy; apply: le_trans IHy; apply: window_shift.
Qed.

(** * From whole windows to eps *)

(* A rational r >= 0 has a floor. *)
Lemma floor_exists (r : rat) : 0 <= r -> exists w : nat, forall m : nat,
  (m%:R <= r) = (m <= w)%N.
Proof.
move=> r_ge0; have := numq_ge0 r; rewrite r_ge0.
case eq_num: (numq r) => [a|//] _; case eq_den: (denq r) (denq_gt0 r) => [d|//] d_gt0.
exists (a %/ d)%N => m; rewrite leq_divRL // -[r]divq_num_den eq_num eq_den.
by rewrite ler_pdivl_mulr ?ltr0n // -natrM ler_nat.
Qed.

Lemma within_window f eps : 0 <= eps -> exists w, forall x y,
  within f eps (x + y) = window f w y x.
Proof.
move=> eps_ge0; have [|w floor_w] := @floor_exists (eps * f%:R).
  by rewrite mulr_ge0 ?ler0n.
exists w => x y; rewrite /within /window mulrBl mulrDl mul1r; congr (_ && _).
  rewrite ler_subl_addr -ler_subl_addl; have [le_f | lt_f] := leqP f (x + y).
    rewrite (le_trans (y := 0)) ?subr_le0 ?ler_nat ?mulr_ge0 ?ler0n //; lia.
  by rewrite -(natrB _ (ltnW lt_f)) floor_w; lia.
rewrite -ler_subl_addl; have [lt_f | le_f] := ltnP (x + y) f.
  rewrite (le_trans (y := 0)) ?subr_le0 ?ler_nat ?mulr_ge0 ?ler0n //; lia.
by rewrite -natrB // floor_w; lia.
Qed.

(** * The theorems *)

(* ProbB <= ProbA for x0 further published instances. *)
Theorem probB_le_probA (g f x0 : nat) (eps : rat) : (1 < g)%N -> 0 < eps ->
  prob g (g * f) (fun x => within f eps (x + x0))
    <= prob g (g * f) (fun x => within f eps x).
Proof.
move=> g_gt1 /ltW eps_ge0; have [w within_w] := within_window f eps_ge0.
rewrite (@eq_prob _ _ _ (window f w x0)) => [|x]; last by rewrite within_w.
rewrite [X in _ <= X](@eq_prob _ _ _ (window f w 0)) => [|x]; last by rewrite -within_w addn0.
exact: window_shifts.
Qed.

(* The same when the further instances are random: m further trials, such as
   the m = g * r of r other records that hold s. *)
Theorem further_trials_do_not_help (g f m : nat) (eps : rat) : (1 < g)%N -> 0 < eps ->
  prob g (g * f + m) (within f eps) <= prob g (g * f) (within f eps).
Proof.
move=> g_gt1 eps_gt0; have g_gt0 := ltnW g_gt1.
suff any_shift y : prob g (g * f + m) (fun x => within f eps (x + y))
    <= prob g (g * f) (within f eps).
  have := any_shift 0%N; rewrite (@eq_prob _ _ _ (within f eps)) // => x.
  by rewrite addn0.
elim: m y => [|m IHm] y; first by rewrite addn0 probB_le_probA.
set bound := prob _ (g * f) _.
have -> : bound = failure g * bound + success g * bound.
  by rewrite -mulrDl addrC success_failure mul1r.
rewrite addnS prob_trial ler_add // ler_wpmul2l //.
- exact/ltW/failure_gt0.
- exact/ltW/success_gt0.
rewrite (@eq_prob _ _ _ (fun x => within f eps (x + y.+1))) // => x.
by rewrite /= addnS addSn.
Qed.

Corollary other_records_do_not_help (g f r : nat) (eps : rat) : (1 < g)%N -> 0 < eps ->
  prob g (g * (f + r)) (within f eps) <= prob g (g * f) (within f eps).
Proof. by move=> *; rewrite mulnDr further_trials_do_not_help. Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example probB_le_probA_applies :
  prob 3 (3 * 2) (fun x => within 2 2%:R^-1 (x + 1)) <= prob 3 (3 * 2) (fun x => within 2 2%:R^-1 x).
Proof. exact: (@probB_le_probA 3 2 1 2%:R^-1 isT isT). Qed.

Example further_trials_do_not_help_applies :
  prob 3 (3 * 2 + 4) (within 2 2%:R^-1) <= prob 3 (3 * 2) (within 2 2%:R^-1).
Proof. exact: (@further_trials_do_not_help 3 2 4 2%:R^-1 isT isT). Qed.

Example other_records_do_not_help_applies :
  prob 3 (3 * (2 + 1)) (within 2 2%:R^-1) <= prob 3 (3 * 2) (within 2 2%:R^-1).
Proof. exact: (@other_records_do_not_help 3 2 1 2%:R^-1 isT isT). Qed.
