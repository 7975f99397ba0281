# Tests release of a few rows all the time; those of the warnings turn them on (weak_releases()). Estimates of time come
# and go with the load of the machine.
withr::local_options(dptda.weak_release = FALSE, dptda.progress = FALSE, .local_envir = testthat::teardown_env())
