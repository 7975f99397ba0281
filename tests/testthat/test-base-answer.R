# Answers of all classes: printed, drawn and made data frames by one method each, which look first whether an answer is
# whole.

all_answers <- function() {
  calls <- valid_calls()
  make <- function(name) suppressWarnings(do.call(name, calls[[name]]))
  lapply(c(detection = "power_diagram", plan = "plan_private_diagram", evidence = "feature_evidence",
           graph = "power_graph", evaluation = "evaluate_synthesis"), make)
}

test_that("each answer has a title, a table and a picture", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  titles <- c(detection = "<private diagram power> ", plan = "<private diagram plan> ",
              evidence = "<private diagram evidence> ",
              graph = "<private graph power> ", evaluation = "<evaluation of a synthesis> ")
  answers <- all_answers()
  for (name in names(answers)) {
    answer <- answers[[name]]
    expect_s3_class(answer, "dptda_answer")
    expect_output(expect_identical(print(answer), answer), titles[[name]], fixed = TRUE)
    expect_s3_class(as.data.frame(answer), "data.frame")
    expect_identical(plot(answer), answer)
    expect_error(as.data.frame(answer, of = 2), class = "dptda_error_argument")
    expect_error(print(answer, n = -1), class = "dptda_error_argument")
  }
})

test_that("an answer that was damaged is refused by class, or shown", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  told <- function(answer) {
    for (use in list(print, as.data.frame, plot)) {
      said <- tryCatch(utils::capture.output(use(answer)), error = identity)
      expect_true(is.character(said) || inherits(said, "dptda_error_argument"),
                  info = paste(class(answer)[1], "as", said))
    }
  }
  for (answer in all_answers()) {
    for (name in names(unclass(answer))) {
      gone <- changed <- answer
      gone[[name]] <- NULL
      changed[[name]] <- mean
      told(gone)
      told(changed)
    }
    expect_error(print(structure(list(), class = class(answer))), class = "dptda_error_argument")
  }
  expect_error(print(structure(list(), class = "dptda_answer")), class = "dptda_error_argument")
})
