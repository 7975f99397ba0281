(* diagram-private.md, lemma 4: 2^62 <= E' < 2^63, and E = 2^Q E' 2^-62 <= exp(x), for the loop of dpt_factor_below()
   and any x >= 0 of 112 places. Terms grow with `rest`. So a bound that holds at both ends, where the loop is computed,
   holds between them. *)
Require Import ZArith Reals Lra Lia.
Open Scope Z_scope.

Definition step (places rest term k : Z) : Z := (term * rest / 2^places) / k.

Fixpoint loop (places rest : Z) (left : nat) (k term sum : Z) : Z :=
  match left with
  | O => sum
  | S n => loop places rest n (k + 1) (step places rest term k) (sum + step places rest term k)
  end.

Definition series (places rest : Z) : Z := loop places rest 40 1 (2^places) (2^places).
Definition factor (rest : Z) : Z := series 63 rest / 2.

Lemma step_grows : forall r r' t t' k, 0 < k -> 0 <= r <= r' -> 0 <= t <= t' ->
  0 <= step 63 r t k <= step 63 r' t' k.
Proof.
  intros r r' t t' k Hk Hr Ht. unfold step. split.
  - apply Z.div_pos; [apply Z.div_pos; nia | lia].
  - apply Z.div_le_mono; [lia|]. apply Z.div_le_mono; [lia|]. nia.
Qed.

Lemma loop_grows : forall n r r' k t t' s s', 0 < k -> 0 <= r <= r' -> 0 <= t <= t' -> s <= s' ->
  loop 63 r n k t s <= loop 63 r' n k t' s'.
Proof.
  induction n as [|n IH]; intros r r' k t t' s s' Hk Hr Ht Hs; cbn [loop]; [lia|].
  pose proof (step_grows r r' t t' k Hk Hr Ht). apply IH; lia.
Qed.

(* log 2 with 112 places, rounded up, as in the code *)
Definition log_two : Z := 0xB17217F7D1CF * 2^64 + 0x79ABC9E3B39803F3.
Definition most : Z := log_two / 2^49.

Theorem factor_bounds : forall rest, 0 <= rest <= most -> 2^62 <= factor rest < 2^63.
Proof.
  intros rest H. unfold factor, series.
  assert (Hlow : loop 63 0 40 1 (2^63) (2^63) <= loop 63 rest 40 1 (2^63) (2^63)) by (apply loop_grows; lia).
  assert (Hhigh : loop 63 rest 40 1 (2^63) (2^63) <= loop 63 most 40 1 (2^63) (2^63)) by (apply loop_grows; lia).
  assert (Elow : loop 63 0 40 1 (2^63) (2^63) = 2^63) by (vm_compute; reflexivity).
  assert (Ehigh : loop 63 most 40 1 (2^63) (2^63) < 2^64) by (vm_compute; reflexivity).
  rewrite Elow in Hlow. split.
  - change (2^62) with (2^63 / 2). apply Z.div_le_mono; lia.
  - apply Z.div_lt_upper_bound; [lia|]. change (2 * 2^63) with (2^64). lia.
Qed.

(* `rest` is x mod log_two, without its last 49 places. *)
Definition whole (x : Z) : Z := x / log_two.
Definition rest_of (x : Z) : Z := (x - whole x * log_two) / 2^49.

Theorem rest_bounds : forall x, 0 <= x -> 0 <= rest_of x <= most.
Proof.
  intros x Hx. unfold rest_of, whole. pose proof (Z.mod_pos_bound x log_two ltac:(reflexivity)) as H.
  rewrite Z.mod_eq in H by discriminate. rewrite (Z.mul_comm log_two) in H.
  split; [apply Z.div_pos; lia|]. unfold most. apply Z.div_le_mono; lia.
Qed.

(* Terms never grow, so they stay at most 2^63, and the products fit into 128 bits. *)
Theorem factor_fits : forall rest t k, 0 <= rest <= most -> 0 <= t <= 2^63 -> 0 < k ->
  0 <= t * rest < 2^126 /\ 0 <= step 63 rest t k <= t.
Proof.
  intros rest t k Hr Ht Hk. assert (most < 2^63) by reflexivity. split.
  - change (2^126) with (2^63 * 2^63). nia.
  - unfold step. assert (H1 : 0 <= t * rest / 2^63 <= t).
    { split; [apply Z.div_pos; nia|]. apply Z.div_le_upper_bound; [lia|]. nia. }
    split; [apply Z.div_pos; lia|]. apply Z.div_le_upper_bound; [lia|]. nia.
Qed.

(* ---- the series is below exp() ---- *)
Open Scope R_scope.

Definition term_of (r : R) (k : nat) : R := / INR (fact k) * r ^ k.

Lemma partial_below_exp : forall r n, 0 <= r -> sum_f_R0 (term_of r) n <= exp r.
Proof.
  intros r n Hr. unfold exp. destruct (exist_exp r) as [l Hl]. simpl. apply sum_incr.
  - exact Hl.
  - intros k. unfold term_of. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|apply pow_le; exact Hr].
Qed.

Lemma division_below : forall a b, (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros a b Hb. assert (0 < IZR b) by (apply IZR_lt; exact Hb).
  apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite <- mult_IZR. apply IZR_le. pose proof (Z.mul_div_le a b Hb). lia.
Qed.

Lemma loop_below : forall places rest n k t s, (0 <= places)%Z -> (0 <= rest)%Z -> (0 <= t)%Z ->
  IZR t <= IZR (2 ^ places) * term_of (IZR rest / IZR (2 ^ places)) k ->
  IZR s <= IZR (2 ^ places) * sum_f_R0 (term_of (IZR rest / IZR (2 ^ places))) k ->
  IZR (loop places rest n (Z.of_nat k + 1) t s)
    <= IZR (2 ^ places) * sum_f_R0 (term_of (IZR rest / IZR (2 ^ places))) (k + n).
Proof.
  intros places rest n. induction n as [|n IH]; intros k t s Hp Hr Ht Hterm Hsum; cbn [loop].
  - rewrite Nat.add_0_r. exact Hsum.
  - assert (Hu : (0 < 2 ^ places)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (HU : 0 < IZR (2 ^ places)) by (apply IZR_lt; exact Hu).
    set (u := (2 ^ places)%Z) in *. set (r := IZR rest / IZR u) in *.
    assert (Hk : (0 < Z.of_nat k + 1)%Z) by lia.
    assert (HK : 0 < IZR (Z.of_nat k + 1)) by (apply IZR_lt; exact Hk).
    assert (Hpos : (0 <= step places rest t (Z.of_nat k + 1))%Z).
    { unfold step. fold u. apply Z.div_pos; [apply Z.div_pos; [nia|exact Hu]|exact Hk]. }
    assert (Hr0 : 0 <= IZR rest) by (apply IZR_le; exact Hr).
    assert (Hnext : IZR (step places rest t (Z.of_nat k + 1)) <= IZR u * term_of r (S k)).
    { unfold step. fold u. eapply Rle_trans; [apply division_below; exact Hk|].
      apply Rle_trans with (IZR t * IZR rest / IZR u / IZR (Z.of_nat k + 1)).
      - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HK|].
        rewrite <- mult_IZR. apply division_below. exact Hu.
      - apply Rle_trans with (IZR u * term_of r k * IZR rest / IZR u / IZR (Z.of_nat k + 1)).
        + unfold Rdiv. repeat apply Rmult_le_compat_r;
            try (left; apply Rinv_0_lt_compat; assumption); [exact Hr0|exact Hterm].
        + right. unfold term_of. change (fact (S k)) with (S k * fact k)%nat. rewrite mult_INR.
          assert (HS : IZR (Z.of_nat k + 1) = INR (S k))
            by (rewrite INR_IZR_INZ; f_equal; lia).
          rewrite HS in HK |- *. unfold r. simpl pow. pose proof (INR_fact_lt_0 k). field. lra. }
    replace (Z.of_nat k + 1 + 1)%Z with (Z.of_nat (S k) + 1)%Z by lia.
    replace (k + S n)%nat with (S k + n)%nat by lia.
    apply IH; try assumption.
    rewrite plus_IZR. simpl sum_f_R0. lra.
Qed.

Lemma series_below : forall places rest, (0 <= places)%Z -> (0 <= rest)%Z ->
  IZR (series places rest) <= IZR (2 ^ places) * exp (IZR rest / IZR (2 ^ places)).
Proof.
  intros places rest Hp Hr. assert (HU : 0 < IZR (2 ^ places)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  eapply Rle_trans.
  - unfold series. apply (loop_below places rest 40 0); try assumption.
    + apply Z.pow_nonneg. lia.
    + unfold term_of. simpl. lra.
    + unfold term_of. simpl. lra.
  - apply Rmult_le_compat_l; [lra|]. apply partial_below_exp.
    apply Rmult_le_pos; [apply IZR_le; exact Hr|left; apply Rinv_0_lt_compat; exact HU].
Qed.

(* 2 <= exp(c), c = log_two 2^-112, by the same series with 160 places *)
Lemma two_below : 2 <= exp (IZR log_two / IZR (2 ^ 112)).
Proof.
  assert (Hs : (2 * 2 ^ 160 <= series 160 (log_two * 2 ^ 48))%Z) by (vm_compute; discriminate).
  pose proof (series_below 160 (log_two * 2 ^ 48) ltac:(lia) ltac:(vm_compute; discriminate)) as H.
  apply IZR_le in Hs. rewrite mult_IZR in Hs.
  replace (IZR (log_two * 2 ^ 48) / IZR (2 ^ 160)) with (IZR log_two / IZR (2 ^ 112)) in H.
  - assert (0 < IZR (2 ^ 160)) by (apply IZR_lt; reflexivity).
    apply Rmult_le_reg_l with (IZR (2 ^ 160)); [assumption|]. lra.
  - change (2 ^ 160)%Z with (2 ^ 112 * 2 ^ 48)%Z. rewrite !mult_IZR. field.
    split; apply not_0_IZR; discriminate.
Qed.

Lemma power_below : forall n c, 2 <= exp c -> 2 ^ n <= exp (INR n * c).
Proof.
  intros n c H. induction n as [|n IH]; [rewrite Rmult_0_l, exp_0; simpl; lra|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, Rmult_comm. simpl.
  apply Rmult_le_compat; try lra. apply pow_le. lra.
Qed.

(* Numbers below are large, and tactics would compute with them. So the steps are about any numbers. *)
Lemma halved_below : forall f s u e, 0 < u -> f <= s / 2 -> s <= 2 * u * e -> f / u <= e.
Proof.
  intros f s u e Hu Hf Hs. apply Rmult_le_reg_r with u; [exact Hu|]. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.

Lemma parts_below : forall q c l u49 u63 x f, 0 < u49 -> 0 < u63 -> f <= (x - q * l) / u49 -> c = l / (u49 * u63) ->
  q * c + f / u63 <= x / (u49 * u63).
Proof.
  intros q c l u49 u63 x f H49 H63 Hf ->. apply Rle_trans with (q * (l / (u49 * u63)) + (x - q * l) / u49 / u63).
  - apply Rplus_le_compat_l. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact H63|exact Hf].
  - right. field. lra.
Qed.

Lemma product_below : forall p f u e e', 0 <= p <= e -> 0 <= f / u <= e' -> p * f / u <= e * e'.
Proof. intros p f u e e' Hp Hf. unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat; unfold Rdiv in *; lra. Qed.

(* E = 2^Q E' 2^-62 is at most exp(x), for x of 112 places. *)
Theorem factor_below : forall x, (0 <= x)%Z ->
  2 ^ Z.to_nat (whole x) * IZR (factor (rest_of x)) / IZR (2 ^ 62) <= exp (IZR x / IZR (2 ^ 112)).
Proof.
  intros x Hx. pose proof (rest_bounds x Hx) as Hbounds. pose proof (factor_bounds (rest_of x) Hbounds) as Hf.
  assert (Hq : (0 <= whole x)%Z) by (apply Z.div_pos; [exact Hx|reflexivity]).
  assert (H62 : 0 < IZR (2 ^ 62)) by (apply IZR_lt; reflexivity).
  assert (H49 : 0 < IZR (2 ^ 49)) by (apply IZR_lt; reflexivity).
  assert (H63 : 0 < IZR (2 ^ 63)) by (apply IZR_lt; reflexivity).
  assert (E112 : IZR (2 ^ 112) = IZR (2 ^ 49) * IZR (2 ^ 63)) by (rewrite <- mult_IZR; reflexivity).
  (* E' 2^-62 <= exp(rest) *)
  pose proof (halved_below (IZR (factor (rest_of x))) (IZR (series 63 (rest_of x))) (IZR (2 ^ 62))
    (exp (IZR (rest_of x) / IZR (2 ^ 63))) H62 (division_below (series 63 (rest_of x)) 2 eq_refl)) as HE.
  rewrite <- mult_IZR in HE. specialize (HE (series_below 63 (rest_of x) ltac:(discriminate) (proj1 Hbounds))).
  (* 2^Q <= exp(Q c) *)
  pose proof (power_below (Z.to_nat (whole x)) (IZR log_two / IZR (2 ^ 112)) two_below) as HQ.
  rewrite INR_IZR_INZ, Z2Nat.id in HQ by exact Hq.
  (* Q c + rest <= x *)
  pose proof (division_below (x - whole x * log_two) (2 ^ 49) eq_refl) as Hr. fold (rest_of x) in Hr.
  rewrite minus_IZR, mult_IZR in Hr.
  pose proof (parts_below (IZR (whole x)) _ (IZR log_two) _ _ (IZR x) _ H49 H63 Hr eq_refl) as Hsum.
  rewrite <- E112 in Hsum.
  eapply Rle_trans; [apply product_below; split; [|exact HQ| |exact HE]|].
  - apply pow_le. apply IZR_le. discriminate.
  - apply Rmult_le_pos; [apply IZR_le; apply Z.le_trans with (2 ^ 62)%Z; [discriminate|exact (proj1 Hf)]|].
    left. apply Rinv_0_lt_compat. exact H62.
  - rewrite <- exp_plus.
    destruct Hsum as [H|H]; [left; apply exp_increasing; exact H|right; rewrite H; reflexivity].
Qed.
Print Assumptions factor_bounds.
Print Assumptions rest_bounds.
Print Assumptions factor_fits.
Print Assumptions factor_below.
