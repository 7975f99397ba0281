# See helper-recordings.R. Where a change of what a release draws or says is meant, `DPTDA_RECORD=true` writes the file
# anew, and its diff shows what the change does. The numbers are those of one BLAS and one compiler, so that CRAN's
# machines are left out.

test_that("releases, their guarantees, their failures and R's stream are as recorded", {
  skip_on_cran()
  skip_if_instrumented()
  skip_if_no_databases()
  file <- test_path("recordings.txt")
  found <- all_recordings()
  if (identical(Sys.getenv("DPTDA_RECORD"), "true")) writeLines(recordings_as_text(found), file)
  kept <- recordings_from_text(readLines(file, encoding = "UTF-8"))
  expect_nothing_missing(lapply(setdiff(names(found), names(kept)), has_no, what = "recording",
                                write = "it by DPTDA_RECORD=true in the environment of this test"))
  expect_identical(names(kept), intersect(names(found), names(kept)))
  # what was meant to be released was, and what fails does so by an error of the package's own
  releases <- found[names(recorded_releases())]
  expect_false(any(startsWith(vapply(releases, `[`, "", 1), "error")))
  expect_false("error simpleError" %in% vapply(found, `[`, "", 1))
  for (name in intersect(names(found), names(kept))) {
    expect_identical(enc2utf8(found[[name]]), kept[[name]], info = name)
  }
})

test_that("a recording sees another number, another word and another charge", {
  skip_on_cran()
  skip_if_instrumented()
  local_recording_options()
  first <- record_call(quote(private_sum(X, box, epsilon = 1, budget = budget, rng = "R")))
  expect_identical(record_call(quote(private_sum(X, box, epsilon = 1, budget = budget, rng = "R"))), first)
  expect_false(identical(record_call(quote(private_sum(X + 2^-18, box, epsilon = 1, budget = budget, rng = "R")))[1],
                         first[1]))
  uncharged <- record_call(quote(private_sum(X, box, epsilon = 1, rng = "R")))
  expect_identical(uncharged[1:2], first[1:2])
  expect_false(identical(uncharged, first))
})
