(* The checks of breach and safe: programs, without a proof. *)

From Coq Require Import NArith Bool List.
Local Open Scope N_scope.

(* Retention replacement and the two levels of belief. *)
Record levels := Levels {
  p_num : N; p_den : N;        (* retention *)
  values : N;
  rho1_num : N; rho1_den : N;    (* rho1 *)
  rho2_num : N; rho2_den : N   (* rho2 *)
}.

Definition check_levels (c : levels) : bool :=
  (1 <=? p_den c) && (p_num c <=? p_den c) && (2 <=? values c) && (1 <=? rho1_num c)
  && (rho1_num c * rho2_den c <? rho2_num c * rho1_den c) && (rho2_num c <? rho2_den c).

Fixpoint total (counts : list N) : N :=
  match counts with nil => 0 | x :: rest => x + total rest end.

Definition is_in (x : N) (l : list N) : bool := existsb (N.eqb x) l.

(* The records of the values whose places are listed; the first count has the place given. *)
Fixpoint weight (place : N) (listed counts : list N) : N :=
  match counts with
  | nil => 0
  | x :: rest => (if is_in place listed then x else 0) + weight (place + 1) listed rest
  end.

(* What is published is a value of own records: the belief in a set of all records, in the order
   of the law, is this, divided by the same of every record.                                     *)
Definition seen (c : levels) (own all : N) : N :=
  p_num c * values c * own + (p_den c - p_num c) * all.

Record breach := Breach {
  b_levels : levels; b_counts : list N;
  secret : list N; observed : N;       (* places of the counts *)
  before_num : N; before_den : N;
  after_num : N; after_den : N
}.

Definition check_breach (c : breach) : bool :=
  let l := b_levels c in
  let counts := b_counts c in
  let all := total counts in
  let set := weight 0 (secret c) counts in
  let own := nth (N.to_nat (observed c)) counts 0 in
  check_levels l && (1 <=? before_den c) && (1 <=? after_den c)
  && (N.of_nat (length counts) <=? values l) && is_in (observed c) (secret c) && (observed c <? values l)
  && (1 <=? own)
  && (set * before_den c =? before_num c * all)
  && (set * rho1_den l <=? rho1_num l * all)
  && (seen l own set * after_den c =? after_num c * seen l own all)
  && (rho2_num l * seen l own all <=? seen l own set * rho2_den l).

(* safe, under any prior: the amplification is the one that is named, and below the least that is dangerous. *)
Record safe := Safe { s_levels : levels; ratio_num : N; ratio_den : N }.

Definition check_safe (c : safe) : bool :=
  let l := s_levels c in
  let rest := p_den l - p_num l in
  let most := rest + p_num l * values l in
  check_levels l && (p_num l <? p_den l) && (1 <=? ratio_den c)
  && (most * ratio_den c =? ratio_num c * rest)
  && (most * rho1_num l * (rho2_den l - rho2_num l) <? rho2_num l * (rho1_den l - rho1_num l) * rest).

(* The k last bits of a number; a division would take long. *)
Definition last_bits (y k : N) : N := y - N.shiftl (N.shiftr y k) k.

(* safe, given counts. Bit s of a number says that some of the counts so far add up to s, at most left. *)
Fixpoint reached (left : N) (counts : list N) (sums : N) : N :=
  match counts with
  | nil => sums
  | x :: rest =>
      reached left rest (if x <=? left then N.lor sums (last_bits (N.shiftl sums x) (left + 1)) else sums)
  end.

Fixpoint without (x : N) (counts : list N) : list N :=
  match counts with nil => nil | y :: rest => if y =? x then rest else y :: without x rest end.

Fixpoint different (counts : list N) : list N :=
  match counts with nil => nil | x :: rest => if is_in x rest then different rest else x :: different rest end.

Record counted := Counted { c_levels : levels; c_counts : list N; most_num : N; most_den : N }.

(* Of the sets with a value of own records and at most room records, none is believed with more than the most,
   once that value is seen.                                                                                     *)
Definition own_fits (c : counted) (room own : N) : bool :=
  let l := c_levels c in
  let left := room - own in
  let goal := most_num c * seen l own (total (c_counts c)) in
  let alone := seen l own own * most_den c in
  let step := (p_den l - p_num l) * most_den c in
  (room <? own) || (alone <=? goal)
  && ((step =? 0)
      || (reached left (without own (c_counts c)) 1 <? N.shiftl 1 (N.min left ((goal - alone) / step) + 1))).

Definition check_counted (c : counted) : bool :=
  let l := c_levels c in
  let all := total (c_counts c) in
  check_levels l && (1 <=? most_den c) && (1 <=? all) && (N.of_nat (length (c_counts c)) <=? values l)
  && (most_num c * rho2_den l <? rho2_num l * most_den c)
  && forallb (own_fits c (rho1_num l * all / rho1_den l)) (different (c_counts c)).
