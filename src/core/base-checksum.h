/* base-checksum.h - a checksum against accidents: 64 bits, FNV-1a (Fowler, Noll and Vo). It stops no forger. */
#ifndef DPT_BASE_CHECKSUM_H
#define DPT_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of nothing at all; where a sum starts. */
#define DPT_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* The sum of what `sum` is of, followed by these bytes. */
uint64_t dpt_base_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
