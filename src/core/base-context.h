/* base-context.h - status codes and the context of a call, which all kernels of the core share.
 *
 * No file in this folder depends on R. CONTRIBUTING.md explains names of functions and their return values. */
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
  DPT_ERROR_ARGUMENT, /* a mistake of the caller that R should have caught, named by the message */
  DPT_ERROR_MEMORY,   /* the system gave no memory */
  DPT_ERROR_ENTROPY,  /* the system gave no entropy, so a release must stop */
  DPT_ERROR_SIZE      /* a size does not fit the kernel's index type */
} dpt_status;

/* Callback that the host offers to a long kernel. `poll` may not return (an interrupt), and the arena then frees
 * everything. `fraction` is the fraction of the work done, in [0, 1], or negative if the kernel cannot tell. */
typedef void (*dpt_poll)(void *host, double fraction);

enum { DPT_MESSAGE_SIZE = 256 };

/* The context of one call. It lives on the C stack of the caller. Kernels pass it on and never keep it. */
typedef struct dpt_ctx {
  dpt_arena arena;
  dpt_random random;
  dpt_poll poll; /* NULL: never polled */
  void *host;
  double fraction;
  int64_t work;       /* units of work since the last poll */
  int threads;        /* how many threads a parallel region may use, at least 1 */
  jmp_buf *escape;    /* target of dpt_escape(), set by the caller before a kernel runs */
  dpt_status escaped; /* its status, or DPT_OK */
  char message[DPT_MESSAGE_SIZE];
} dpt_ctx;

/* An empty context: no poll, no randomness, one thread. */
void dpt_ctx_init(dpt_ctx *ctx);

/* Frees the memory and wipes the randomness of a context. Calls no function of the host. */
void dpt_ctx_close(dpt_ctx *ctx);

/* Records a message (printf style) and returns the status, for `return dpt_fail(ctx, DPT_ERROR_SIZE, "...")`. A
 * message must never show a value of the data. */
dpt_status dpt_fail(dpt_ctx *ctx, dpt_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Leaves the kernel at once, from any depth, if memory or entropy runs out. Never call it inside a parallel region. */
_Noreturn void dpt_escape(dpt_ctx *ctx, dpt_status status, const char *message);

/* Leaves the kernel if a status is not DPT_OK, with the message of dpt_fail(), for callers that can only give up. */
void dpt_require(dpt_ctx *ctx, dpt_status status);

/* Allocates memory for `count` items, not cleared, which is freed with the context. It starts at a cache line.
 * Kernels must not rely on that, because builds that check memory start elsewhere. It never returns NULL: a request
 * that cannot be met leaves the kernel. Never call it inside a parallel region. */
void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size);
#define DPT_NEW(ctx, type, count) ((type *) dpt_alloc((ctx), (count), sizeof(type)))

/* Counts `units` of work (about a nanosecond each), and polls the host about once per millisecond. Call it on the
 * main thread only, between parallel regions. */
void dpt_tick(dpt_ctx *ctx, int64_t units);

#endif
