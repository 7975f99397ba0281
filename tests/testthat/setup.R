# Tests release of a few rows all the time; those of the warnings turn them on (weak_releases()).
withr::local_options(dptda.weak_release = FALSE, .local_envir = testthat::teardown_env())
