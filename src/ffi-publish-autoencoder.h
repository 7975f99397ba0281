/* ffi-publish-autoencoder.h - reads rows of codes for an autoencoder. */
#ifndef FFI_PUBLISH_AUTOENCODER_H
#define FFI_PUBLISH_AUTOENCODER_H

#include "ffi-call.h"
#include "publish-autoencoder.h"

dpt_autoencoder_rows ffi_read_autoencoder(SEXP codes, SEXP sizes, SEXP hidden);

#endif
