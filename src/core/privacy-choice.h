/* privacy-choice.h - the exponential mechanism over finitely many candidates, exactly. */
#ifndef DPT_PRIVACY_CHOICE_H
#define DPT_PRIVACY_CHOICE_H

#include "base-context.h"

/* The rates there are: 0, and the doubles from 2^-73 to 2^40. Scores are whole numbers up to 2^53 in absolute value. */
#define DPT_CHOICE_LEAST_RATE 0x1p-73
#define DPT_CHOICE_MOST_RATE 0x1p40
#define DPT_CHOICE_MOST_SCORE 0x1p53

/* The largest rate with rate * 2 sensitivity <= epsilon, decided without rounding; epsilon > 0, sensitivity >= 1. */
double dpt_choice_rate(double epsilon, double sensitivity);

/* A place of 0 .. count - 1 with probability proportional to exp(rate * score), exactly; count >= 1. */
ptrdiff_t dpt_draw_choice(dpt_ctx *ctx, const double *score, ptrdiff_t count, double rate);

/* 2^62 <= E' < 2^63 and q with 2^q E' 2^-62 <= exp(epsilon / 2), for 0 <= epsilon <= 1024: by so much may the weights of
 * an exponential mechanism on whole numbers change where one unit does. */
enum { DPT_FACTOR_PLACES = 62 };
uint64_t dpt_factor_below(double epsilon, int64_t *q);

#endif
