(* privacy-rounded-normal.md, lemma 5: x + 1/2 is between A/2^d and (A + m)/2^d, and both ends of this range, the upper
   one without itself, have the integer part n. Then n is the integer next to x. *)
Require Import ZArith Reals Lra Lia.
Open Scope R_scope.

Theorem rounding_decided : forall (x : R) (A m d : Z), (0 <= d)%Z ->
  IZR A <= IZR (2 ^ d) * (x + / 2) < IZR (A + m) ->
  (A / 2 ^ d = (A + m - 1) / 2 ^ d)%Z ->
  IZR (A / 2 ^ d) <= x + / 2 < IZR (A / 2 ^ d) + 1.
Proof.
  intros x A m d Hd [Hlow Hhigh] Hsame. assert (Hp : (0 < 2 ^ d)%Z) by (apply Z.pow_pos_nonneg; lia).
  set (u := (2 ^ d)%Z) in *.
  pose proof (Z.div_mod A u ltac:(lia)) as EA. pose proof (Z.mod_pos_bound A u Hp) as BA.
  pose proof (Z.div_mod (A + m - 1) u ltac:(lia)) as EB. pose proof (Z.mod_pos_bound (A + m - 1) u Hp) as BB.
  rewrite <- Hsame in EB. set (n := (A / u)%Z) in *.
  assert (Hn : (u * n <= A)%Z) by lia. assert (Hm : (A + m <= u * (n + 1))%Z) by lia.
  apply IZR_le in Hn. apply IZR_le in Hm. apply IZR_lt in Hp. rewrite mult_IZR in Hn, Hm.
  rewrite (plus_IZR n) in Hm.
  split.
  - apply Rmult_le_reg_l with (IZR u); [exact Hp|]. eapply Rle_trans; [exact Hn|exact Hlow].
  - apply Rmult_lt_reg_l with (IZR u); [exact Hp|]. eapply Rlt_le_trans; [exact Hhigh|exact Hm].
Qed.
Print Assumptions rounding_decided.
