(* diagram-private.md, lemma 4: 2^62 <= E' < 2^63, for the loop of dpt_factor_below() at every `rest` below 2^63 log 2.
   The terms grow with `rest`. So a bound that holds at both ends, where the loop is computed, holds between them. *)
Require Import ZArith Lia.
Open Scope Z_scope.

Definition step (rest term k : Z) : Z := (term * rest / 2^63) / k.

Fixpoint loop (rest : Z) (left : nat) (k term sum : Z) : Z :=
  match left with
  | O => sum
  | S n => loop rest n (k + 1) (step rest term k) (sum + step rest term k)
  end.

Definition factor (rest : Z) : Z := loop rest 40 1 (2^63) (2^63) / 2.

Lemma step_grows : forall r r' t t' k, 0 < k -> 0 <= r <= r' -> 0 <= t <= t' ->
  0 <= step r t k <= step r' t' k.
Proof.
  intros r r' t t' k Hk Hr Ht. unfold step. split.
  - apply Z.div_pos; [apply Z.div_pos; nia | lia].
  - apply Z.div_le_mono; [lia|]. apply Z.div_le_mono; [lia|]. nia.
Qed.

Lemma loop_grows : forall n r r' k t t' s s', 0 < k -> 0 <= r <= r' -> 0 <= t <= t' -> s <= s' ->
  loop r n k t s <= loop r' n k t' s'.
Proof.
  induction n as [|n IH]; intros r r' k t t' s s' Hk Hr Ht Hs; cbn [loop]; [lia|].
  pose proof (step_grows r r' t t' k Hk Hr Ht). apply IH; lia.
Qed.

(* log 2 with 112 places, rounded up, as in the code *)
Definition log_two : Z := 0xB17217F7D1CF * 2^64 + 0x79ABC9E3B39803F3.
Definition most : Z := log_two / 2^49.

Theorem factor_bounds : forall rest, 0 <= rest <= most -> 2^62 <= factor rest < 2^63.
Proof.
  intros rest H. unfold factor.
  assert (Hlow : loop 0 40 1 (2^63) (2^63) <= loop rest 40 1 (2^63) (2^63)) by (apply loop_grows; lia).
  assert (Hhigh : loop rest 40 1 (2^63) (2^63) <= loop most 40 1 (2^63) (2^63)) by (apply loop_grows; lia).
  assert (Elow : loop 0 40 1 (2^63) (2^63) = 2^63) by (vm_compute; reflexivity).
  assert (Ehigh : loop most 40 1 (2^63) (2^63) < 2^64) by (vm_compute; reflexivity).
  rewrite Elow in Hlow. split.
  - change (2^62) with (2^63 / 2). apply Z.div_le_mono; lia.
  - apply Z.div_lt_upper_bound; [lia|]. change (2 * 2^63) with (2^64). lia.
Qed.

(* `rest` is x mod log_two, without its last 49 places. *)
Theorem rest_bounds : forall x, 0 <= x -> 0 <= (x - x / log_two * log_two) / 2^49 <= most.
Proof.
  intros x Hx. pose proof (Z.mod_pos_bound x log_two ltac:(reflexivity)) as H.
  rewrite Z.mod_eq in H by discriminate. rewrite (Z.mul_comm log_two) in H.
  split; [apply Z.div_pos; lia|]. unfold most. apply Z.div_le_mono; lia.
Qed.

(* Terms never grow, so they stay at most 2^63, and the products fit into 128 bits. *)
Theorem factor_fits : forall rest t k, 0 <= rest <= most -> 0 <= t <= 2^63 -> 0 < k ->
  0 <= t * rest < 2^126 /\ 0 <= step rest t k <= t.
Proof.
  intros rest t k Hr Ht Hk. assert (most < 2^63) by reflexivity. split.
  - change (2^126) with (2^63 * 2^63). nia.
  - unfold step. assert (H1 : 0 <= t * rest / 2^63 <= t).
    { split; [apply Z.div_pos; nia|]. apply Z.div_le_upper_bound; [lia|]. nia. }
    split; [apply Z.div_pos; lia|]. apply Z.div_le_upper_bound; [lia|]. nia.
Qed.
Print Assumptions factor_bounds.
Print Assumptions rest_bounds.
Print Assumptions factor_fits.
