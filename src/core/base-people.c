/* base-people.c - weights of rows by people: a counting sort by owner, then a sort of each person's rows by value.
 *
 * One pass writes the keys of the first column, with the numbers of their rows, into the places of their owners. A
 * person's rows then lie together and are sorted there, few by insertion and many by merging. Both sorts are stable
 * and have no worst case that a single person could cause. Other columns are compared only if keys are equal.
 *
 * Cost: O(rows log(rows of a person)). The limit is random access to memory, one cache line for each row and pass.
 * With many people, each of the three passes (count, scatter, write the weights) takes 5 to 10 ns per row. Measured
 * on one core of 2023, see bench/results/base-people.txt.
 *
 * Rejected: a sort of all rows by owner and key (the logarithm of all rows, not of a person's); an order by a hash
 * of the columns, which needs no comparisons, but does not spread the weights evenly over values. */
#include "base-people.h"

#include <string.h>

/* A row and the first of its keys. */
typedef struct {
  uint64_t key;
  ptrdiff_t row;
} person_row;

typedef struct {
  const dpt_column *columns;
  int dimension;
} row_order;

enum { FEW = 16, TICK = 4096 };

/* Maps doubles to integers in the same order. The two zeros are equal. */
static uint64_t key_of(const dpt_column *column, ptrdiff_t row) {
  if (column->real == NULL) return (uint64_t) ((int64_t) column->whole[row] + INT64_C(0x80000000));
  const double value = column->real[row] + 0.0;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static bool ties_before(const row_order *order, ptrdiff_t a, ptrdiff_t b) {
  for (int j = 1; j < order->dimension; j++) {
    const uint64_t left = key_of(order->columns + j, a), right = key_of(order->columns + j, b);
    if (left != right) return left < right;
  }
  return false;
}

static inline bool before(const row_order *order, person_row a, person_row b) {
  return a.key != b.key ? a.key < b.key : order->dimension > 1 && ties_before(order, a.row, b.row);
}

static void sort_few(const row_order *order, person_row *at, ptrdiff_t count) {
  for (ptrdiff_t i = 1; i < count; i++) {
    const person_row moved = at[i];
    ptrdiff_t j = i;
    for (; j > 0 && before(order, moved, at[j - 1]); j--) at[j] = at[j - 1];
    at[j] = moved;
  }
}

/* Merges [0, half) and [half, count) of `from` into `to`. */
static void merge(const row_order *order, const person_row *from, ptrdiff_t half, ptrdiff_t count, person_row *to) {
  ptrdiff_t left = 0, right = half;
  for (ptrdiff_t i = 0; i < count; i++) {
    const bool take_right = left == half || (right < count && before(order, from[right], from[left]));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

/* Sorts runs of FEW by insertion, then merges them from `at` to `room` and back. */
static void sort_many(dpt_ctx *ctx, const row_order *order, person_row *at, ptrdiff_t count, person_row *room) {
  for (ptrdiff_t from = 0; from < count; from += FEW)
    sort_few(order, at + from, count - from < FEW ? count - from : FEW);
  person_row *source = at, *target = room;
  for (ptrdiff_t width = FEW; width < count; width *= 2) {
    for (ptrdiff_t from = 0; from < count; from += 2 * width) {
      const ptrdiff_t left = count - from, both = left < 2 * width ? left : 2 * width;
      merge(order, source + from, both < width ? both : width, both, target + from);
      dpt_tick(ctx, 4 * both);
    }
    person_row *swap = source;
    source = target;
    target = swap;
  }
  if (source != at) memcpy(at, source, (size_t) count * sizeof *at);
}

/* Finds the first place of each person, and the end of the last. */
static ptrdiff_t *find_places(dpt_ctx *ctx, const int *owner, ptrdiff_t rows, ptrdiff_t people) {
  ptrdiff_t *place = DPT_NEW(ctx, ptrdiff_t, people + 1);
  memset(place, 0, (size_t) (people + 1) * sizeof *place);
  for (ptrdiff_t i = 0; i < rows; i++) {
    place[owner[i]]++;
    if (i % TICK == 0) dpt_tick(ctx, TICK);
  }
  for (ptrdiff_t i = 0; i < people; i++) place[i + 1] += place[i];
  return place;
}

/* Fills each person's places. Afterwards place[i] is the first place of person i + 2, which is the end of person i +
 * 1. */
static void deal_out(dpt_ctx *ctx, const row_order *order, const int *owner, ptrdiff_t rows, ptrdiff_t *place,
                     person_row *sorted) {
  for (ptrdiff_t i = 0; i < rows; i++) {
    const person_row row = {order->dimension > 0 ? key_of(order->columns, i) : 0, i};
    sorted[place[owner[i] - 1]++] = row;
    if (i % TICK == 0) dpt_tick(ctx, 4 * TICK);
  }
}

static void weigh_person(const person_row *rows, ptrdiff_t count, int weight, int *weights) {
  int64_t before_row = 0;
  const int64_t u = count / 2;
  for (ptrdiff_t j = 0; j < count; j++) {
    const int64_t up_to_row = ((int64_t) (j + 1) * weight + u) / count;
    weights[rows[j].row] = (int) (up_to_row - before_row);
    before_row = up_to_row;
  }
}

void dpt_people_weigh(dpt_ctx *ctx, const dpt_column *columns, int dimension, const int *owner, ptrdiff_t rows,
                      ptrdiff_t people, int weight, int *weights) {
  const row_order order = {columns, dimension};
  ptrdiff_t *place = find_places(ctx, owner, rows, people);
  ptrdiff_t most = 0;
  for (ptrdiff_t i = 0; i < people; i++) most = place[i + 1] - place[i] > most ? place[i + 1] - place[i] : most;
  person_row *sorted = DPT_NEW(ctx, person_row, rows), *room = DPT_NEW(ctx, person_row, most);
  deal_out(ctx, &order, owner, rows, place, sorted);
  ptrdiff_t from = 0;
  for (ptrdiff_t i = 0; i < people; i++) {
    const ptrdiff_t count = place[i] - from;
    if (count <= FEW) {
      sort_few(&order, sorted + from, count);
    } else {
      sort_many(ctx, &order, sorted + from, count, room);
    }
    weigh_person(sorted + from, count, weight, weights);
    from = place[i];
    dpt_tick(ctx, 8 * count + 1);
  }
}
