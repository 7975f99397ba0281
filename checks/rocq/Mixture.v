(* base-people.md, lemmas A and B: a person's weighted rows add W times a mixture of rows to a sum. So a convex f that
   is at most D on differences of two rows is at most D on (S - S') / W. A vector is a function of its coordinates. *)
Require Import Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

Section Mixture.
Variable coordinate : Type.
Definition vector := coordinate -> R.
Definition plus (u v : vector) : vector := fun c => u c + v c.
Definition minus (u v : vector) : vector := fun c => u c - v c.
Definition times (a : R) (v : vector) : vector := fun c => a * v c.
Definition zero : vector := fun _ => 0.

Variable f : vector -> R.
Hypothesis f_same : forall u v, (forall c, u c = v c) -> f u = f v.
Hypothesis f_convex : forall a u v, 0 <= a <= 1 -> f (plus (times a u) (times (1 - a) v)) <= a * f u + (1 - a) * f v.

(* Sums and total weights of rows, each with its weight. *)
Fixpoint weight (rows : list (nat * vector)) : nat :=
  match rows with [] => 0%nat | (w, _) :: rest => (w + weight rest)%nat end.
Fixpoint sum (rows : list (nat * vector)) : vector :=
  match rows with [] => zero | (w, v) :: rest => plus (times (INR w) v) (sum rest) end.

(* Jensen's inequality for rows that are moved by s and t: the sign is 1 for new rows and -1 for old ones. *)
Lemma jensen : forall sign D shift rows, (0 < weight rows)%nat ->
  (forall w v, In (w, v) rows -> f (plus shift (times sign v)) <= D) ->
  f (plus shift (times (sign / INR (weight rows)) (sum rows))) <= D.
Proof.
  intros sign D shift rows. induction rows as [|[w v] rest IH]; intros Hw Hrows; [simpl in Hw; lia|].
  destruct (Nat.eq_dec (weight rest) 0) as [Hzero|Hmore].
  - (* the other weights are 0 *)
    assert (Hsum : forall c, sum rest c = 0).
    { clear - Hzero. induction rest as [|[x y] r IH]; intros c; simpl in *; [reflexivity|].
      assert (x = 0%nat) by lia. assert (weight r = 0%nat) by lia. subst x.
      unfold plus, times. rewrite IH by assumption. simpl. ring. }
    rewrite (f_same _ (plus shift (times sign v))).
    + apply (Hrows w). left. reflexivity.
    + intros c. unfold plus, times. simpl. unfold plus, times. rewrite Hsum, Hzero, Nat.add_0_r.
      simpl in Hw. assert (0 < INR w) by (apply lt_0_INR; lia). field. lra.
  - assert (Hrest : 0 < INR (weight rest)) by (apply lt_0_INR; lia). pose proof (pos_INR w) as Hown.
    set (a := INR w / (INR w + INR (weight rest))).
    assert (Ha : 0 <= a <= 1).
    { unfold a. split.
      - apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. lra.
      - apply Rmult_le_reg_r with (INR w + INR (weight rest)); [lra|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
    rewrite (f_same _ (plus (times a (plus shift (times sign v)))
                            (times (1 - a) (plus shift (times (sign / INR (weight rest)) (sum rest)))))).
    + eapply Rle_trans; [apply f_convex; exact Ha|].
      assert (f (plus shift (times sign v)) <= D) by (apply (Hrows w); left; reflexivity).
      assert (f (plus shift (times (sign / INR (weight rest)) (sum rest))) <= D).
      { apply IH; [lia|]. intros x y Hin. apply (Hrows x). right. exact Hin. }
      nra.
    + intros c. unfold plus, times. simpl. unfold plus, times. rewrite plus_INR. unfold a. field. lra.
Qed.

(* S and S' are the sums of all rows, and `others` is the sum of all other people. *)
Theorem mixture_moves : forall D W others old new, (0 < W)%nat -> weight old = W -> weight new = W ->
  (forall w v w' v', In (w, v) old -> In (w', v') new -> f (minus v v') <= D) ->
  f (times (/ INR W) (minus (plus others (sum old)) (plus others (sum new)))) <= D.
Proof.
  intros D W others old new HW Ho Hn Hrows. assert (0 < INR W) by (apply lt_0_INR; lia).
  set (mean := times (/ INR W) (sum old)).
  rewrite (f_same _ (plus mean (times (-1 / INR (weight new)) (sum new)))).
  - apply jensen; [lia|]. intros w' v' Hnew.
    rewrite (f_same _ (plus (times (-1) v') (times (1 / INR (weight old)) (sum old)))).
    + apply jensen; [lia|]. intros w v Hold. rewrite (f_same _ (minus v v')); [exact (Hrows w v w' v' Hold Hnew)|].
      intros c. unfold plus, minus, times. ring.
    + intros c. unfold mean, plus, times. rewrite Ho. field. lra.
  - intros c. unfold mean, plus, minus, times. rewrite Hn. field. lra.
Qed.

(* A person without rows adds nothing. *)
Theorem mixture_comes : forall D W others rows, (0 < W)%nat -> weight rows = W ->
  (forall w v, In (w, v) rows -> f v <= D /\ f (times (-1) v) <= D) ->
  f (times (/ INR W) (minus (plus others (sum rows)) others)) <= D /\
  f (times (/ INR W) (minus others (plus others (sum rows)))) <= D.
Proof.
  intros D W others rows HW Hr Hrows. assert (0 < INR W) by (apply lt_0_INR; lia). split.
  - rewrite (f_same _ (plus zero (times (1 / INR (weight rows)) (sum rows)))).
    + apply jensen; [lia|]. intros w v Hin. rewrite (f_same _ v); [apply (Hrows w v Hin)|].
      intros c. unfold plus, times, zero. ring.
    + intros c. unfold plus, minus, times, zero. rewrite Hr. field. lra.
  - rewrite (f_same _ (plus zero (times (-1 / INR (weight rows)) (sum rows)))).
    + apply jensen; [lia|]. intros w v Hin. rewrite (f_same _ (times (-1) v)); [apply (Hrows w v Hin)|].
      intros c. unfold plus, times, zero. ring.
    + intros c. unfold plus, minus, times, zero. rewrite Hr. field. lra.
Qed.
End Mixture.
Print Assumptions mixture_moves.
Print Assumptions mixture_comes.
