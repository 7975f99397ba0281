(* number-quantile.md, lemma 3: w(k + 1) = ceil(ceil(w 2^62 / E') / 2^Q) is the smallest w' with w <= E w', where E =
   2^Q E' 2^-62. So w(k) <= E w(k + 1), the table falls, and its weights are at least 1. *)
Require Import ZArith Lia.
Open Scope Z_scope.

Definition ceiling (a b : Z) : Z := (a + (b - 1)) / b.
Definition next (w factor q : Z) : Z := ceiling (ceiling (w * 2^62) factor) (2^q).

Lemma ceiling_least : forall a b c, 0 < b -> (ceiling a b <= c <-> a <= c * b).
Proof.
  intros a b c Hb. unfold ceiling.
  pose proof (Z.div_mod (a + (b - 1)) b ltac:(lia)). pose proof (Z.mod_pos_bound (a + (b - 1)) b Hb). split; nia.
Qed.

Theorem next_is_least : forall w factor q c, 0 < factor -> 0 <= q ->
  (next w factor q <= c <-> w * 2^62 <= c * (2^q * factor)).
Proof.
  intros w factor q c Hf Hq. assert (0 < 2^q) by (apply Z.pow_pos_nonneg; lia).
  unfold next. rewrite ceiling_least by lia. rewrite ceiling_least by lia. rewrite Z.mul_assoc. reflexivity.
Qed.

Theorem next_keeps_ratio : forall w factor q, 0 < factor -> 0 <= q -> w * 2^62 <= next w factor q * (2^q * factor).
Proof. intros. apply next_is_least; lia. Qed.

Theorem next_falls : forall w factor q, 1 <= w -> 2^62 <= factor -> 0 <= q -> 1 <= next w factor q <= w.
Proof.
  intros w factor q Hw Hf Hq. assert (1 <= 2^q) by (pose proof (Z.pow_pos_nonneg 2 q); lia). split.
  - assert (~ next w factor q <= 0); [|lia]. rewrite next_is_least by lia. assert (0 < 2^62) by reflexivity. nia.
  - apply next_is_least; [lia|lia|]. assert (factor <= 2^q * factor) by nia. nia.
Qed.

(* the intermediate number *)
Theorem next_fits : forall w factor, 0 <= w <= 2^62 -> 0 < factor < 2^63 -> 0 <= w * 2^62 + (factor - 1) < 2^125.
Proof.
  intros w factor Hw Hf. change (2^62) with 4611686018427387904 in *. change (2^63) with 9223372036854775808 in *.
  change (2^125) with 42535295865117307932921825928971026432. lia.
Qed.

(* Q > 62 *)
Theorem next_beyond : forall w factor q, 1 <= w <= 2^62 -> 2^62 <= factor -> 62 < q -> next w factor q = 1.
Proof.
  intros w factor q Hw Hf Hq. pose proof (next_falls w factor q ltac:(lia) Hf ltac:(lia)).
  assert (next w factor q <= 1); [|lia]. apply next_is_least; [lia|lia|].
  assert (2^62 <= 2^q) by (apply Z.pow_le_mono_r; lia). assert (0 < 2^62) by reflexivity. nia.
Qed.
Print Assumptions next_is_least.
Print Assumptions next_keeps_ratio.
Print Assumptions next_falls.
Print Assumptions next_fits.
Print Assumptions next_beyond.
