(* Claims splu.L2 and splu.T4: the level of small-sum privacy.

   One minus the printed sum over (1-eps) f <= x <= (1+eps) f is the
   probability of an error of more than eps f, at most that of an error of
   eps f or more, by which Definition 2 goes. The least over 1 <= f <= a of
   either is at the start of a plateau of floor(eps f), or of ceil(eps f).
   The level is positive exactly if eps < g - 1, and for eps a < 1 it is
   1 - (1 - 1/g)^(g - 1).

   Proof: within a plateau the distance that counts as an error stays, and
   neither tail falls (the sawtooth lemma). The largest possible error of a
   count of f is (g - 1) f. For eps a < 1 every count but f is an error, and
   b(g f; f) does not rise with f.                                          *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
From SPLU Require Import Binomial Sawtooth Chebyshev PrintedErrorBound ProbB.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The least of F 1, ..., F a. *)
Fixpoint least (F : nat -> rat) (a : nat) : rat :=
  if a is (b.+1 as b').+1 then Num.min (least F b') (F b'.+1) else F 1%N.

(* One minus the printed sum, and the probability of an error by Definition 2. *)
Definition printed_level (g : nat) (eps : rat) (f : nat) : rat := 1 - prob g (g * f) (within f eps).
Definition error_level (g : nat) (eps : rat) (f : nat) : rat := prob g (g * f) (off f eps).

(* Is x away from f by j or more? *)
Definition away (f j x : nat) : bool := ((f + j <= x) || (x + j <= f))%N.

Lemma least_le F a f : (1 <= f <= a)%N -> least F a <= F f.
Proof.
elim: a f => [|[|a] IH] f; [lia | by case: f => [|[|f]] | move=> le_f].
rewrite /= le_minl; have [-> | neq] := eqVneq f a.+2; first by rewrite lexx orbT.
by rewrite IH //; lia.
Qed.

Lemma least_attained F a : (0 < a)%N -> exists2 f, (1 <= f <= a)%N & least F a = F f.
Proof.
elim: a => [|[|a] IH] // _; first by exists 1%N.
have [f le_f eq_f] := IH isT; rewrite [least F _]/=; case: leP => _; last by exists a.+2; rewrite ?leqnn.
by exists f => //; lia.
Qed.

Lemma least_mono F G a : (0 < a)%N -> (forall f, (1 <= f <= a)%N -> F f <= G f) -> least F a <= least G a.
Proof.
move=> a_gt0 le_FG; have [f le_f ->] := least_attained G a_gt0.
exact: le_trans (least_le F le_f) (le_FG f le_f).
Qed.

(** * Windows and distances *)

Lemma distance_away (f x k : nat) : ((k%:R : rat) <= `|x%:R - f%:R|) = ((f + k <= x) || (x + k <= f))%N.
Proof.
have [le_fx | /ltnW le_xf] := leqP f x.
  by rewrite -natrB // normr_nat ler_nat; lia.
by rewrite distrC -natrB // normr_nat ler_nat; lia.
Qed.

Lemma strict_away (f x c : nat) (eps : rat) : c%:R <= eps * f%:R < c.+1%:R ->
  (eps * f%:R < `|x%:R - f%:R|) = away f c.+1 x.
Proof.
move=> /andP[le_c lt_c]; rewrite /away -distance_away; apply/idP/idP => [lt_d | ]; last exact: lt_le_trans.
have := le_lt_trans le_c lt_d; rewrite !ltNge; apply: contraNle => {lt_d}.
have [le_fx | /ltnW le_xf] := leqP f x.
  by rewrite -natrB // normr_nat ltr_nat ltnS ler_nat.
by rewrite distrC -natrB // normr_nat ltr_nat ltnS ler_nat.
Qed.

Lemma off_away (f x j : nat) (eps : rat) : j%:R < eps * f%:R <= j.+1%:R -> off f eps x = away f j.+1 x.
Proof.
move=> /andP[lt_j le_j]; rewrite /off /away -distance_away; apply/idP/idP => [le_d | ]; last exact: le_trans.
have := lt_le_trans lt_j le_d.
have [le_fx | /ltnW le_xf] := leqP f x.
  by rewrite -natrB // normr_nat ltr_nat ler_nat.
by rewrite distrC -natrB // normr_nat ltr_nat ler_nat.
Qed.

Lemma within_distance (f x : nat) (eps : rat) : within f eps x = ~~ (eps * f%:R < `|x%:R - f%:R|).
Proof.
by rewrite -leNgt ler_norml /within mulrBl mulrDl mul1r ler_subr_addr [- _ + _]addrC !ler_subl_addl.
Qed.

Lemma prob_not g n (A : pred nat) : prob g n (fun x => ~~ A x) = 1 - prob g n A.
Proof.
apply/eqP; rewrite eq_sym subr_eq -(prob_total g n) !probE -meanD; apply/eqP; apply: eq_mean => x.
by rewrite -natrD; case: (A x).
Qed.

(** * Lemma 2 *)

(* One minus the printed sum is the probability of an error of more than eps f. *)
Theorem printed_level_law (g f : nat) (eps : rat) :
  printed_level g eps f = prob g (g * f) (fun x => eps * f%:R < `|x%:R - f%:R|).
Proof.
rewrite /printed_level -prob_not; apply: eq_prob => x.
by rewrite within_distance negbK.
Qed.

Lemma printed_le_error g f eps : (1 < g)%N -> printed_level g eps f <= error_level g eps f.
Proof.
move=> g_gt1; rewrite printed_level_law; apply: prob_le => // x; exact: ltW.
Qed.

Theorem printed_level_is_conservative (g a : nat) (eps : rat) : (1 < g)%N -> (0 < a)%N ->
  least (printed_level g eps) a <= least (error_level g eps) a.
Proof. by move=> g_gt1 a_gt0; apply: least_mono => // f _; apply: printed_le_error. Qed.

Theorem level_holds_for_every_count (g a f : nat) (eps : rat) : (1 < g)%N -> (1 <= f <= a)%N ->
  least (printed_level g eps) a <= prob g (g * f) (off f eps).
Proof. by move=> g_gt1 le_f; apply: le_trans (least_le _ le_f) (printed_le_error _ _ g_gt1). Qed.

(* The tight window: |x - f| <= ceil(eps f) - 1. *)
Theorem tight_window (g f j : nat) (eps : rat) : j%:R < eps * f%:R <= j.+1%:R ->
  error_level g eps f = 1 - prob g (g * f) (fun x => f <= x + j <= f + j + j)%N.
Proof.
move=> ceil; rewrite /error_level -prob_not; apply: eq_prob => x.
by rewrite (off_away _ ceil) /away; lia.
Qed.

(** * Both minima are at starts of plateaus *)

Lemma away_rises g f f' j : (1 < g)%N -> (0 < j)%N -> (f <= f')%N ->
  prob g (g * f) (away f j) <= prob g (g * f') (away f' j).
Proof.
move=> g_gt1 j_gt0 le_f.
have split h : prob g (g * h) (away h j) =
    prob g (g * h) (fun x => h + j <= x)%N + prob g (g * h) (fun x => x + j <= h)%N.
  by rewrite !probE -meanD; apply: eq_mean => x; rewrite -natrD /away; congr (_%:R); lia.
by rewrite !split ler_add ?sawtooth_above_monotone ?sawtooth_below_monotone.
Qed.

Lemma whole_part (x : rat) : 0 <= x -> exists c : nat, c%:R <= x < c.+1%:R.
Proof.
move=> /floor_exists[c le_c]; exists c.
by rewrite le_c leqnn ltNge le_c ltnn.
Qed.

(* f begins a plateau of floor(eps f), or of ceil(eps f). *)
Definition floor_rises (eps : rat) (f : nat) : Prop :=
  f = 1%N \/ exists c : nat, eps * f.-1%:R < c%:R <= eps * f%:R.
Definition ceil_rises (eps : rat) (f : nat) : Prop :=
  f = 1%N \/ exists c : nat, eps * f.-1%:R <= c%:R < eps * f%:R.

Lemma floor_start_below g eps f : (1 < g)%N -> 0 < eps -> (0 < f)%N ->
  exists f', [/\ (1 <= f' <= f)%N, floor_rises eps f' & printed_level g eps f' <= printed_level g eps f].
Proof.
move=> g_gt1 eps_gt0; elim: f => [|[|f] IH] // _; first by exists 1%N; split=> //; left.
have [c whole] := whole_part (ltW (mulr_gt0 eps_gt0 (ltr0Sn _ f.+1))).
have [le_c lt_c] := andP whole.
have [lt_f | le_f] := ltP (eps * f.+1%:R) c%:R.
  by exists f.+2; split; rewrite ?leqnn //; right; exists c; rewrite /= lt_f.
have [f' [le_f' start le_level]] := IH isT; exists f'; split=> //; first by lia.
apply: le_trans le_level _; rewrite !printed_level_law.
have whole_f : c%:R <= eps * f.+1%:R < c.+1%:R.
  by rewrite le_f (lt_trans _ lt_c) // ltr_pmul2l // ltr_nat.
rewrite (eq_prob _ _ (fun x => strict_away x whole)) (eq_prob _ _ (fun x => strict_away x whole_f)).
exact: away_rises.
Qed.

Lemma upper_whole (x : rat) : 0 < x -> exists j : nat, j%:R < x <= j.+1%:R.
Proof.
move=> x_gt0; have [c /andP[le_c lt_c]] := whole_part (ltW x_gt0).
have [eq_c | neq_c] := eqVneq x c%:R; last by exists c; rewrite lt_neqAle eq_sym neq_c le_c ltW.
by case: c eq_c {le_c lt_c} x_gt0 => [->|j -> _]; [rewrite ltxx | exists j; rewrite ltr_nat lexx ltnSn].
Qed.

Lemma ceil_start_below g eps f : (1 < g)%N -> 0 < eps -> (0 < f)%N ->
  exists f', [/\ (1 <= f' <= f)%N, ceil_rises eps f' & error_level g eps f' <= error_level g eps f].
Proof.
move=> g_gt1 eps_gt0; elim: f => [|[|f] IH] // _; first by exists 1%N; split=> //; left.
have [j ceil] := upper_whole (mulr_gt0 eps_gt0 (ltr0Sn _ f.+1)).
have [lt_j le_j] := andP ceil.
have [le_f | lt_f] := leP (eps * f.+1%:R) j%:R.
  by exists f.+2; split; rewrite ?leqnn //; right; exists j; rewrite /= le_f.
have [f' [le_f' start le_level]] := IH isT; exists f'; split=> //; first by lia.
apply: le_trans le_level _; rewrite /error_level.
have ceil_f : j%:R < eps * f.+1%:R <= j.+1%:R.
  by rewrite lt_f (le_trans _ le_j) // ler_pmul2l // ler_nat.
rewrite (eq_prob _ _ (fun x => off_away x ceil)) (eq_prob _ _ (fun x => off_away x ceil_f)).
exact: away_rises.
Qed.

Theorem printed_minimum_at_a_plateau_start (g a : nat) (eps : rat) : (1 < g)%N -> 0 < eps -> (0 < a)%N ->
  exists f, [/\ (1 <= f <= a)%N, floor_rises eps f & least (printed_level g eps) a = printed_level g eps f].
Proof.
move=> g_gt1 eps_gt0 a_gt0; have [f0 le_f0 eq_f0] := least_attained (printed_level g eps) a_gt0.
have [|f [le_f start le_level]] := @floor_start_below g eps f0 g_gt1 eps_gt0; first by lia.
exists f; split=> //; first by lia.
by apply/eqP; rewrite eq_le {2}eq_f0 le_level andbT least_le //; lia.
Qed.

Theorem error_minimum_at_a_plateau_start (g a : nat) (eps : rat) : (1 < g)%N -> 0 < eps -> (0 < a)%N ->
  exists f, [/\ (1 <= f <= a)%N, ceil_rises eps f & least (error_level g eps) a = error_level g eps f].
Proof.
move=> g_gt1 eps_gt0 a_gt0; have [f0 le_f0 eq_f0] := least_attained (error_level g eps) a_gt0.
have [|f [le_f start le_level]] := @ceil_start_below g eps f0 g_gt1 eps_gt0; first by lia.
exists f; split=> //; first by lia.
by apply/eqP; rewrite eq_le {2}eq_f0 le_level andbT least_le //; lia.
Qed.

(** * Theorem 4 *)

Lemma prob_gt0 g n (A : pred nat) x : (1 < g)%N -> (x <= n)%N -> A x -> 0 < prob g n A.
Proof.
move=> g_gt1 le_x A_x; rewrite /prob (bigD1 (Ordinal (le_x : (x < n.+1)%N))) //=.
by rewrite ltr_paddr ?mass_gt0 // sumr_ge0 // => y _; apply: mass_ge0.
Qed.

Lemma printed_level_positive g f eps : (1 < g)%N -> (0 < f)%N ->
  (0 < printed_level g eps f) = (eps < g%:R - 1).
Proof.
move=> g_gt1 f_gt0; have f_gt0' : 0 < f%:R :> rat by rewrite ltr0n.
have top : `|(g * f)%:R - f%:R| = (g%:R - 1) * f%:R :> rat.
  rewrite natrM -{2}(mul1r f%:R) -mulrBl ger0_norm // mulr_ge0 ?ler0n //.
  by rewrite subr_ge0 ler1n ltnW.
rewrite printed_level_law; apply/idP/idP => [pos | lt_eps]; last first.
  by apply: (@prob_gt0 _ _ _ (g * f)) => //; rewrite top ltr_pmul2r.
rewrite ltNge; apply: contraTN pos => le_eps; rewrite -leNgt /prob big_pred0 // => x.
apply/negbTE; rewrite -leNgt; apply: le_trans (_ : (g%:R - 1) * f%:R <= _); last by rewrite ler_pmul2r.
have lt_x := ltn_ord x; rewrite -top; have [le_fx | /ltnW le_xf] := leqP f x.
  by rewrite -!natrB // ?normr_nat ?ler_nat; nia.
by rewrite distrC -!natrB // ?normr_nat ?ler_nat; nia.
Qed.

Theorem promises_something (g a : nat) (eps : rat) : (1 < g)%N -> (0 < a)%N ->
  (0 < least (printed_level g eps) a) = (eps < g%:R - 1).
Proof.
move=> g_gt1 a_gt0; have [f /andP[f_gt0 _] ->] := least_attained (printed_level g eps) a_gt0.
exact: printed_level_positive.
Qed.

Theorem closed_form_for_small_epsilon (g a : nat) (eps : rat) : (1 < g)%N -> (0 < a)%N -> 0 < eps ->
  eps * a%:R < 1 -> least (printed_level g eps) a = 1 - failure g ^+ (g - 1).
Proof.
move=> g_gt1 a_gt0 eps_gt0 small; have g_gt0 := ltnW g_gt1.
have point f : (1 <= f <= a)%N -> printed_level g eps f = 1 - mass g (g * f) f.
  move=> /andP[f_gt0 le_fa]; rewrite printed_level_law -mean_point -probE -prob_not; apply: eq_prob => x.
  have whole : 0%:R <= eps * f%:R < 1%:R.
    by rewrite mulr_ge0 ?ler0n ?(ltW eps_gt0) //= (le_lt_trans _ small) // ler_pmul2l // ler_nat.
  by rewrite (strict_away x whole) /away /=; lia.
have first : 1 - failure g ^+ (g - 1) = printed_level g eps 1.
  rewrite point ?a_gt0 // muln1 /mass bin1 expr1 /success divff ?mul1r //.
  by rewrite pnatr_eq0; lia.
rewrite first; apply/eqP; rewrite eq_le least_le ?a_gt0 //=.
have [f le_f ->] := least_attained (printed_level g eps) a_gt0.
rewrite !point ?a_gt0 // ler_sub //; have /andP[f_gt0 _] := le_f.
exact: mode_falls.
Qed.

(** * The hypotheses can hold: each theorem applied to numbers *)

Example printed_level_is_conservative_applies : least (printed_level 3 1) 2 <= least (error_level 3 1) 2.
Proof. exact: (@printed_level_is_conservative 3 2 1 isT isT). Qed.

Example level_holds_for_every_count_applies : least (printed_level 3 1) 4 <= prob 3 (3 * 2) (off 2 1).
Proof. exact: (@level_holds_for_every_count 3 4 2 1 isT isT). Qed.

Example tight_window_applies :
  error_level 3 1 2 = 1 - prob 3 (3 * 2) (fun x => 2 <= x + 1 <= 2 + 1 + 1)%N.
Proof. exact: (@tight_window 3 2 1 1 isT). Qed.

Example printed_minimum_at_a_plateau_start_applies :
  exists f, [/\ (1 <= f <= 4)%N, floor_rises 2%:R^-1 f & least (printed_level 3 2%:R^-1) 4 = printed_level 3 2%:R^-1 f].
Proof. exact: (@printed_minimum_at_a_plateau_start 3 4 2%:R^-1 isT isT isT). Qed.

Example error_minimum_at_a_plateau_start_applies :
  exists f, [/\ (1 <= f <= 4)%N, ceil_rises 2%:R^-1 f & least (error_level 3 2%:R^-1) 4 = error_level 3 2%:R^-1 f].
Proof. exact: (@error_minimum_at_a_plateau_start 3 4 2%:R^-1 isT isT isT). Qed.

Example promises_something_applies : (0 < least (printed_level 3 1) 4) = (1 < 3%:R - 1 :> rat).
Proof. exact: (@promises_something 3 4 1 isT isT). Qed.

Example closed_form_for_small_epsilon_applies : least (printed_level 3 3%:R^-1) 2 = 1 - failure 3 ^+ (3 - 1).
Proof. exact: (@closed_form_for_small_epsilon 3 2 3%:R^-1 isT isT isT isT). Qed.
