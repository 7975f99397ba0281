/* base-context.h - what every kernel of the core shares: status codes and the context of a call.
 *
 * Nothing in this folder knows R. CONTRIBUTING.md says how functions are named and what they return. */
#ifndef DPT_BASE_CONTEXT_H
#define DPT_BASE_CONTEXT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-arena.h"
#include "base-random.h"

typedef enum {
  DPT_OK = 0,
  DPT_ERROR_ARGUMENT, /* a caller's mistake that the R side should have caught; the message says which */
  DPT_ERROR_MEMORY,   /* the system gave no memory */
  DPT_ERROR_ENTROPY,  /* the system gave no entropy: a release must not go on */
  DPT_ERROR_SIZE      /* a size does not fit the kernel's index type */
} dpt_status;

/* What the host offers to a long kernel. `poll` may not return (an interrupt); the arena then frees everything.
 * `fraction` is the part of the work done, in [0, 1], or negative where the kernel cannot tell. */
typedef void (*dpt_poll)(void *host, double fraction);

enum { DPT_MESSAGE_SIZE = 256 };

/* The context of one call. It lives on the C stack of the caller; kernels pass it on and never keep it. */
typedef struct dpt_ctx {
  dpt_arena arena;
  dpt_random random;
  dpt_poll poll; /* NULL: never polled */
  void *host;
  double fraction;
  int64_t work;       /* units of work since the last poll */
  int threads;        /* how many threads a parallel region may use, at least 1 */
  jmp_buf *escape;    /* where dpt_escape() goes: set by the caller before a kernel runs */
  dpt_status escaped; /* with which status, or DPT_OK */
  char message[DPT_MESSAGE_SIZE];
} dpt_ctx;

/* An empty context: no poll, no randomness, one thread. */
void dpt_ctx_init(dpt_ctx *ctx);

/* Frees the memory and wipes the randomness of a context; calls nothing of the host. */
void dpt_ctx_close(dpt_ctx *ctx);

/* Records a message (printf style) and gives back the status, for `return dpt_fail(ctx, DPT_ERROR_SIZE, "...")`.
 * A message must never show a value of the data. */
dpt_status dpt_fail(dpt_ctx *ctx, dpt_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Leaves the kernel at once, from any depth: no memory, no entropy. Never inside a parallel region. */
_Noreturn void dpt_escape(dpt_ctx *ctx, dpt_status status, const char *message);

/* The same where a status is not DPT_OK, with the message that dpt_fail() left: for who has nothing to do but give up. */
void dpt_require(dpt_ctx *ctx, dpt_status status);

/* Memory for `count` items, at the start of a cache line (which no kernel may rely on: where memory is checked, it starts
 * elsewhere), not cleared, freed with the context. It never returns NULL: a request that cannot be met leaves the
 * kernel. Never inside a parallel region. */
void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size);
#define DPT_NEW(ctx, type, count) ((type *) dpt_alloc((ctx), (count), sizeof(type)))

/* Says that `units` of work (about a nanosecond each) were done; about once a millisecond the host is asked whether
 * to go on. On the main thread only, between parallel regions. */
void dpt_tick(dpt_ctx *ctx, int64_t units);

#endif
