(* number-quantile.md, lemma 7: T(m) = floor((2 h a m + h q) / (2 q)) is the target of a split of m rows. If a row
   enters the part, then the distance moves by at most s = max(ceil(h a / q), h - floor(h a / q)). If a row moves within
   it, then the distance moves by at most h, and h <= 2 s. Distances are in halves of the unit, hence integers. *)
Require Import ZArith Lia.
Open Scope Z_scope.

Section Halving.
Variables h a q : Z.
Hypothesis h_positive : 0 < h.
Hypothesis q_positive : 0 < q.
Hypothesis a_bounds : 0 <= a <= q.
Definition target (m : Z) : Z := (2 * h * a * m + h * q) / (2 * q).
Definition low : Z := h * a / q.
Definition high : Z := (h * a + (q - 1)) / q.
Definition s : Z := Z.max high (h - low).
Definition distance (m below upto : Z) : Z :=
  Z.max 0 (Z.max (2 * target m - h - 2 * h * upto) (2 * h * below - 2 * target m + h)).

Lemma target_moves : forall m, low <= target (m + 1) - target m <= high.
Proof.
  intros m. unfold target, low, high.
  replace (2 * h * a * (m + 1) + h * q) with (2 * h * a * m + h * q + 2 * (h * a)) by ring.
  set (x := 2 * h * a * m + h * q). set (y := h * a).
  pose proof (Z.div_mod x (2 * q) ltac:(lia)). pose proof (Z.mod_pos_bound x (2 * q) ltac:(lia)).
  pose proof (Z.div_mod (x + 2 * y) (2 * q) ltac:(lia)).
  pose proof (Z.mod_pos_bound (x + 2 * y) (2 * q) ltac:(lia)).
  pose proof (Z.div_mod y q ltac:(lia)). pose proof (Z.mod_pos_bound y q q_positive).
  pose proof (Z.div_mod (y + (q - 1)) q ltac:(lia)). pose proof (Z.mod_pos_bound (y + (q - 1)) q q_positive).
  split; nia.
Qed.

(* The row adds 0 or 1 to the rows before the place and to those up to its end. *)
Theorem split_enters : forall m below upto b u, 0 <= b <= 1 -> 0 <= u <= 1 ->
  Z.abs (distance (m + 1) (below + b) (upto + u) - distance m below upto) <= 2 * s.
Proof.
  intros m below upto b u Hb Hu. pose proof (target_moves m) as Ht. unfold distance, s.
  assert (0 <= low) by (unfold low; apply Z.div_pos; nia).
  assert (high <= h) by (unfold high; apply Z.lt_succ_r; apply Z.div_lt_upper_bound; nia).
  assert (b = 0 \/ b = 1) as [-> | ->] by lia; assert (u = 0 \/ u = 1) as [-> | ->] by lia; lia.
Qed.

Theorem split_moves : forall m below upto b u, -1 <= b <= 1 -> -1 <= u <= 1 ->
  Z.abs (distance m (below + b) (upto + u) - distance m below upto) <= 2 * h /\ h <= 2 * s.
Proof.
  intros m below upto b u Hb Hu. split.
  - unfold distance. assert (b = -1 \/ b = 0 \/ b = 1) as [-> | [-> | ->]] by lia;
      assert (u = -1 \/ u = 0 \/ u = 1) as [-> | [-> | ->]] by lia; lia.
  - unfold s. pose proof (target_moves 0). lia.
Qed.
End Halving.
Print Assumptions split_enters.
Print Assumptions split_moves.
