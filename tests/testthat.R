library(testthat)
library(dptda)

test_check("dptda")
