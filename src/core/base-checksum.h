/* base-checksum.h - a checksum against accidents: 64 bits, FNV-1a (Fowler, Noll and Vo). It does not protect against
 * forgery. */
#ifndef DPT_BASE_CHECKSUM_H
#define DPT_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The sum of no bytes, with which every sum starts. */
#define DPT_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* Extends `sum`, the sum of earlier bytes, by these bytes. */
uint64_t dpt_base_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
