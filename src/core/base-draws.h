/* base-draws.h - the elementary draws from the random source of a call. If the system gives no entropy, they leave
 * the kernel. */
#ifndef DPT_BASE_DRAWS_H
#define DPT_BASE_DRAWS_H

#include "base-context.h"

uint64_t dpt_draw_bits(dpt_ctx *ctx); /* 64 of them */
bool dpt_draw_bit(dpt_ctx *ctx);
double dpt_draw_unit(dpt_ctx *ctx);                                /* in (0, 1), 52 bits, never an end point */
double dpt_draw_float(dpt_ctx *ctx);                               /* in (0, 1), with 52 significant bits */
uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound);             /* uniform on 0 .. bound - 1, exactly */
double dpt_draw_between(dpt_ctx *ctx, double lower, double upper); /* uniform, within [lower, upper] */
double dpt_draw_normal(dpt_ctx *ctx);                              /* mean 0, variance 1, polar method */

#endif
