# Recipes and files shared by several tests.

study_recipe <- function(...) {
  list(unit = list(rows = 248), releases = list(
    list(release = "mean", box = list(age = c(15, 50), parity = c(0, 10)), epsilon = 0.5), ...
  ))
}

# One release of each kind that a recipe can have, from the columns of `infert`: the settings written here, and for
# other kinds their required settings, with as many columns as they take.
every_kind <- function() {
  own <- written_kinds()
  others <- setdiff(names(recipe_kinds), names(own))
  c(own, structure(lapply(others, needed_alone), names = others))
}

# The unit that a kind needs, of `infert`, or one for several kinds.
unit_of <- function(kinds) {
  if (any(vapply(kinds, needs_people, NA))) list(people = 83, person = "stratum") else list(rows = 248)
}

needed_alone <- function(kind) {
  known <- recipe_kinds[[kind]]
  columns <- seq_len(max(1, known$columns[1]))
  plain <- list(box = list(age = c(15, 50), parity = c(0, 10), induced = c(0, 2))[columns],
                levels = list(education = c("0-5yrs", "6-11yrs", "12+ yrs"), case = 0:1)[columns],
                breaks = list(age = c(15, 30, 50)), where = list(age = list(above = 35)), k = 2, rank = 1)
  absent <- setdiff(known$needs, names(plain))
  if (length(absent)) stop("`", kind, "` needs ", absent[1], ": write a recipe of it in written_kinds()")
  cost <- if ("epsilon" %in% kind_costs(kind)) list(epsilon = 0.1) else list(rho = 0.1)
  c(list(release = kind), plain[known$needs], cost)
}

written_kinds <- function() {
  box <- list(age = c(15, 50), parity = c(0, 10))
  school <- list(education = c("0-5yrs", "6-11yrs", "12+ yrs"))
  list(
    count = list(release = "count", where = list(age = list(above = 35)), epsilon = 0.1),
    proportion = list(release = "proportion", where = list(education = list(one_of = c("0-5yrs", "12+ yrs"))),
                      epsilon = 0.1),
    mean = list(release = "mean", box = box, by = school, epsilon = 0.1),
    sum = list(release = "sum", box = box["age"], epsilon = 0.1, delta = 1e-6),
    quantile = list(release = "quantile", box = box["age"], probs = c(0.25, 0.75), step = 1, epsilon = 0.1),
    var = list(release = "var", box = box, rho = 0.1),
    sd = list(release = "sd", box = box["parity"], epsilon = 0.1),
    histogram = list(release = "histogram", breaks = list(age = c(15, 30, 50)), by = school, epsilon = 0.1),
    table = list(release = "table", levels = c(school, list(case = 0:1)), epsilon = 0.1),
    diagram = list(release = "diagram", box = box, spacing = 1, m0 = 0.1, clip = 5, r = 2, max_dimension = 0,
                   epsilon = 0.1),
    curve = list(release = "curve", box = box, spacing = 1, m0 = 0.5, curve = "landscape", range = c(0, 5),
                 dimension = 0, radius = 1, clip = 5, r = 2, level = 2, size = 32, smooth = 4, epsilon = 0.1),
    lm = list(release = "lm", box = c(box, list(spontaneous = c(0, 2))), response = "parity", levels = school,
              terms = c("age", "spontaneous", "education", "age:education"), rho = 0.1),
    glm = list(release = "glm", box = box, response = "case", success = 1, levels = school, rho = 0.1),
    synthesis = list(release = "synthesis", schema = list(
      age = list(type = "number", lower = 15, upper = 50, cells = 7, whole = TRUE), education = school[[1]],
      case = list(type = "category", levels = c("0", "1"), other = "0"),
      parity = list(type = "ordered", levels = as.character(1:6))
    ), method = "mst", rows = 20, epsilon = 0.1)
  )
}

rows_file <- function(lines, ending = ".csv", envir = parent.frame()) {
  file <- withr::local_tempfile(fileext = ending, .local_envir = envir)
  writeLines(lines, file, useBytes = TRUE)
  file
}
