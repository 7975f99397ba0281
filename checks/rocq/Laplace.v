(* privacy-noise.md, statement 6: the discrete Laplace law of a vector, with one scale per coordinate. A coordinate has
   the probability c exp(-|z - q| / s), where c depends on s alone. *)
Require Import ZArith Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

(* A coordinate: its constant c and its scale s. Then what is released, z, and the value, q. *)
Definition mass (c s : R) (z q : Z) : R := c * exp (- Rabs (IZR (z - q)) / s).

Fixpoint joint (scales : list (R * R)) (z q : list Z) : R :=
  match scales, z, q with
  | (c, s) :: rest, x :: zs, y :: qs => mass c s x y * joint rest zs qs
  | _, _, _ => 1
  end.

Fixpoint loss (scales : list (R * R)) (q q' : list Z) : R :=
  match scales, q, q' with
  | (_, s) :: rest, x :: qs, y :: qs' => Rabs (IZR (x - y)) / s + loss rest qs qs'
  | _, _, _ => 0
  end.

Definition proper (scales : list (R * R)) : Prop := forall c s, In (c, s) scales -> 0 < c /\ 0 < s.

Lemma mass_moves : forall c s z q q', 0 < c -> 0 < s ->
  0 < mass c s z q /\ mass c s z q <= exp (Rabs (IZR (q - q')) / s) * mass c s z q'.
Proof.
  intros c s z q q' Hc Hs. unfold mass. split; [apply Rmult_lt_0_compat; [exact Hc|apply exp_pos]|].
  rewrite <- Rmult_assoc, (Rmult_comm _ c), Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  rewrite <- exp_plus.
  assert (H : - Rabs (IZR (z - q)) / s <= Rabs (IZR (q - q')) / s + - Rabs (IZR (z - q')) / s).
  { apply Rmult_le_reg_r with s; [exact Hs|].
    replace (- Rabs (IZR (z - q)) / s * s) with (- Rabs (IZR (z - q))) by (field; lra).
    replace ((Rabs (IZR (q - q')) / s + - Rabs (IZR (z - q')) / s) * s)
      with (Rabs (IZR (q - q')) - Rabs (IZR (z - q'))) by (field; lra).
    pose proof (Rabs_triang (IZR (z - q)) (IZR (q - q'))) as Ht. rewrite <- plus_IZR in Ht.
    replace (z - q + (q - q'))%Z with (z - q')%Z in Ht by lia. lra. }
  destruct H as [H|H]; [left; apply exp_increasing; exact H|right; rewrite H; reflexivity].
Qed.

Theorem laplace_ratio : forall scales z q q', proper scales ->
  length z = length scales -> length q = length scales -> length q' = length scales ->
  0 < joint scales z q /\ joint scales z q <= exp (loss scales q q') * joint scales z q'.
Proof.
  induction scales as [|[c s] rest IH]; intros [|x z] [|y q] [|y' q'] Hp Hz Hq Hq'; simpl in *; try discriminate.
  - rewrite exp_0. lra.
  - destruct (Hp c s ltac:(left; reflexivity)) as [Hc Hs].
    assert (Hp' : proper rest) by (intros a b Hin; apply Hp; right; exact Hin).
    destruct (IH z q q' Hp' ltac:(lia) ltac:(lia) ltac:(lia)) as [Hpos Hle].
    destruct (mass_moves c s x y y' Hc Hs) as [Mpos Mle]. split; [apply Rmult_lt_0_compat; assumption|].
    rewrite exp_plus.
    replace (exp (Rabs (IZR (y - y')) / s) * exp (loss rest q q') * (mass c s x y' * joint rest z q'))
      with ((exp (Rabs (IZR (y - y')) / s) * mass c s x y') * (exp (loss rest q q') * joint rest z q')) by ring.
    apply Rmult_le_compat; lra.
Qed.

(* One scale s, l1 sensitivity D, and s epsilon >= D. *)
Fixpoint distance (q q' : list Z) : R :=
  match q, q' with x :: qs, y :: qs' => Rabs (IZR (x - y)) + distance qs qs' | _, _ => 0 end.

Theorem laplace_private : forall c s epsilon D z q q', 0 < c -> 0 < s -> D <= s * epsilon ->
  length q = length z -> length q' = length z -> distance q q' <= D ->
  joint (repeat (c, s) (length z)) z q <= exp epsilon * joint (repeat (c, s) (length z)) z q'.
Proof.
  intros c s epsilon D z q q' Hc Hs Hscale Hq Hq' HD.
  assert (Hlen : forall k, length (repeat (c, s) k) = k) by (induction k; simpl; congruence).
  assert (Hp : proper (repeat (c, s) (length z))).
  { intros a b Hin. apply repeat_spec in Hin. injection Hin as -> ->. split; assumption. }
  destruct (laplace_ratio (repeat (c, s) (length z)) z q q' Hp) as [_ Hle]; try (rewrite Hlen; congruence).
  assert (Hpos' : 0 < joint (repeat (c, s) (length z)) z q')
    by (apply (laplace_ratio _ z q' q' Hp); rewrite Hlen; congruence).
  assert (Hloss : loss (repeat (c, s) (length z)) q q' * s = distance q q').
  { clear - Hs Hq Hq'. revert q q' Hq Hq'. induction z as [|x z IH]; intros [|y q] [|y' q'] Hq Hq'; simpl in *;
      try discriminate; [ring|]. rewrite Rmult_plus_distr_r, IH by lia. field. lra. }
  assert (Hsmall : loss (repeat (c, s) (length z)) q q' <= epsilon)
    by (apply Rmult_le_reg_r with s; [exact Hs|]; rewrite Hloss; lra).
  eapply Rle_trans; [exact Hle|]. apply Rmult_le_compat_r; [lra|].
  destruct Hsmall as [H|H]; [left; apply exp_increasing; exact H|right; rewrite H; reflexivity].
Qed.
Print Assumptions laplace_ratio.
Print Assumptions laplace_private.
