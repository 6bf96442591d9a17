(* Certificates that the checker accepts, so that no theorem about accepted
   certificates holds for lack of one; and neighbors that it refuses.        *)

From Coq Require Import NArith List.
From Kernel Require Import Checker Minimum Rounding Retention Tuples Replacement.
Import ListNotations.
Local Open Scope N_scope.

Example privacy_accepted : check_privacy
  (Privacy 5 3 10 1 3 (Form 1 1845 5904 10000) (Form 1 1845 5904 10000)) = true.
Proof. vm_compute. reflexivity. Qed.

Example error_accepted : check_error (Error 2 1 2 2 10 5 8) = true.
Proof. vm_compute. reflexivity. Qed.

Example error_refused : check_error (Error 2 1 2 2 10 4 8) = false.
Proof. vm_compute. reflexivity. Qed.

(* gamma = 2 and p = 3/4: the values 0 to 4 of two records have the weights 9, 60, 118, 60, 9 of 256. *)
Example error_at_accepted : check_error_at (Chances 3 4 1 4) (Error 2 1 2 2 138 54 100) = true.
Proof. vm_compute. reflexivity. Qed.

Example error_at_refused : check_error_at (Chances 3 4 1 4) (Error 2 1 2 2 138 53 100) = false.
Proof. vm_compute. reflexivity. Qed.

Example privacy_at_accepted : check_privacy_at (Chances 3 4 1 4)
  (Privacy 2 1 2 1 2 (Form 2 18 7 100) (Form 1 6 37 100)) = true.
Proof. vm_compute. reflexivity. Qed.

Example privacy_at_refused : check_privacy_at (Chances 3 4 1 4)
  (Privacy 2 1 2 1 2 (Form 1 6 7 100) (Form 1 6 37 100)) = false.
Proof. vm_compute. reflexivity. Qed.

Example threshold_accepted : check_threshold (Threshold 2 1 2 1 2 3 6 3 1 1 3) = true.
Proof. vm_compute. reflexivity. Qed.

Example threshold_refused : check_threshold (Threshold 2 1 2 1 2 2 6 3 1 1 3) = false.
Proof. vm_compute. reflexivity. Qed.

Example threshold_at_accepted : check_threshold_at (Chances 3 4 1 4) (Threshold 2 1 2 1 2 3 6 101 25 13 50) = true.
Proof. vm_compute. reflexivity. Qed.

Example threshold_at_refused : check_threshold_at (Chances 3 4 1 4) (Threshold 2 1 2 1 2 2 6 101 25 13 50) = false.
Proof. vm_compute. reflexivity. Qed.

Example tuples_accepted : check_tuples (Tuples 1 3 1 3 1 4 1 2) = true.
Proof. vm_compute. reflexivity. Qed.

Example tuples_refused : check_tuples (Tuples 1 3 1 9 1 4 1 2) = false.
Proof. vm_compute. reflexivity. Qed.

Example breach_accepted : check_breach
  (Breach (Levels 1 2 4 1 4 1 2) [1; 1; 1; 1] [0] 0 1 4 5 8) = true.
Proof. vm_compute. reflexivity. Qed.

Example breach_refused : check_breach
  (Breach (Levels 1 2 4 1 4 3 4) [1; 1; 1; 1] [0] 0 1 4 5 8) = false.
Proof. vm_compute. reflexivity. Qed.

Example safe_accepted : check_safe (Safe (Levels 1 2 4 1 10 1 2) 5 1) = true.
Proof. vm_compute. reflexivity. Qed.

Example safe_refused : check_safe (Safe (Levels 1 2 4 1 4 1 2) 5 1) = false.
Proof. vm_compute. reflexivity. Qed.

(* Ten values of one record each: two of them fit into 1/5, and seeing one of the two lifts the belief in both to 3/5. *)
Example counted_accepted : check_counted (Counted (Levels 1 2 10 1 5 2 3) [1; 1; 1; 1; 1; 1; 1; 1; 1; 1] 3 5) = true.
Proof. vm_compute. reflexivity. Qed.

Example counted_refused : check_counted (Counted (Levels 1 2 10 1 5 2 3) [1; 1; 1; 1; 1; 1; 1; 1; 1; 1] 4 7) = false.
Proof. vm_compute. reflexivity. Qed.
