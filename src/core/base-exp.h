/* base-exp.h - many exponentials at once. */
#ifndef DPT_BASE_EXP_H
#define DPT_BASE_EXP_H

#include <stddef.h>

/* Replaces each number x <= 0 by exp(x), correct to the last digit or two. Below -700, and for NaN, the result is 0. */
void dpt_exp_below(ptrdiff_t count, double *x);

#endif
