(* diagram-private.md, lemma 2; number-quantile.md, lemma 2; privacy-choice.md, claim 3: if each weight changes by a
   factor of at most E, then each probability changes by at most E^2. For any finite family of outcomes with any
   measure mu >= 0. Products are compared, so that nothing is divided. *)
Require Import Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

Section Ratio.
Variable outcome : Type.
Variable mu : outcome -> R.
Variable E : R.
Hypothesis mu_nonnegative : forall o, 0 <= mu o.
Hypothesis E_nonnegative : 0 <= E.

Fixpoint total (weight : outcome -> R) (all : list outcome) : R :=
  match all with [] => 0 | o :: rest => weight o * mu o + total weight rest end.

Lemma total_nonnegative : forall a all, (forall o, 0 <= a o) -> 0 <= total a all.
Proof.
  intros a all H. induction all as [|o rest IH]; simpl; [lra|].
  pose proof (H o). pose proof (mu_nonnegative o). nra.
Qed.

Lemma total_moves : forall a b all, (forall o, a o <= E * b o) -> total a all <= E * total b all.
Proof.
  intros a b all H. induction all as [|o rest IH]; simpl; [lra|].
  pose proof (H o). pose proof (mu_nonnegative o).
  assert (a o * mu o <= E * b o * mu o) by (apply Rmult_le_compat_r; assumption). lra.
Qed.

(* a(o) mu(o) / total(a) <= E^2 b(o) mu(o) / total(b) *)
Theorem mechanism_ratio : forall a b all o, (forall o, 0 <= a o) -> (forall o, 0 <= b o) ->
  (forall o, a o <= E * b o) -> (forall o, b o <= E * a o) ->
  a o * mu o * total b all <= E * E * (b o * mu o * total a all).
Proof.
  intros a b all o Ha Hb Hab Hba.
  pose proof (total_nonnegative b all Hb). pose proof (total_moves b a all Hba) as Htotal.
  pose proof (mu_nonnegative o). pose proof (Hb o). pose proof (Hab o).
  assert (a o * mu o <= E * b o * mu o) by (apply Rmult_le_compat_r; assumption).
  assert (a o * mu o * total b all <= E * b o * mu o * total b all) by (apply Rmult_le_compat_r; assumption).
  assert (0 <= E * b o * mu o) by (repeat apply Rmult_le_pos; assumption).
  assert (E * b o * mu o * total b all <= E * b o * mu o * (E * total a all))
    by (apply Rmult_le_compat_l; assumption).
  lra.
Qed.

(* Weights from a table V that falls, with V(s) <= E V(s + moves). Scores of neighbors differ by at most `moves`. *)
Theorem table_ratio : forall (V : nat -> R) (moves : nat) (s s' : outcome -> nat) all o,
  (forall k, 0 < V k) -> (forall j k, (j <= k)%nat -> V k <= V j) -> (forall k, V k <= E * V (k + moves)%nat) ->
  (forall o, (s o <= s' o + moves)%nat) -> (forall o, (s' o <= s o + moves)%nat) ->
  V (s o) * mu o * total (fun o => V (s' o)) all <= E * E * (V (s' o) * mu o * total (fun o => V (s o)) all).
Proof.
  intros V moves s s' all o Hpos Hfalls Hslow Hs Hs'.
  apply (mechanism_ratio (fun o => V (s o)) (fun o => V (s' o))); intros x.
  - left. apply Hpos.
  - left. apply Hpos.
  - eapply Rle_trans; [apply Hslow|]. apply Rmult_le_compat_l; [exact E_nonnegative|]. apply Hfalls, Hs'.
  - eapply Rle_trans; [apply Hslow|]. apply Rmult_le_compat_l; [exact E_nonnegative|]. apply Hfalls, Hs.
Qed.
End Ratio.
Print Assumptions mechanism_ratio.
Print Assumptions table_ratio.
