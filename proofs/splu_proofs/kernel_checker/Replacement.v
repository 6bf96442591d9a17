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
