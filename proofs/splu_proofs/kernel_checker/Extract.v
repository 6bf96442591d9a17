(* Translates the checker to OCaml. Binary numbers become integers of zarith;
   the number of bits of a number, of which no theorem needs anything, is
   asked of zarith as well, and so are whether two numbers are equal and the
   bits that one of two numbers has.                                         *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt NArith.
From Kernel Require Import Checker Minimum Rounding Retention Exact Tuples Replacement.

Extract Constant N.size => "(fun n -> Big_int_Z.big_int_of_int (Z.numbits n))".
Extract Constant N.eqb => "Big_int_Z.eq_big_int".
Extract Constant N.lor => "Big_int_Z.or_big_int".
Extraction "checker.ml" check_privacy check_error check_threshold check_privacy_at check_error_at
  check_threshold_at check_all_or_none check_concept check_tuples check_breach check_safe check_counted.
