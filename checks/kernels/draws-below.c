/* draws-below - draw_few() for every count of bits and every state of the pool hands out each bit of a word once, in
 * order. dpt_draw_below() for every bound of 64 bits is below the bound. Its loop has no limit, but each round begins
 * in a state of the pool that is one of all, so one round from every state is every round.
 *
 * flags: --unwind 4 --no-unwinding-assertions
 * mutant: s/random->pool >>= count;/random->pool >>= count - 1;/
 * mutant: s/while (drawn >= bound);/while (drawn > bound);/
 */
#include "checked.h"
#include "base-draws.c"

NOTHING_FAILS

static uint64_t word;
static int words;

bool dpt_random_next(dpt_random *random, uint64_t *bits) {
  *bits = word = nondet_u64();
  words++;
  return true;
}

int main(void) {
  dpt_ctx ctx;
  const uint64_t pool = nondet_u64();
  const int pooled = (int) any_from(0, 64), count = (int) any_from(1, 64);
  given(pooled == 64 || pool >> pooled == 0);
  ctx.random.pool = pool;
  ctx.random.pooled = pooled;
  if (nondet_bool()) {
    const uint64_t bound = nondet_u64();
    given(bound > 0);
    assert(dpt_draw_below(&ctx, bound) < bound);
    return 0;
  }
  const uint64_t drawn = draw_few(&ctx, count), mask = count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
  if (count == 64) {
    assert(drawn == word && ctx.random.pooled == pooled && ctx.random.pool == pool);
  } else if (pooled >= count) {
    assert(words == 0 && drawn == (pool & mask));
    assert(ctx.random.pooled == pooled - count && ctx.random.pool == pool >> count);
  } else {
    assert(words == 1 && drawn == (word & mask));
    assert(ctx.random.pooled == 64 - count && ctx.random.pool == word >> count);
  }
  return 0;
}
