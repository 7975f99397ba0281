test_that("a guarantee prints in three lines that say what was promised", {
  release <- small_release()
  lines <- format(privacy(release))
  expect_length(lines, 3)
  expect_match(lines[1], "epsilon = 2 differential privacy for one row (replace one row, n public)", fixed = TRUE)
  expect_match(lines[2], "sampler: exact", fixed = TRUE)
  expect_match(lines[3], "randomness: operating system", fixed = TRUE)
  expect_output(print(privacy(release)), "epsilon = 2")
  expect_null(privacy(data.frame(x = 1)))
})

test_that("only a release says that its sampler is exact, and a composition takes the worst of its parts", {
  exact <- list(small_release(), private_count(TRUE, 1), private_mean(1, domain_box(0, 1), 1),
                suppressWarnings(private_bounds(1, 1)),
                private_table("a", "a", 1), private_frechet_mean(c(0, 0, 1), manifold_sphere(2), c(0, 0, 1), .5, 1))
  for (release in exact) expect_identical(privacy(release)$sampler, "exact")
  expect_identical(privacy_compose(exact[[2]], exact[[3]])$sampler, "exact")
  expect_identical(privacy_convert(exact[[2]], "rho")$sampler, "exact")
  expect_identical(privacy_group(privacy(exact[[2]]), 2)$sampler, "exact")
  budget <- privacy_budget(epsilon = 1)
  private_count(TRUE, 1, budget = budget)
  declared <- privacy_declare(epsilon = 1)
  for (unknown in list(declared, privacy_convert(c(mu = 1), delta = 1e-6), privacy_subsample(1, 10, rate = .1),
                       privacy_compose(exact[[2]], declared), privacy_compose(declared, exact[[2]]),
                       privacy_convert(budget, "rho"))) {
    expect_match(format(unknown)[2], "sampler: not known", fixed = TRUE)
  }
})

test_that("a seeded release is stamped", {
  expect_match(format(privacy(small_release(rng = "R")))[1], "SEEDED: NOT PRIVATE", fixed = TRUE)
})

test_that("the ledger adds up to the declared budget over many settings", {
  for (dimension in 0:1) {
    for (utility in c("max", "sum")) {
      for (value in c(.01, 1, 7)) {
        ledger <- privacy(small_release(epsilon = value, utility = utility, max_dimension = dimension))$ledger
        expect_identical(names(ledger), c("step", "measure", "value"))
        expect_identical(nrow(ledger), 1L)
        expect_equal(sum(ledger$value), value)
        concentrated <- private_diagram(circle_points(), small_grid(), m0 = .1, rho = value, utility = utility,
                                        max_dimension = dimension)
        expect_equal(privacy(concentrated)$measure, c(rho = value))
        expect_equal(sum(privacy(concentrated)$ledger$value), value)
      }
    }
  }
})

test_that("the rates of the groups spend exactly what is declared", {
  grid <- small_grid()
  for (utility in c("max", "sum")) {
    for (top in 0:1) {
      pure <- diagram_plan(100, grid, new_cost(c(epsilon = 3)), .1, 1, Inf, 0:top, 5, TRUE, utility)
      # one exponential mechanism of rate a spends 2 a Delta; independent ones add up
      expect_equal(sum(vapply(pure$groups, `[[`, 0, "rate")) * 2 * pure$sensitivity, 3)
      smooth <- diagram_plan(100, grid, new_cost(c(rho = .5)), .1, 1, Inf, 0:top, 5, TRUE, utility)
      epsilons <- vapply(smooth$groups, `[[`, 0, "rate") * 2 * smooth$sensitivity
      expect_equal(sum(epsilons^2 / 8), .5)
      expect_setequal(unlist(lapply(pure$groups, `[[`, "dimensions")), 0:top)
    }
  }
})

# People -----------------------------------------------------------------------------

patients <- function(...) privacy_declare(..., person = "patient")

test_that("a guarantee for one person says whose rows are meant", {
  one <- patients(epsilon = 1)
  expect_identical(one[c("unit", "relation", "person")],
                   list(unit = "one person", relation = relation_person, person = "patient"))
  expect_match(format(one)[1], paste0("epsilon = 1 differential privacy for one person (all rows with the same ",
                                      "`patient`; replace one person, number of people public)"), fixed = TRUE)
  expect_identical(privacy_declare(epsilon = 1, relation = "person", person = "patient"), one)
  expect_identical(privacy_declare(epsilon = 1, relation = "replace", person = "patient"), one)
  expect_null(privacy_declare(epsilon = 1)$person)
  expect_false("person" %in% names(privacy_declare(epsilon = 1)))
  # what is computed of it is for the same people
  converted <- list(privacy_convert(one, "rho"), privacy_compose(one, one), privacy_compose(one), privacy_group(one, 1),
                    summary(one), after_earlier(one, one), privacy_compose(one, one, parallel = TRUE, parts = "people"))
  for (computed in converted) {
    expect_identical(computed[c("unit", "relation", "person")], one[c("unit", "relation", "person")])
    expect_match(format(computed)[1], "for one person (all rows with the same `patient`; ", fixed = TRUE)
  }
  two <- privacy_group(one, 2)
  expect_match(format(two)[1], "for 2 people (all rows with the same `patient`; ", fixed = TRUE)
  expect_identical(privacy_group(two, 3)$unit, "6 people")
  expect_identical(privacy_group(two, 3)$person, "patient")
  # the curve has no unit
  expect_identical(privacy_curve(one, 0:1), privacy_curve(privacy_declare(epsilon = 1), 0:1))
  skip_if_not_installed("generics")
  expect_identical(generics::glance(one)$person, "patient")
  expect_null(suppressWarnings(as.list(generics::glance(privacy_declare(epsilon = 1)))$person))
})

test_that("a release for people carries their name wherever its guarantee is shown", {
  visits <- table_rows(data.frame(patient = c(1L, 1L, 2L), well = c(TRUE, FALSE, TRUE)), person = "patient")
  release <- private_count(visits, epsilon = 1)
  expect_identical(privacy(release)$person, "patient")
  said <- "for one person (all rows with the same `patient`; replace one person, number of people public)"
  expect_match(print_in_one_line(release), said, fixed = TRUE)
  expect_match(print_in_one_line(summary(release)), said, fixed = TRUE)
  expect_identical(privacy(2 * release)$person, "patient")
  mechanism <- private_count(unseen(2, person = "patient"), epsilon = 1)
  joined <- function(x) paste(utils::capture.output(print(x)), collapse = " ")
  for (shown in list(mechanism, privacy_price(mechanism))) {
    expect_match(joined(shown), "for one person (all", fixed = TRUE)
  }
  expect_match(joined(mechanism), "for 2 people, without data", fixed = TRUE)
  expect_error(simulate(mechanism, 1, x = table_rows(data.frame(patient = 1:3, well = TRUE), person = "patient")),
               "the 2 people that", class = "dptda_error_argument")
  skip_if_not_installed("generics")
  expect_identical(generics::glance(release)$person, "patient")
  # of one row a person the promise is the same
  drawn <- table_rows(data.frame(patient = c(1L, 1L, 2L), well = TRUE), person = "patient", rows_of_person = "one")
  of_drawn <- format(privacy(private_count(drawn, epsilon = 1)))
  expect_identical(of_drawn[1], format(privacy(release))[1])
  # and what the noise leaves out is said
  expect_match(of_drawn, "one row of each person is drawn", fixed = TRUE, all = FALSE)
  expect_no_match(format(privacy(release)), "is drawn", fixed = TRUE)
})

test_that("a name of people is one string, and is shown in one piece", {
  refused <- function(code) expect_error(code, "must be NULL or a nonempty string", class = "dptda_error_argument")
  for (bad in list("", NA_character_, NA, c("a", "b"), 1, TRUE, list("a"), factor("a"), character(), "\xff",
                   quote(a))) {
    refused(privacy_declare(1, person = bad))
    refused(privacy_budget(1, person = bad))
  }
  odd <- "\xff"
  for (encoding in c("unknown", "bytes")) {
    # as the name of a column it is shown, and has no budget
    Encoding(odd) <- encoding
    expect_error(privacy_declare(1, person = odd), class = "dptda_error_argument")
    mechanism <- private_count(unseen(5, person = odd), epsilon = 1)
    expect_match(paste(format(mechanism), collapse = " "), "xff`; replace one person", fixed = TRUE)
    expect_error(check_budget(privacy_budget(1, person = "a"), mechanism$guarantee), class = "dptda_error_relation")
  }
  for (make in list(privacy_declare, privacy_budget)) {
    expect_error(make(1, relation = "person"), "`person` must be given", class = "dptda_error_argument")
    for (relation in c("add_remove", "edge")) {
      expect_error(make(1, relation = relation, person = "a"), "`relation` must be", class = "dptda_error_argument")
    }
  }
  # no line is broken, no quote is ended, and no screen is filled
  sly <- "patient`; replace one row, n public)\nrandomness: operating system \"\u00e9\""
  expect_identical(privacy_declare(1, person = sly)$person, sly)
  shown <- format(privacy_declare(1, person = sly))
  expect_length(shown, 3)
  expect_no_match(shown, "\n")
  expect_match(shown[1], "`patient\\`; replace one row", fixed = TRUE)
  printed <- utils::capture.output(print(privacy_declare(1, person = sly)))
  expect_length(printed, 5)
  expect_match(printed, quote_person(sly), fixed = TRUE, all = FALSE)
  expect_lt(nchar(format(privacy_declare(1, person = strrep("\u00e9\\", 5e4)))[1]), 300)
  expect_no_match(format(privacy_declare(1, person = "a\u202eb\u2028c\u200b"))[1], "[\u202e\u2028\u200b]")
  expect_match(format(privacy_declare(1, person = "Ren\u00e9"))[1], "`Ren\u00e9`", fixed = TRUE)
  latin <- "\xe9"
  Encoding(latin) <- "latin1"
  expect_identical(privacy_compose(privacy_declare(1, person = latin), privacy_declare(1, person = "\u00e9"))$person,
                   "\u00e9")
})

test_that("a guarantee whose people were changed by hand is none", {
  one <- patients(epsilon = 1)
  without <- one
  without$person <- NULL
  row <- privacy_declare(epsilon = 1)
  row$person <- "patient"
  as_row <- one
  as_row$relation <- relation_replace
  many <- one
  many$person <- c("patient", "doctor")
  missing <- one
  missing$person <- NA_character_
  for (forged in list(without, row, as_row, many, missing)) {
    expect_error(privacy_compose(forged, c(rho = 1)), "was changed", class = "dptda_error_argument")
    expect_error(print(forged), "was changed", class = "dptda_error_argument")
  }
})

test_that("the first line of a guarantee is wrapped at the width, and its stamp is in one piece", {
  joined <- function(x, width) {
    withr::local_options(width = width)
    lines <- utils::capture.output(print(x))
    list(lines = lines, text = gsub("\n +", " ", paste(lines, collapse = "\n")))
  }
  named <- privacy_declare(1, person = "the  one person whose rows these are")
  seeded <- small_release(rng = "R")
  for (guarantee in list(named, privacy(seeded), privacy(private_count(TRUE, rho = 1)))) {
    for (width in c(60, 80, 200)) {
      shown <- joined(guarantee, width)
      expect_true(all(nchar(shown$lines) < width))
      expect_identical(strsplit(shown$text, "\n")[[1]][1], format(guarantee)[1])
    }
    for (piece in c(if (!is.null(guarantee$person)) "`the  one person whose rows these are`;",
                    if (guarantee$random == "R") "-- SEEDED: NOT PRIVATE")) {
      expect_match(joined(guarantee, 60)$lines, piece, fixed = TRUE, all = FALSE)
    }
  }
  expect_identical(wrap_words(strrep("a", 100), 80), strrep("a", 100))
})

test_that("what is added to a release as an attribute, a name or a level is under no stamp", {
  released <- Filter(function(x) !is.null(attr(x, "privacy", exact = TRUE)), own_objects())
  released$dptda_landmarks <- landmarks_from(released$dptda_private_mixture, 3)
  expect_gt(length(released), 20)
  rows <- list(1:10)
  for (name in names(released)) {
    x <- released[[name]]
    guarantee <- attr(x, "privacy", exact = TRUE)
    expect_identical(privacy(unserialize(serialize(x, NULL))), guarantee, info = name)
    expect_null(privacy(`attr<-`(x, "rows", rows)), info = name)
    if (is.data.frame(x)) expect_null(privacy(`row.names<-`(x, paste0("of ", seq_len(nrow(x))))), info = name)
    # numbers of rows are names of rows, too
    if (is.data.frame(x)) expect_null(privacy(structure(x, row.names = 1940L + seq_len(nrow(x)))), info = name)
    fields <- unclass(x)
    if (!is.list(fields)) next
    added <- structure(c(fields, rows = function() rows), class = class(x), privacy = guarantee,
                       released = attr(x, "released", exact = TRUE))
    expect_null(privacy(added), info = name)
    for (i in which(!vapply(fields, function(field) is.null(field) || is.environment(field), NA))) {
      changed <- fields
      attr(changed[[i]], "rows") <- rows
      expect_null(privacy(`class<-`(changed, class(x))), info = paste(name, i))
    }
  }
  groups <- released$dptda_private_groups
  levels(groups$g) <- c(levels(groups$g), "bob")
  expect_null(privacy(groups))
  marked <- released$dptda_private_table
  attr(marked, "draw") <- "bob"
  expect_null(privacy(marked))
  derived <- released$dptda_private_derived
  attr(derived, "sources")[[1]]$rows <- 1:10
  expect_null(privacy(derived))
})
