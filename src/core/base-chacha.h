/* base-chacha.h - random words in bulk: ChaCha20 (RFC 8439), keyed once per call from the random source of that
 * call.
 *
 * The guarantee of draws from it is computational, as with the operating system's own entropy. A release that uses
 * it states this. */
#ifndef DPT_BASE_CHACHA_H
#define DPT_BASE_CHACHA_H

#include "base-context.h"

enum { DPT_CHACHA_WORDS = 8, DPT_CHACHA_WIDE = 8 }; /* 64-bit words in a block, and blocks made at once */

/* Draws a new key of 256 bits for this call. The context holds the key and wipes it, however the call ends. */
void dpt_chacha_open(dpt_ctx *ctx);

/* Leaves the kernel if another process opened the key. Then a callback has forked, and two processes would draw the
 * same words. Runs after every tick. */
void dpt_chacha_check(dpt_ctx *ctx);

/* Writes the blocks `counter`, `counter` + 1, ... of the stream with this nonce. Word k of a block has the bytes 8 k
 * .. 8 k + 7 of the RFC's key stream, with the first byte lowest. */
void dpt_chacha_fill(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, ptrdiff_t blocks,
                     uint64_t *words);

/* Writes the same words one block at a time, for machines without vectors and for comparison in tests. */
void dpt_chacha_fill_slowly(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, ptrdiff_t blocks,
                            uint64_t *words);

#endif
