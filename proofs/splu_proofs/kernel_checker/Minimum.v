(* The check of small-sum-privacy: a program, without a proof. *)

From Coq Require Import NArith Bool.
From Kernel Require Import Checker Lower.
Local Open Scope N_scope.

Record form := Form {
  argmin : N;             (* a count with the least probability ... *)
  least : N;              (* ... and g^(g R argmin) times that probability *)
  value_num : N;          (* the decimal of the statement *)
  value_den : N
}.

Record privacy := Privacy {
  gamma : N;
  eps_num : N;
  eps_den : N;
  releases : N;           (* R, 1 for a single release *)
  alpha : N;
  theorem_4 : form;       (* |f' - f| >  eps f *)
  definition_2 : form     (* |f' - f| >= eps f *)
}.

Section Form.
Variables (c : base) (g p q R : N) (strict : bool) (w : form).

(* R releases of a count f are one of R f. *)
Definition size_at_argmin : N := R * argmin w.

(* Is the probability at h = R f at least the least one, and above it before the argmin? *)
Definition not_less (h j : N) : bool :=
  let here := numerator g h j in
  let H := size_at_argmin in
  if h <? H then least w <? here * power g (g * (H - h))
  else least w * power g (g * (h - H)) <=? here.

(* Visit f = 1, 2, ...; compute only where a new run begins, and exactly only what bounds leave open. *)
Definition visit (E goal : N) (s : N * N * place * place * bool) : N * N * place * place * bool :=
  let '(f, j, up, down, ok) := s in
  let f' := f + 1 in
  let h := R * f' in
  let j' := distance strict p q h in
  if ok then
    if j' =? j then (f', j', up, down, true) else
    let up' := move c g (g * h) (h + j') up in
    let down' := move c g (g * h) (h - j') down in
    (f', j', up', down', exceeds c g h j' E goal up' down'
       || ((least w =? 0) && (size_at_argmin <=? h)) || (f' =? argmin w) || not_less h j')
  else (f', j', up, down, false).

Definition check_form (alpha : N) : bool :=
  let H := size_at_argmin in
  let whole := power g (g * H) in
  let E := (N.size whole + N.size (many c) - N.size (least w)) / (N.size (unit c)) in
  let goal := (least w * power (unit c) E + (whole - 1)) / whole in
  (1 <=? argmin w) && (argmin w <=? alpha) && (1 <=? value_den w)
  && (numerator g H (distance strict p q H) =? least w)
  && (value_num w * whole <=? least w * value_den w)
  && snd (N.iter alpha (visit E goal) (0, 0, origin, origin, true)).

End Form.

Definition standard : base :=
  let u := 340282366920938463463374607431768211456 in Base u (u * u) (u * u * u * u).

Definition check_privacy (c : privacy) : bool :=
  (2 <=? gamma c) && (1 <=? eps_num c) && (1 <=? eps_den c) && (1 <=? releases c)
  && check_form standard (gamma c) (eps_num c) (eps_den c) (releases c) true (theorem_4 c) (alpha c)
  && check_form standard (gamma c) (eps_num c) (eps_den c) (releases c) false (definition_2 c) (alpha c).
