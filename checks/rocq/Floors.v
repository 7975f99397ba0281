(* dtm-sensitivity.md, (5): a number that moves by at most K before it is cut to an integer moves by at most K after
   it (lemma 9), and so does F = floor(S K / (W C)), as dpt_power_sum_steps() computes it for r = 1. *)
Require Import ZArith Reals Lra Lia.
Open Scope Z_scope.

Theorem steps_move : forall S S' K C W, 0 < C -> 0 < W -> 0 <= K -> Z.abs (S - S') <= W * C ->
  Z.abs (S * K / (W * C) - S' * K / (W * C)) <= K.
Proof.
  intros S S' K C W HC HW HK H. assert (0 < W * C) by nia. set (D := W * C) in *.
  pose proof (Z.div_mod (S * K) D ltac:(lia)). pose proof (Z.mod_pos_bound (S * K) D ltac:(lia)).
  pose proof (Z.div_mod (S' * K) D ltac:(lia)). pose proof (Z.mod_pos_bound (S' * K) D ltac:(lia)).
  assert (Z.abs (S * K - S' * K) <= D * K) by (rewrite <- Z.mul_sub_distr_r, Z.abs_mul, (Z.abs_eq K) by lia; nia).
  nia.
Qed.

(* any r, in the reals *)
Theorem floors_move : forall (x y : R) (K : Z), (- IZR K <= x - y <= IZR K)%R ->
  Z.abs (Int_part x - Int_part y) <= K.
Proof.
  intros x y K H. pose proof (base_Int_part x). pose proof (base_Int_part y).
  assert (Int_part x - Int_part y < K + 1) by (apply lt_IZR; rewrite minus_IZR, plus_IZR; lra).
  assert (Int_part y - Int_part x < K + 1) by (apply lt_IZR; rewrite minus_IZR, plus_IZR; lra). lia.
Qed.
Print Assumptions steps_move.
Print Assumptions floors_move.
