/* base-checksum.c - FNV-1a. Each byte enters by an exclusive or and a multiplication by an odd number. Both can be
 * undone, so a change of one byte always changes the sum. Other changes go unnoticed with probability 2^-64. */
#include "base-checksum.h"

uint64_t dpt_base_checksum(uint64_t sum, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
  return sum;
}
