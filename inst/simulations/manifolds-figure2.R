# Reimherr, Bharath and Soto (2021), Figure 2, on the unit sphere: the largest difference of two logarithms over the
# ball (found by search), its sharp bound, the paper's bound and the diameter 2 r. Divided by the convexity h they bound
# n times the sensitivity. Beside them, the bound of the package, which divides by more, and what replacing one of many
# rows is known to do.
source("inst/simulations/common.R")
source("inst/simulations/manifolds-common.R")
set.seed(12)

radius <- seq(0.02, 0.78, by = 0.02)
theta <- 2 * radius
h <- convexity(radius)
many <- 1e9
package <- function(bound) many * vapply(radius, function(r)
                                         frechet_sensitivity(many, manifold_sphere(2), r, bound = bound), 0)
numerators <- data.frame(radius, h, diameter = theta, searched = vapply(radius, searched_numerator, 0),
                         sharp = theta * theta / sin(theta), paper = theta * (2 - h), package = package("sharp"),
                         found_change = found_change(radius))
stopifnot(all.equal(package("paper"), numerators$paper / h), all(numerators$package > numerators$found_change))
searched <- vapply(c(0.1, pi / 8, 0.6, 0.75), worst_change, 0)
stopifnot(all.equal(searched, found_change(c(0.1, pi / 8, 0.6, 0.75)), tolerance = 1e-6))
write_table(signif(numerators, 6), "manifolds-constants")
record_time("manifolds-figure2.R")
