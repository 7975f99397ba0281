(* base-people.md, proposition 1: the integer weights of a person's m rows add up to W, and each is floor(W / m) or one
   more. "All quantities are integers": they fit into 64 bits. *)
Require Import ZArith Lia.
Open Scope Z_scope.

Definition middle (m : Z) : Z := m / 2.
Definition up_to (W m j : Z) : Z := (j * W + middle m) / m.
Definition weight (W m j : Z) : Z := up_to W m j - up_to W m (j - 1).

Fixpoint total (W m : Z) (rows : nat) : Z :=
  match rows with
  | O => 0
  | S before => total W m before + weight W m (Z.of_nat (S before))
  end.

Lemma telescope : forall W m n, total W m n = up_to W m (Z.of_nat n) - up_to W m 0.
Proof.
  intros W m n. induction n as [|k IH].
  - simpl. lia.
  - cbn [total]. rewrite IH. unfold weight. replace (Z.of_nat (S k) - 1) with (Z.of_nat k) by lia. lia.
Qed.

Theorem weights_add_up : forall W m, 0 < m -> 0 <= W -> total W m (Z.to_nat m) = W.
Proof.
  intros W m Hm HW. rewrite telescope. rewrite Z2Nat.id by lia. unfold up_to.
  assert (Hu : 0 <= middle m < m).
  { unfold middle. split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. }
  replace (0 * W + middle m) with (middle m) by lia. rewrite (Z.div_small (middle m) m Hu).
  replace (m * W + middle m) with (middle m + W * m) by lia.
  rewrite Z.div_add by lia. rewrite (Z.div_small (middle m) m Hu). lia.
Qed.

Theorem weight_bounds : forall W m j, 0 < m -> 0 <= W -> 0 <= W / m <= weight W m j /\ weight W m j <= W / m + 1.
Proof.
  intros W m j Hm HW. pose proof (Z.div_pos W m HW Hm). unfold weight, up_to.
  set (a := (j - 1) * W + middle m). replace (j * W + middle m) with (a + W) by (unfold a; lia).
  pose proof (Z.div_mod a m ltac:(lia)). pose proof (Z.div_mod W m ltac:(lia)).
  pose proof (Z.div_mod (a + W) m ltac:(lia)).
  pose proof (Z.mod_pos_bound a m Hm). pose proof (Z.mod_pos_bound W m Hm). pose proof (Z.mod_pos_bound (a + W) m Hm).
  repeat split; nia.
Qed.

Theorem weights_fit : forall W m j, 0 <= W <= 2^20 -> 0 < m < 2^31 -> 0 <= j <= m ->
  0 <= j * W + middle m < 2^63.
Proof.
  intros W m j HW Hm Hj. unfold middle. pose proof (Z.div_pos m 2 ltac:(lia) ltac:(lia)).
  assert (m / 2 < 2^31) by (apply Z.div_lt_upper_bound; lia).
  change (2^20) with 1048576 in *. change (2^31) with 2147483648 in *. change (2^63) with 9223372036854775808. nia.
Qed.
Print Assumptions weights_add_up.
Print Assumptions weight_bounds.
Print Assumptions weights_fit.
