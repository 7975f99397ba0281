/* publish-table.h - tables over some columns, the first fastest, and loops that map one table to another. */
#ifndef DPT_PUBLISH_TABLE_H
#define DPT_PUBLISH_TABLE_H

#include "base-context.h"

/* Columns, in the order in which a table runs through them. */
typedef struct {
  int count;
  const int *column;
} dpt_axes;

/* Limits. A table has less than 2^DPT_TABLE_BITS cells, so that fewer than DPT_TABLE_BITS of its columns have two codes
 * or more. */
enum { DPT_TABLE_BITS = 40, DPT_WALK_TABLES = 3 };

/* A loop over all cells of some columns, with its position in each of up to three tables: one innermost run of `length`
 * cells, and the other axes. Neighboring axes that every table traverses contiguously are joined. */
typedef struct {
  int axes; /* beyond the run */
  ptrdiff_t length, runs;
  ptrdiff_t run_step[DPT_WALK_TABLES];
  ptrdiff_t size[DPT_TABLE_BITS], step[DPT_WALK_TABLES][DPT_TABLE_BITS];
} dpt_walk;

bool dpt_axes_have(dpt_axes axes, int column);
bool dpt_axes_have_all(dpt_axes axes, dpt_axes others);

/* Computes the number of cells of a table, the product of the sizes, as a double that cannot overflow. */
double dpt_table_cells(const ptrdiff_t *size, dpt_axes axes);

/* Plans a loop over the columns `over`, which have less than 2^DPT_TABLE_BITS cells together. Other columns of a table
 * stay at their first code. */
void dpt_walk_plan(dpt_walk *walk, const ptrdiff_t *size, dpt_axes over, int tables, const dpt_axes *axes);

/* Each function processes the runs `from` to `to` - 1. */
void dpt_walk_add(const dpt_walk *walk, ptrdiff_t from, ptrdiff_t to, double *to_table,
                  const double *table);                                                                   /* a += b */
void dpt_walk_scale(const dpt_walk *walk, ptrdiff_t from, ptrdiff_t to, double *table, const double *by); /* a *= b */
void dpt_walk_product(const dpt_walk *walk, double *sum, const double *a, const double *b);               /* c += a b */

#endif
