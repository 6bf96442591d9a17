(* Programs, without proofs: small-sum-privacy under all-or-none draws, and concept-error. All sums are exact. *)

From Coq Require Import NArith Bool List.
From Kernel Require Import Checker Minimum.
Local Open Scope N_scope.

(* All-or-none draws: f' is g times a number of successes among f trials. *)
Section AllOrNone.
Variables (g p q : N) (strict : bool) (w : form).

(* g^f times the probability of an error: the numbers of successes y with |g y - f| < j are first .. stop - 1. *)
Definition rare_numerator (f : N) : N :=
  let j := distance strict p q f in
  let first := if f <? j then 0 else (f - j) / g + 1 in
  let stop := N.min (f + 1) ((f + j + (g - 1)) / g) in
  power g f - window g f first (stop - first).

Definition rare_not_less (f : N) : bool :=
  let here := rare_numerator f in
  if f <? argmin w then least w <? here * power g (argmin w - f)
  else least w * power g (f - argmin w) <=? here.

Definition rare_visit (s : N * bool) : N * bool :=
  let (f, ok) := s in (f + 1, ok && rare_not_less (f + 1)).

Definition check_rare_form (alpha : N) : bool :=
  (1 <=? argmin w) && (argmin w <=? alpha) && (1 <=? value_den w)
  && (rare_numerator (argmin w) =? least w)
  && (value_num w * power g (argmin w) <=? least w * value_den w)
  && snd (N.iter alpha rare_visit (0, true)).

End AllOrNone.

Definition check_all_or_none (c : privacy) : bool :=
  (2 <=? gamma c) && (1 <=? eps_num c) && (1 <=? eps_den c)
  && check_rare_form (gamma c) (eps_num c) (eps_den c) true (theorem_4 c) (alpha c)
  && check_rare_form (gamma c) (eps_num c) (eps_den c) false (definition_2 c) (alpha c).

(* concept-error: of rows records n satisfy a predicate; x3 of these carry a value, which f records carry. *)
Record concept := Concept {
  k_gamma : N; k_num : N; k_den : N;            (* epsilon *)
  k_rows : N; k_count : N; k_records : N; k_both : N; k_decoys : N;
  k_top : N; k_value_num : N; k_value_den : N
}.

(* The terms C(n,x) (g-1)^(n-x) of x = 0 .. n. *)
Definition terms_step (g n : N) (s : N * N * list N) : N * N * list N :=
  let '(i, t, found) := s in (i + 1, t * ((n - i) * (g - 1)) / (i + 1), t :: found).

Definition terms (g n : N) : list N := snd (N.iter (n + 1) (terms_step g n) (0, 1, nil)).

Section Concept.
Variable c : concept.

(* Is the estimate off where y3 records of the predicate and y1 others publish the value? *)
Definition concept_off (y3 y1 : N) : bool :=
  let g := k_gamma c in
  let s := y3 + y1 in
  if k_rows c <=? g * s then true else
  let spread := k_rows c - g * s in
  let top := N.min (g * (k_rows c - s) * y3 - k_records c * (g - 1) * s) (k_records c * spread) in
  (top * k_den c + k_num c * k_both c * spread <=? k_den c * k_both c * spread)
  || ((k_den c + k_num c) * k_both c * spread <=? top * k_den c).

Fixpoint missed_outside (y3 y1 : N) (l : list N) : N :=
  match l with
  | nil => 0
  | t :: rest => (if concept_off y3 y1 then t else 0) + missed_outside y3 (y1 + 1) rest
  end.

Fixpoint missed_inside (outside : list N) (y3 : N) (l : list N) : N :=
  match l with
  | nil => 0
  | t :: rest => t * missed_outside y3 0 outside + missed_inside outside (y3 + 1) rest
  end.

Definition check_concept : bool :=
  let inside := k_both c + k_decoys c in
  let owners := k_gamma c * k_count c in
  (2 <=? k_gamma c) && (1 <=? k_num c) && (1 <=? k_den c) && (1 <=? k_both c) && (1 <=? k_value_den c)
  && (k_both c <=? k_count c) && (inside <=? k_records c) && (inside <=? owners)
  && (k_decoys c <=? (k_gamma c - 1) * k_count c) && (owners - inside + k_records c <=? k_rows c)
  && (missed_inside (terms (k_gamma c) (owners - inside)) 0 (terms (k_gamma c) inside) =? k_top c)
  && (k_top c * k_value_den c <=? k_value_num c * power (k_gamma c) owners).

End Concept.
