(* Programs, without proofs: the checks at a retention probability p other than 1/g.

   f of the trials succeed with p = u/w and (g-1) f with q = s/t. With a = w-u
   and c = t-s the numbers of the outcomes with k successes, weighted, are the
   coefficients of (a + u z)^f (c + s z)^m, m = (g-1) f; each follows from the
   two before by an exact division. All sums are exact.                        *)

From Coq Require Import NArith Bool.
From Kernel Require Import Checker Lower Minimum.
Local Open Scope N_scope.

Record chances := Chances {
  own_num : N; own_den : N;       (* p *)
  other_num : N; other_den : N    (* (1 - p) / (g - 1) *)
}.

Definition chances_fit (g : N) (r : chances) : bool :=
  (1 <=? own_num r) && (own_num r <? own_den r) && (1 <=? other_den r)
  && (other_num r * own_den r * (g - 1) =? (own_den r - own_num r) * other_den r).

Section Law.
Variables (r : chances) (g : N).

(* What probabilities at f are multiplied by. *)
Definition whole_at (f : N) : N := power (own_den r) f * power (other_den r) ((g - 1) * f).

(* The numbers of k - 1 and of k successes, and their sum from first on up to k - 1. *)
Definition weight_step (slope mixed both none n first : N) (s : N * N * N * N) : N * N * N * N :=
  let '(k, before, now, total) := s in
  let gain := (n + 1 - k) * both * before in
  let next :=
    if k * mixed <=? slope then (slope - k * mixed) * now + gain
    else gain - (k * mixed - slope) * now in
  (k + 1, now, next / ((k + 1) * none), if first <=? k then total + now else total).

Definition weights (f first stop : N) : N :=
  let m := (g - 1) * f in
  let a := own_den r - own_num r in
  let c := other_den r - other_num r in
  let slope := f * own_num r * c + m * other_num r * a in
  let mixed := a * other_num r + own_num r * c in
  snd (N.iter stop (weight_step slope mixed (own_num r * other_num r) (a * c) (f + m) first)
         (0, 0, power a f * power c m, 0)).

(* whole_at f times the probability of error j. *)
Definition numerator_at (f j : N) : N :=
  whole_at f - weights f (f + 1 - j) (N.min (f + (g - 1) * f + 1) (f + j)).

End Law.

Definition check_error_at (r : chances) (c : error) : bool :=
  let g := e_gamma c in
  (2 <=? g) && chances_fit g r && (1 <=? e_num c) && (1 <=? e_den c) && (1 <=? e_count c) && (1 <=? e_value_den c)
  && (numerator_at r g (e_count c) (distance false (e_num c) (e_den c) (e_count c)) =? e_top c)
  && (e_top c * e_value_den c <=? e_value_num c * whole_at r g (e_count c)).

(* small-sum-privacy: every run is visited, at its first count, and compared exactly. *)
Section Form.
Variables (r : chances) (g p q R : N) (strict : bool) (w : form).

Definition not_less_at (h here : N) : bool :=
  let H := R * argmin w in
  if h <? H then least w <? here * whole_at r g (H - h) else least w * whole_at r g (h - H) <=? here.

Definition visit_at (s : N * N * bool) : N * N * bool :=
  let '(f, j, ok) := s in
  let f' := f + 1 in
  let h := R * f' in
  let j' := distance strict p q h in
  if ok then
    (f', j', (j' =? j) || (f' =? argmin w) || not_less_at h (numerator_at r g h j'))
  else (f', j', false).

Definition check_form_at (alpha : N) : bool :=
  let H := R * argmin w in
  (1 <=? argmin w) && (argmin w <=? alpha) && (1 <=? value_den w)
  && (numerator_at r g H (distance strict p q H) =? least w)
  && (value_num w * whole_at r g H <=? least w * value_den w)
  && snd (N.iter alpha visit_at (0, 0, true)).

End Form.

Definition check_privacy_at (r : chances) (c : privacy) : bool :=
  (2 <=? gamma c) && chances_fit (gamma c) r && (1 <=? eps_num c) && (1 <=? eps_den c) && (1 <=? releases c)
  && check_form_at r (gamma c) (eps_num c) (eps_den c) (releases c) true (theorem_4 c) (alpha c)
  && check_form_at r (gamma c) (eps_num c) (eps_den c) (releases c) false (definition_2 c) (alpha c).
