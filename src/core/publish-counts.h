/* publish-counts.h - counts of rows, or sums of their weights, for each combination of codes, in many sets of columns
 * at once. */
#ifndef DPT_PUBLISH_COUNTS_H
#define DPT_PUBLISH_COUNTS_H

#include "base-context.h"

enum { DPT_CODES_MAX_COLUMNS = 256, DPT_CODES_MAX_SIZE = 65535 };

/* Codes of a column are from 0 to its size less one. */
typedef struct {
  const uint16_t *code; /* rows x columns */
  ptrdiff_t rows;
  int columns;
  const int32_t *size;   /* of each column */
  const int32_t *weight; /* of each row, at most 2^52 together; NULL: each row counts one */
} dpt_codes;

/* Distinct columns. The first one varies fastest in the table of counts. */
typedef struct {
  const int *column;
  int count;
  ptrdiff_t cells; /* the product of the sizes, below 2^31 */
  double *number;  /* the counts: room for that many */
} dpt_scope;

void dpt_scopes_count(dpt_ctx *ctx, const dpt_codes *codes, dpt_scope *scopes, ptrdiff_t count);

#endif
