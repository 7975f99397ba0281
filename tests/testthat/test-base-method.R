# Methods as objects: plain settings that their constructor has checked.

families <- c("kmeans", "synthesis")
all_methods <- function() {
  unlist(lapply(families, function(family) lapply(method_names(family), default_method, family = family)),
         recursive = FALSE)
}

test_that("a string is short for a method, as its constructor makes it", {
  exported <- getNamespaceExports("dptda")
  for (family in families) {
    names <- method_names(family)
    makers <- grep(paste0("^", family, "_"), exported, value = TRUE)
    expect_true(length(makers) > 0 && all(makers %in% paste0(family, "_", names)))
    for (maker in makers) {
      expect_identical(do.call(maker, list()), default_method(family, sub("^[^_]*_", "", maker)))
    }
    for (name in names) {
      made <- default_method(family, name)
      expect_identical(check_method(name, family), made)
      expect_identical(check_method(made, family), made)
      expect_identical(method_name(made), name)
      # the word itself, whatever a class says of it
      expect_identical(check_method(structure(name, class = "loud"), family), made)
    }
  }
})

test_that("a method is plain data, which its constructor makes again", {
  for (method in all_methods()) {
    expect_true(is.list(method) && all(vapply(method, function(x) is.null(x) || is.atomic(x), NA)))
    expect_true(is_valid(method, "dptda_method"))
    expect_identical(unserialize(serialize(method, NULL)), method)
    printed <- paste(sub("^ +", "", sub("^<method> ", "", utils::capture.output(print(method)))), collapse = " ")
    family <- sub("_.*", "", class(method)[1])
    expect_identical(check_method(eval(str2lang(printed)), family), method)
  }
  withr::local_options(width = 80)
  expect_output(print(synthesis_aim(max_model_size = 16)),
                "<method> synthesis_aim(max_model_size = 16, workload = NULL, weights = NULL)", fixed = TRUE)
  expect_true(all(nchar(utils::capture.output(print(synthesis_topology()))) <= 80))
})

test_that("a setting is checked where it is given, by the name that it has there", {
  refused <- function(code, arg) expect_error(code, paste0("^`", arg, "` "), class = "dptda_error_argument")
  for (size in list(0, -1, 2049, NA, "8", 1:2)) refused(synthesis_aim(max_model_size = size), "max_model_size")
  for (make in list(synthesis_privbayes, synthesis_dp2pub)) {
    for (theta in list(0, -1, Inf, NULL)) refused(make(theta = theta), "theta")
    for (degree in list(-1, 1.5, 300)) refused(make(degree = degree), "degree")
    refused(make(score = "F"), "score")
  }
  for (rounds in list(0, 1.5, 1001, "two")) {
    refused(kmeans_lloyd(rounds = rounds), "rounds")
    refused(kmeans_cube(rounds = rounds), "rounds")
  }
  wrong <- list(shares = c(1, 2, 3), scale = 1, side = 0, size = 1, m0 = 0, clip = -1, max_points = -1, k = 0,
                rounds = 0, cloud = 0, steps = -1, temperature = 1, decoder = "none",
                hidden = 0, batch = 0, passes = 0, length = 0, learning = 0)
  expect_setequal(names(wrong), names(synthesis_topology()))
  for (name in names(wrong)) refused(do.call(synthesis_topology, wrong[name]), name)
  # settings have names, and are those of this method
  refused(synthesis_aim(16), "\\.\\.\\.")
  refused(synthesis_mst(theta = 4), "\\.\\.\\.")
})

test_that("what is no method of the family, or was changed by hand, is refused", {
  refused <- function(x, words) expect_error(check_method(x, "synthesis", "method"), words,
                                             class = "dptda_error_argument")
  for (x in list("lloyd", kmeans_lloyd(), 1, NULL, list(), c("aim", "mst"), NA_character_, synthesis_aim,
                 factor("aim"))) {
    refused(x, "^`method` must be one of \"aim\", \"dp2pub\", .* or be made by synthesis_aim")
  }
  refused(structure(list(), class = c("synthesis_none", "dptda_method")), "must be one of")
  changed <- synthesis_aim()
  changed$max_model_size <- -1
  refused(changed, "must be as synthesis_aim\\(\\) made it")
  refused(structure(unclass(synthesis_privbayes()), class = class(synthesis_mst())),
          "must be as synthesis_mst\\(\\) made it")
  # nothing of it is run
  ran <- FALSE
  refused(structure(list(max_model_size = quote(ran <<- TRUE)), class = class(synthesis_aim())), "must be as")
  expect_false(ran)
  expect_error(print(changed), class = "dptda_error_argument")
})

test_that("what a method cannot keep is refused in one sentence, with what it takes", {
  said <- function(method, ...) conditionMessage(expect_error(method_cost(method, ...), class = "dptda_error_argument"))
  expect_identical(said(synthesis_topology(), 1, NULL, NULL),
                   paste("`delta` must be given with `epsilon`, or `rho` or `mu` instead of both:",
                         "method \"topology\" adds Gaussian noise."))
  expect_identical(said(synthesis_dp2pub(), 1, NULL, 1e-6),
                   "`delta` must be NULL here: method \"dp2pub\" flips codes and adds no Gaussian noise.")
  expect_match(said(synthesis_dp2pub(), NULL, 1, NULL), "^`rho` must be NULL here: method")
  expect_identical(said(synthesis_dp2pub(), NULL, NULL, NULL), "`epsilon` must be given.")
  expect_match(said(synthesis_topology(decoder = "autoencoder"), NULL, 1, NULL),
               "must be NULL here: training.*Give `epsilon` with `delta` instead")
  expect_match(said(default_method("kmeans", "tree"), 1, NULL, NULL), "method \"tree\" has Gaussian noise")
  for (method in all_methods()) expect_match(said(method, 1, 1, 0.5), "`")
})
