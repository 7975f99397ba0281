(* base-people.md, lemma C: a statistic of n rows that moves by at most D when one row is replaced moves by at most
   k D when k rows are. So it moves by at most W D when a person with W weighted rows is replaced. *)
Require Import Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

Section Hybrid.
Variable row : Type.
Variable statistic : list row -> R.
Variable n : nat.
Variable D : R.
Hypothesis one_row : forall before after x y, length (before ++ x :: after) = n ->
  Rabs (statistic (before ++ x :: after) - statistic (before ++ y :: after)) <= D.

(* Tables of the same length that differ in at most k positions. *)
Inductive differ : nat -> list row -> list row -> Prop :=
  | nothing : differ 0 [] []
  | same : forall k x l l', differ k l l' -> differ k (x :: l) (x :: l')
  | other : forall k x y l l', differ k l l' -> differ (S k) (x :: l) (y :: l').

Lemma length_both : forall a b : list row, length (a ++ b) = (length a + length b)%nat.
Proof. induction a as [|x a IH]; intros b; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma differ_behind : forall k l l', differ k l l' -> forall before, length (before ++ l) = n ->
  Rabs (statistic (before ++ l) - statistic (before ++ l')) <= INR k * D.
Proof.
  intros k l l' H. induction H as [|k x l l' H IH|k x y l l' H IH]; intros before Hn.
  - rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. simpl. lra.
  - replace (before ++ x :: l) with ((before ++ [x]) ++ l) in * by (rewrite <- app_assoc; reflexivity).
    replace (before ++ x :: l') with ((before ++ [x]) ++ l') by (rewrite <- app_assoc; reflexivity).
    apply IH. exact Hn.
  - pose proof (one_row before l x y Hn) as Hone.
    specialize (IH (before ++ [y])). rewrite <- !app_assoc in IH. simpl in IH.
    assert (Hy : length (before ++ y :: l) = n) by (rewrite length_both in *; simpl in *; lia).
    specialize (IH Hy). rewrite S_INR.
    replace (statistic (before ++ x :: l) - statistic (before ++ y :: l'))
      with ((statistic (before ++ x :: l) - statistic (before ++ y :: l)) +
            (statistic (before ++ y :: l) - statistic (before ++ y :: l'))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma differ_in_rows : forall k l l', differ k l l' -> length l = n ->
  Rabs (statistic l - statistic l') <= INR k * D.
Proof. intros k l l' H Hn. apply (differ_behind k l l' H []). exact Hn. Qed.

(* The table repeats each row as often as its weight. *)
Fixpoint table (rows : list (row * nat)) : list row :=
  match rows with [] => [] | (x, w) :: rest => repeat x w ++ table rest end.
Fixpoint weight (rows : list (row * nat)) : nat :=
  match rows with [] => 0%nat | (_, w) :: rest => (w + weight rest)%nat end.

Lemma table_length : forall rows, length (table rows) = weight rows.
Proof.
  induction rows as [|[x w] rest IH]; simpl; [reflexivity|]. rewrite length_both, IH.
  induction w as [|w IHw]; simpl; lia.
Qed.

Lemma table_app : forall a b, table (a ++ b) = table a ++ table b.
Proof. induction a as [|[x w] rest IH]; intros b; simpl; [reflexivity|]. rewrite IH, app_assoc. reflexivity. Qed.

Lemma differ_equal : forall l, differ 0 l l.
Proof. induction l; constructor; assumption. Qed.

Lemma differ_all : forall a b l, length a = length b -> differ (length a) (a ++ l) (b ++ l).
Proof.
  induction a as [|x a IH]; intros [|y b] l H; simpl in *; try discriminate; [apply differ_equal|].
  constructor. apply IH. lia.
Qed.

Lemma differ_after : forall before k l l', differ k l l' -> differ k (before ++ l) (before ++ l').
Proof. induction before as [|x rest IH]; intros k l l' H; simpl; [exact H|]. constructor. apply IH. exact H. Qed.

Theorem hybrid : forall before after old new W,
  weight (before ++ old ++ after) = n -> weight old = W -> weight new = W ->
  Rabs (statistic (table (before ++ old ++ after)) - statistic (table (before ++ new ++ after))) <= INR W * D.
Proof.
  intros before after old new W Hn Ho Hw. apply differ_in_rows; [|rewrite table_length; exact Hn].
  rewrite !table_app. apply differ_after. rewrite <- Ho, <- (table_length old). apply differ_all.
  rewrite !table_length. lia.
Qed.
End Hybrid.
Print Assumptions hybrid.
