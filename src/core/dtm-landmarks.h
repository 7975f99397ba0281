/* dtm-landmarks.h - the integer distance to a measure at places without order, in any dimension. */
#ifndef DPT_DTM_LANDMARKS_H
#define DPT_DTM_LANDMARKS_H

#include "dtm.h"

/* The values of dpt_dtm_evaluate() for a problem with a lattice, number for number, by direct distances. The result
 * does not depend on the number of threads. */
void dpt_landmarks_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values);

#endif
