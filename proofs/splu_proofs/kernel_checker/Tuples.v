(* The check of d-gamma: a program, without a proof. *)

From Coq Require Import NArith Bool.
Local Open Scope N_scope.

Record tuples := Tuples {
  a_num : N; a_den : N;   (* alpha *)
  b_num : N; b_den : N;   (* beta *)
  d_num : N; d_den : N;
  g_num : N; g_den : N    (* gamma *)
}.

(* Differences are moved to the other side, where they are sums. *)
Definition check_tuples (c : tuples) : bool :=
  let kept := a_num c * b_den c + b_num c * a_den c in
  let whole := a_den c * b_den c in
  (1 <=? a_num c) && (1 <=? a_den c) && (1 <=? b_den c) && (1 <=? d_num c) && (1 <=? d_den c)
  && (g_num c <? g_den c) && (kept <=? whole) && (d_num c * g_den c <=? g_num c * d_den c)
  && (kept * d_num c * g_den c + b_num c * g_num c * d_num c * a_den c
      <=? b_num c * g_num c * d_den c * a_den c + kept * d_num c * g_num c)
  && (whole * d_num c * g_den c + kept * g_num c * d_den c
      <=? whole * g_num c * d_den c + a_den c * b_num c * d_num c * g_den c).
