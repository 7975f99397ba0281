/* base-chacha.h - random words in bulk: ChaCha20 (RFC 8439), keyed once a call from the random source of that call.
 *
 * The guarantee of what is drawn from it is computational, as that of the operating system's own entropy is, and a release
 * that draws from it says so. */
#ifndef DPT_BASE_CHACHA_H
#define DPT_BASE_CHACHA_H

#include "base-context.h"

enum { DPT_CHACHA_WORDS = 8, DPT_CHACHA_WIDE = 8 }; /* words of 64 bits in a block; blocks made at once */

/* A new key of 256 bits for this call. It is kept in the context and wiped with it, however the call ends. */
void dpt_chacha_open(dpt_ctx *ctx);

/* Leaves the kernel if the process is not the one that opened the key: a callback has forked, and two processes would draw
 * the same words. After every tick. */
void dpt_chacha_check(dpt_ctx *ctx);

/* The blocks `counter`, `counter` + 1, ... of the stream with this nonce. Word k of a block has the bytes 8 k .. 8 k + 7 of the
 * RFC's key stream, the first of them lowest. */
void dpt_chacha_fill(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, ptrdiff_t blocks,
                     uint64_t *words);

/* The same, one block at a time: what a machine without vectors does, and what tests compare. */
void dpt_chacha_fill_slowly(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, ptrdiff_t blocks,
                            uint64_t *words);

#endif
