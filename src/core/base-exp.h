/* base-exp.h - many exponentials at once. */
#ifndef DPT_BASE_EXP_H
#define DPT_BASE_EXP_H

#include <stddef.h>

/* Replaces each number x <= 0 by exp(x) to the last digit or two, and by 0 below -700 and where it is not a number. */
void dpt_exp_below(ptrdiff_t count, double *x);

#endif
