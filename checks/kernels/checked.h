/* checked.h - what harnesses share: any value of a type, wide numbers to compare with, and stand-ins for what a kernel
 * asks of its host.
 *
 * nondet_<type>() returns any value of the type. given(x) keeps only the executions with x. assert(x) must hold in all
 * of them. CBMC also refutes signed overflow, reads and writes out of bounds, null pointers, shifts that are too far,
 * division by zero, and loops that are longer than --unwind says. */
#ifndef CHECKED_H
#define CHECKED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef unsigned __CPROVER_bitvector[256] u256;
typedef unsigned __CPROVER_bitvector[512] u512;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

bool nondet_bool(void);
int nondet_int(void);
int64_t nondet_s64(void);
uint64_t nondet_u64(void);
double nondet_double(void);

#define given(condition) __CPROVER_assume(condition)

static inline u128 any_u128(void) { return (u128) nondet_u64() << 64 | nondet_u64(); }

/* A number from `least` to `most`. */
static inline int64_t any_from(int64_t least, int64_t most) {
  const int64_t x = nondet_s64();
  given(x >= least && x <= most);
  return x;
}

/* Memory is there, and to leave the kernel by dpt_escape() is a fault. */
#define NOTHING_FAILS                                                                                                  \
  void dpt_tick(dpt_ctx *ctx, int64_t units) {}                                                                        \
  _Noreturn void dpt_escape(dpt_ctx *ctx, dpt_status status, const char *message) {                                    \
    assert(!"left the kernel");                                                                                        \
    given(false);                                                                                                      \
    for (;;)                                                                                                           \
      ;                                                                                                                \
  }                                                                                                                    \
  void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size) {                                                        \
    void *at = malloc((size_t) count * size);                                                                          \
    given(at != NULL);                                                                                                 \
    return at;                                                                                                         \
  }

#endif
