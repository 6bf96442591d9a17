(* Translates the checker to OCaml. Binary numbers become integers of zarith;
   the number of bits of a number, of which no theorem needs anything, is
   asked of zarith as well, and so is whether two numbers are equal.        *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt NArith.
From Kernel Require Import Checker Minimum Rounding Retention Tuples Replacement.

Extract Constant N.size => "(fun n -> Big_int_Z.big_int_of_int (Z.numbits n))".
Extract Constant N.eqb => "Big_int_Z.eq_big_int".
Extraction "checker.ml" check_privacy check_error check_threshold check_privacy_at check_error_at check_tuples check_breach check_safe.
