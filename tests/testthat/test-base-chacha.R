# ChaCha20 is that of RFC 8439, whatever the width in which it is computed.

stream_of <- function(key, nonce, counter, blocks, wide) {
  .Call(ffi_test_chacha, as_bytes(key), as_bytes(nonce), counter, blocks, wide, kernel_options())
}

zeros <- function(bytes) strrep("00", bytes)

test_that("the vectors of RFC 8439: section 2.3.2 and appendix A.1", {
  vectors <- list(
    list(paste0(sprintf("%02x", 0:31), collapse = ""), "000000090000004a00000000", 1,
         paste0("10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e",
                "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e")),
    list(zeros(32), zeros(12), 0,
         paste0("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7",
                "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586")),
    list(zeros(32), zeros(12), 1,
         paste0("9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed",
                "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f")),
    list(paste0(zeros(31), "01"), zeros(12), 1,
         paste0("3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a",
                "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0")),
    list(paste0("00ff", zeros(30)), zeros(12), 2,
         paste0("72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca",
                "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096")),
    list(zeros(32), paste0(zeros(11), "02"), 0,
         paste0("c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7",
                "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"))
  )
  for (vector in vectors) for (wide in c(TRUE, FALSE)) {
    expect_identical(stream_of(vector[[1]], vector[[2]], vector[[3]], 1, wide), as_bytes(vector[[4]]))
  }
})

test_that("blocks beside each other are blocks one after the other, also where the counter goes round", {
  key <- paste0(sprintf("%02x", (7 * 0:31) %% 256), collapse = "")
  nonce <- paste0(sprintf("%02x", 201:212), collapse = "")
  for (counter in c(0, 5, 2^31 - 3, 2^32 - 10)) for (blocks in c(0, 1, 7, 8, 9, 16, 53)) {
    slow <- stream_of(key, nonce, counter, blocks, FALSE)
    expect_identical(stream_of(key, nonce, counter, blocks, TRUE), slow)
    one_by_one <- lapply(seq_len(blocks) - 1, function(i) stream_of(key, nonce, (counter + i) %% 2^32, 1, TRUE))
    expect_identical(as.raw(unlist(one_by_one)), slow)
  }
})

test_that("every bit of key, nonce and counter changes about half of a block (false alarm 1e-6)", {
  bits_of <- function(key, nonce, counter)
    as.logical(rawToBits(.Call(ffi_test_chacha, key, nonce, counter, 1, TRUE, kernel_options())))
  key <- as.raw((11 * (1:32)) %% 256)
  nonce <- as.raw(1:12)
  start <- bits_of(key, nonce, 77)
  changed <- function(bytes, bit) {
    bits <- rawToBits(bytes)
    bits[bit] <- as.raw(1 - as.integer(bits[bit]))
    packBits(bits, "raw")
  }
  moved <- c(vapply(1:256, function(bit) sum(bits_of(changed(key, bit), nonce, 77) != start), 0),
             vapply(1:96, function(bit) sum(bits_of(key, changed(nonce, bit), 77) != start), 0),
             vapply(2^(0:31), function(bit) sum(bits_of(key, nonce,
                                                        bitwXor(77L, if (bit < 2^31) as.integer(bit) else 1L) +
                                                          if (bit < 2^31) 0 else 2^31) != start), 0))
  # 512 bits each: binomial, 384 of them
  expect_lt(max(abs(moved - 256)), sqrt(128) * stats::qnorm(1 - 1e-6 / 2 / 384))
})
