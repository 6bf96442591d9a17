(* The check of utility-threshold, at any retention: a program, without a proof.

   From some count on Chernoff's bound decides. Its powers are rounded up to
   WORK bits; the triple (m, a, b) stands for m 2^a / 2^b.                     *)

From Coq Require Import NArith Bool.
From Kernel Require Import Checker Lower Minimum Retention.
Local Open Scope N_scope.

Definition WORK : N := 384.

Definition up := (N * N * N)%type.

(* At most WORK bits of m, rounded up; and no common power of 2. *)
Definition trim (x : up) : up :=
  let (ma, b) := x in let (m, a) := ma in
  let d := N.size m - WORK in
  let u := power 2 d in
  let m' := (m + (u - 1)) / u in
  let a' := a + d in
  let c := N.min a' b in
  (m', a' - c, b - c).

Definition times (x y : up) : up :=
  let (ma, b) := x in let (m, a) := ma in
  let (nc, d) := y in let (n, c) := nc in
  trim (m * n, a + c, b + d).

Definition over (p q : N) : up :=         (* p / q *)
  let w := 2 * WORK in
  ((p * power 2 w + (q - 1)) / q, 0, w).

Fixpoint up_pos (x : up) (e : positive) : up :=
  match e with
  | xH => x
  | xO e => let r := up_pos x e in times r r
  | xI e => let r := up_pos x e in times x (times r r)
  end.

Definition up_power (x : up) (e : N) : up :=
  match e with 0 => (1, 0, 0) | Npos e => up_pos x e end.

(* 1 + c (z-1) for the chance c = top / bottom and z = p/q *)
Definition tilt (top bottom p q : N) : up := over (bottom * q + top * p - top * q) (bottom * q).

(* The product of one such factor for each trial at F, divided by z^k. *)
Definition tilted (r : chances) (g F k p q : N) : up :=
  times (times (up_power (tilt (own_num r) (own_den r) p q) F)
               (up_power (tilt (other_num r) (other_den r) p q) ((g - 1) * F)))
        (up_power (over q p) k).

Record threshold := Threshold {
  t_gamma : N; t_num : N; t_den : N;        (* epsilon *)
  te_num : N; te_den : N; t_f : N;
  t_from : N;
  high_num : N; high_den : N;               (* the tilt above, where there is one *)
  low_num : N; low_den : N
}.

Definition nothing : up := (0, 0, 0).

Definition sides (r : chances) (c : threshold) : up * up :=
  let g := t_gamma c in let F := t_from c in
  let fl := t_num c * F / t_den c in
  (if (g - 1) * t_den c <? t_num c then nothing else tilted r g F (F + fl) (high_num c) (high_den c),
   if t_den c <? t_num c then nothing else tilted r g F (F - fl) (low_num c) (low_den c)).

Definition tilts_fit (c : threshold) : bool :=
  (((t_gamma c - 1) * t_den c <? t_num c) || (1 <=? high_den c) && (high_den c <=? high_num c))
  && ((t_den c <? t_num c) || (1 <=? low_den c) && (low_num c <=? low_den c)
      && ((1 <=? low_num c) || (t_num c =? t_den c))).

Definition tail_fits (r : chances) (c : threshold) : bool :=
  let (u, l) := sides r c in
  let (ma, b) := u in let (m, a) := ma in
  let (nc, d) := l in let (n, e) := nc in
  te_den c * (m * power 2 (a + d) + n * power 2 (e + b)) <=? te_num c * power 2 (b + d).

Definition at_most (c : threshold) (f : N) : bool :=
  numerator (t_gamma c) f (distance false (t_num c) (t_den c) f) * te_den c
    <=? te_num c * power (t_gamma c) (t_gamma c * f).

Section Ends.
Variable u : base.

(* Lower bounds of the middle show that the error has at most t_e; those of both sides, that it has more. *)
Definition scale_of_bounds : N := 3.

Definition at_most_by_bounds (c : threshold) (f j : N) (at_f : place) : bool :=
  let whole := power (unit u) scale_of_bounds in
  let goal := (te_den c - te_num c) * whole / te_den c in
  goal <? middle u (t_gamma c) f j scale_of_bounds goal at_f.

Definition above_by_bounds (c : threshold) (f : N) : bool :=
  let g := t_gamma c in
  let j := distance false (t_num c) (t_den c) f in
  let n := g * f in
  let whole := power (unit u) scale_of_bounds in
  let goal := te_num c * whole / te_den c in
  let up := move u g n (f + j) origin in
  let down := move u g n (f - j) origin in
  goal <? tails u g f j scale_of_bounds goal up down.

(* f = t_f, t_f + 1, ...: computed only where a run ends, exactly only where bounds leave it open. *)
Definition end_visit (c : threshold) (s : N * N * place * bool) : N * N * place * bool :=
  let '(f, j, at_f, ok) := s in
  let f' := f + 1 in
  let j' := distance false (t_num c) (t_den c) f' in
  if ok then
    if j' =? j then (f', j', at_f, true) else
    let here := move u (t_gamma c) (t_gamma c * f) f at_f in
    (f', j', here, at_most_by_bounds c f j here || at_most c f)
  else (f', j', at_f, false).

Definition ends_fit (c : threshold) : bool :=
  snd (N.iter (t_from c - t_f c) (end_visit c)
    (t_f c, distance false (t_num c) (t_den c) (t_f c), origin, true)).

Definition no_smaller (c : threshold) : bool :=
  (t_f c =? 1) || above_by_bounds c (t_f c - 1) || negb (at_most c (t_f c - 1)).

End Ends.

(* Of t_e = 1 there is nothing to check but that no smaller threshold is claimed. *)
Definition check_threshold (c : threshold) : bool :=
  (2 <=? t_gamma c) && (1 <=? t_num c) && (1 <=? t_den c) && (1 <=? te_den c) && (1 <=? t_f c)
  && if te_num c =? te_den c then t_f c =? 1 else
     (te_num c <? te_den c) && (1 <=? t_from c)
     && no_smaller standard c && tilts_fit c && tail_fits (Chances 1 (t_gamma c) 1 (t_gamma c)) c && ends_fit standard c.

(* The same at a retention probability, where every probability that is needed is computed exactly. *)
Section Retention.
Variables (r : chances) (c : threshold).

Definition at_most_at (f j : N) : bool :=
  numerator_at r (t_gamma c) f j * te_den c <=? te_num c * whole_at r (t_gamma c) f.

Definition end_visit_at (s : N * N * bool) : N * N * bool :=
  let '(f, j, ok) := s in
  let f' := f + 1 in
  let j' := distance false (t_num c) (t_den c) f' in
  if ok then (f', j', (j' =? j) || at_most_at f j) else (f', j', false).

Definition ends_fit_at : bool :=
  snd (N.iter (t_from c - t_f c) end_visit_at (t_f c, distance false (t_num c) (t_den c) (t_f c), true)).

Definition no_smaller_at : bool :=
  (t_f c =? 1) || negb (at_most_at (t_f c - 1) (distance false (t_num c) (t_den c) (t_f c - 1))).

Definition check_threshold_at : bool :=
  (2 <=? t_gamma c) && chances_fit (t_gamma c) r && (1 <=? t_num c) && (1 <=? t_den c) && (1 <=? te_den c)
  && (1 <=? t_f c)
  && if te_num c =? te_den c then t_f c =? 1 else
     (te_num c <? te_den c) && (1 <=? t_from c) && no_smaller_at && tilts_fit c && tail_fits r c && ends_fit_at.

End Retention.
