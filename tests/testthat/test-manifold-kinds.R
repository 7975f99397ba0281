# What holds on every manifold, by the table in helper-manifold-kinds.R. What is special of a kind stands in the file of
# that kind.

kinds <- every_manifold()

test_that("every kind of manifold is in the table", {
  made <- unique(unlist(lapply(kinds, function(kind) vapply(kind$manifolds, `[[`, "", "kind"))))
  expect_setequal(made, c("euclidean", "sphere", "hyperbolic", "spd", "spd_log", "rotation", "grassmann", "shapes",
                          "product"))
})

for (name in names(kinds)) {
  kind <- kinds[[name]]

  test_that(paste0(name, ": exp, log, distance, and transport fit together"), {
    for (M in kind$manifolds) {
      set.seed(1)
      n <- if (M$size < 50) 20 else 4
      X <- random_points(n, M)
      expect_geometry(M, X, random_points(n, M), random_tangents(X, M), tolerance = c(kind$tolerance, 1e-10)[1],
                      itself = kind$itself)
    }
  })

  test_that(paste0(name, ": the Jacobian of exp is within the bounds of the sampler"), {
    set.seed(2)
    for (M in kind$manifolds) if (M$dimension < 100) expect_bounded_jacobian(M)
  })

  test_that(paste0(name, ": clamping stops on the sphere around the center"), {
    for (M in kind$manifolds) {
      set.seed(3)
      X <- random_points(10, M)
      center <- random_points(1, M)
      apart <- manifold_distance(X, center, M)
      radius <- min(apart) / 2
      if (radius >= M$injectivity_radius) next
      clamped <- manifold_clamp(X, M, center, radius)
      expect_equal(manifold_distance(clamped, center, M), rep(radius, 10), tolerance = 1e-8)
      expect_equal(manifold_distance(clamped, X, M), apart - radius, tolerance = 1e-8)
    }
  })
}

test_that("manifolds know their facts", {
  for (line in manifold_facts()) {
    expect_identical(unclass(line$manifold)[names(line$facts)], line$facts, info = line$manifold$title)
  }
})

test_that("proposals on compact manifolds without flat factors have no drift, and are accepted with the Jacobian", {
  for (M in list(manifold_rotation(4), manifold_grassmann(2, 5), manifold_shapes(4))) {
    V <- matrix(sin(seq_len(3 * M$dimension)), ncol = 3) * rep(c(0, 0.5, 5), each = M$dimension)
    proposed <- .Call(ffi_test_manifold_from_drift, M, V, kernel_options("R"))
    expect_identical(.Call(ffi_test_manifold_drift, M, kernel_options()), numeric(M$dimension))
    expect_identical(proposed$v, V)
    expect_identical(proposed$log_accept, .Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value)
    expect_identical(is.finite(proposed$log_accept), c(TRUE, TRUE, FALSE))
  }
})
