/* privacy-choice.h - the exponential mechanism over finitely many candidates, exactly. */
#ifndef DPT_PRIVACY_CHOICE_H
#define DPT_PRIVACY_CHOICE_H

#include "base-context.h"

/* Valid rates: 0, and the doubles from 2^-73 to 2^40. Scores are integers up to 2^53 in absolute value. */
#define DPT_CHOICE_LEAST_RATE 0x1p-73
#define DPT_CHOICE_MOST_RATE 0x1p40
#define DPT_CHOICE_MOST_SCORE 0x1p53

/* The largest rate with rate * 2 sensitivity <= epsilon, decided without rounding, for epsilon > 0 and sensitivity
 * >= 1. */
double dpt_choice_rate(double epsilon, double sensitivity);

/* Draws an index 0 .. count - 1 with probability exactly proportional to exp(rate * score), for count >= 1. */
ptrdiff_t dpt_draw_choice(dpt_ctx *ctx, const double *score, ptrdiff_t count, double rate);

/* Finds 2^62 <= E' < 2^63 and q with 2^q E' 2^-62 <= exp(epsilon / 2), for 0 <= epsilon <= 1024. This is the largest
 * factor by which the weights of an exponential mechanism on integers may change if one unit does. */
enum { DPT_FACTOR_PLACES = 62 };
uint64_t dpt_factor_below(double epsilon, int64_t *q);

#endif
