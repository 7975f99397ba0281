/* base-context.c - the context of a call: its life, its failures, its polling. */
#include "base-context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORK_PER_POLL = 1000000 }; /* about a millisecond */

void dpt_ctx_init(dpt_ctx *ctx) {
  memset(ctx, 0, sizeof *ctx);
  dpt_arena_init(&ctx->arena);
  dpt_random_init(&ctx->random);
  ctx->fraction = -1;
  ctx->threads = 1;
}

void dpt_ctx_close(dpt_ctx *ctx) {
  dpt_arena_close(&ctx->arena);
  dpt_random_close(&ctx->random);
}

dpt_status dpt_fail(dpt_ctx *ctx, dpt_status status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(ctx->message, sizeof ctx->message, format, values);
  va_end(values);
  return status;
}

_Noreturn void dpt_escape(dpt_ctx *ctx, dpt_status status, const char *message) {
  snprintf(ctx->message, sizeof ctx->message, "%s", message);
  ctx->escaped = status;
  longjmp(*ctx->escape, 1);
}

void dpt_require(dpt_ctx *ctx, dpt_status status) {
  if (status == DPT_OK) return;
  ctx->escaped = status;
  longjmp(*ctx->escape, 1);
}

void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size) {
  void *memory = NULL;
  if (count >= 0 && (size == 0 || (size_t) count <= SIZE_MAX / size))
    memory = dpt_arena_alloc(&ctx->arena, (size_t) count * size);
  if (!memory) dpt_escape(ctx, DPT_ERROR_MEMORY, "not enough memory for the computation");
  return memory;
}

void dpt_tick(dpt_ctx *ctx, int64_t units) {
  ctx->work += units;
  if (ctx->work < WORK_PER_POLL) return;
  ctx->work = 0;
  if (ctx->poll) ctx->poll(ctx->host, ctx->fraction);
}
