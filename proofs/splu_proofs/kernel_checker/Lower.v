(* Lower bounds of sums of probabilities, in a few hundred bits.

   An exact numerator has as many bits as gamma^(gamma f). Most comparisons are
   settled by far less: a probability rounded down, and the next ones from it
   by ratios, each rounded down. The checker computes exactly only what such
   bounds leave open. No proof depends on the constants.                       *)

From Coq Require Import NArith Bool.
From Kernel Require Import Checker.
Local Open Scope N_scope.

(* At most n steps, none once a condition holds. *)
Section Until.
Variables (A : Type) (stop : A -> bool) (step : A -> A).
Fixpoint until_pos (n : positive) (x : A) : A :=
  if stop x then x else
  match n with
  | xH => step x
  | xO n => until_pos n (until_pos n x)
  | xI n => until_pos n (until_pos n (step x))
  end.
Definition until (n : N) (x : A) : A :=
  match n with 0 => x | Npos n => until_pos n x end.
End Until.
Arguments until {A}.

(* The pair (m, e) stands for m / unit^e; m is kept between the other two. *)
Record base := Base { unit : N; few : N; many : N }.

Section Base.
Variable c : base.

Definition fit (v : N * N) : N * N :=
  let (m, e) := v in
  if m =? 0 then v else if m <? few c then (m * unit c, e + 1)
  else if (many c <? m) && (1 <=? e) then (m / unit c, e - 1) else v.

(* v p / q, rounded down *)
Definition scale (v : N * N) (p q : N) : N * N :=
  let (m, e) := fit v in (m * p / q, e).

(* v unit^E, rounded down *)
Definition at_scale (v : N * N) (E : N) : N :=
  let (m, e) := v in
  if m =? 0 then 0 else if e <=? E then m * power (unit c) (E - e) else m / power (unit c) (e - E).

(* A place is a number of trials, a number of successes, and a number that is
   at most the probability of so many.                                         *)
Definition place := (N * N * (N * N))%type.
Definition origin : place := (0, 0, (1, 0)).

Definition one_trial (g : N) (s : place) : place :=
  let (nx, v) := s in let (n, x) := nx in
  (n + 1, x, scale v ((n + 1) * (g - 1)) ((n + 1 - x) * g)).

Definition one_success (g : N) (s : place) : place :=
  let (nx, v) := s in let (n, x) := nx in
  (n, x + 1, scale v (n - x) ((x + 1) * (g - 1))).

Definition move (g n x : N) (s : place) : place :=
  let s := N.iter (n - fst (fst s)) (one_trial g) s in
  N.iter (x - snd (fst s)) (one_success g) s.

(* Add up the probabilities of x, x + 1, ... below limit, until the sum is above the goal. *)
Definition up_step (g n limit : N) (s : N * N * N) : N * N * N :=
  let (xt, total) := s in let (x, t) := xt in
  if x <? limit then (x + 1, t * (n - x) / ((x + 1) * (g - 1)), total + t) else (x, 0, total).

(* The same of r - 1, r - 2, ... down to limit. *)
Definition down_step (g n limit : N) (s : N * N * N) : N * N * N :=
  let (rt, total) := s in let (r, t) := rt in
  if limit <? r then (r - 1, t * ((r - 1) * (g - 1)) / (n + 2 - r), total + t) else (r, 0, total).

Definition enough (goal : N) (s : N * N * N) : bool :=
  let (xt, total) := s in (goal <? total) || (snd xt =? 0).

Definition add_up (g n x t limit goal total : N) : N :=
  snd (until (enough goal) (up_step g n limit) (limit - x) (x, t, total)).

Definition add_down (g n r t limit goal total : N) : N :=
  snd (until (enough goal) (down_step g n limit) (r - limit) (r, t, total)).

(* The probability of error j at the count f, times unit^E: of f + j and more, and of f - j and less. *)
Definition tails (g f j E goal : N) (up down : place) : N :=
  let n := g * f in
  let (nx, v) := up in let (n1, x) := nx in
  let (ny, w) := down in let (n2, y) := ny in
  let total := if (n1 =? n) && (x =? f + j) then add_up g n x (at_scale v E) (n + 1) goal 0 else 0 in
  if (n2 =? n) && (y + j =? f) then add_down g n (y + 1) (at_scale w E) 0 goal total else total.

(* At most E, and a scale at which the larger side, or the only one that counts, still has a few units. *)
Definition near (g f j E : N) (up down : place) : N :=
  let (nx, v) := up in let (m, e) := v in
  let (ny, w) := down in let (k, d) := w in
  let least :=
    if (m =? 0) || (k =? 0) || (f <? j) then if (m =? 0) && (j <=? f) then d else e
    else N.min e d in
  N.min E (least + 4).

(* goal / unit^d in steps, and how many they were: none are left once it is 0. *)
Definition lowered (goal d : N) : N * N :=
  until (fun s => fst s =? 0) (fun s => (fst s / unit c, snd s + 1)) d (goal, 0).

(* Is the probability of error j at f above goal / unit^E? *)
Definition exceeds (g f j E goal : N) (up down : place) : bool :=
  let d := E - near g f j E up down in
  if d =? 0 then goal <? tails g f j E goal up down
  else let (low, steps) := lowered goal d in
    (steps <=? d) && (low + 1 <? tails g f j (E - d) (low + 1) up down).

(* The probability of the counts from f - j + 1 to f + j - 1. *)
Definition middle (g f j E goal : N) (at_f : place) : N :=
  let n := g * f in
  let (nx, v) := at_f in let (n1, x) := nx in
  if (n1 =? n) && (x =? f) then
    let t := at_scale v E in
    let total := add_up g n f t (f + j) goal 0 in
    add_down g n f (t * (f * (g - 1)) / (n + 1 - f)) (f + 1 - j) goal total
  else 0.

End Base.
