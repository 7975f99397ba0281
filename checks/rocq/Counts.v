(* number-count.md, lemma 3: if one row is replaced, a histogram moves by at most 2 in l1, and by at most 2 in the
   square of l2. *)
Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Section Counts.
Variable cell : Type.
Variable same : forall a b : cell, {a = b} + {a <> b}.
Definition one (a c : cell) : Z := if same a c then 1 else 0.
Fixpoint count (rows : list cell) (c : cell) : Z :=
  match rows with [] => 0 | a :: rest => one a c + count rest c end.
Fixpoint l1 (f g : cell -> Z) (cells : list cell) : Z :=
  match cells with [] => 0 | c :: rest => Z.abs (f c - g c) + l1 f g rest end.
Fixpoint l2_squared (f g : cell -> Z) (cells : list cell) : Z :=
  match cells with [] => 0 | c :: rest => (f c - g c) * (f c - g c) + l2_squared f g rest end.

Lemma count_split : forall before after a c,
  count (before ++ a :: after) c = one a c + count (before ++ after) c.
Proof. induction before as [|x rest IH]; intros; cbn [count app]; [reflexivity|]. rewrite IH. lia. Qed.

Fixpoint hits (a : cell) (cells : list cell) : Z :=
  match cells with [] => 0 | c :: rest => one a c + hits a rest end.

Lemma hits_at_most_one : forall a cells, NoDup cells -> 0 <= hits a cells <= 1.
Proof.
  intros a cells H. induction H as [|c rest Hc H IH]; cbn [hits]; [lia|].
  unfold one. destruct (same a c) as [->|Hn]; [|lia].
  assert (hits c rest = 0); [|lia]. clear - Hc. induction rest as [|x r IH]; cbn [hits]; [reflexivity|].
  unfold one. destruct (same c x) as [->|Hn]; [exfalso; apply Hc; left; reflexivity|]. rewrite IH; [reflexivity|].
  intros Hi. apply Hc. right. exact Hi.
Qed.

Theorem histogram_l1 : forall before after a b cells, NoDup cells ->
  l1 (count (before ++ a :: after)) (count (before ++ b :: after)) cells <= 2.
Proof.
  intros before after a b cells H. pose proof (hits_at_most_one a cells H). pose proof (hits_at_most_one b cells H).
  assert (l1 (count (before ++ a :: after)) (count (before ++ b :: after)) cells <= hits a cells + hits b cells);
    [|lia].
  clear. induction cells as [|c rest IH]; cbn [l1 hits]; [lia|]. rewrite !count_split. unfold one.
  destruct (same a c), (same b c); lia.
Qed.

Theorem histogram_l2 : forall before after a b cells, NoDup cells ->
  l2_squared (count (before ++ a :: after)) (count (before ++ b :: after)) cells <= 2.
Proof.
  intros before after a b cells H. pose proof (hits_at_most_one a cells H). pose proof (hits_at_most_one b cells H).
  assert (l2_squared (count (before ++ a :: after)) (count (before ++ b :: after)) cells
          <= hits a cells + hits b cells); [|lia].
  clear. induction cells as [|c rest IH]; cbn [l2_squared hits]; [lia|]. rewrite !count_split.
  set (n := count (before ++ after) c). unfold one. destruct (same a c), (same b c); nia.
Qed.
End Counts.
Print Assumptions histogram_l1.
Print Assumptions histogram_l2.
