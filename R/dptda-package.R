#' dptda: private statistics, shapes, clusters, graphs and tables
#'
#' Releases statistics of private data under differential privacy, with exact samplers and proved sensitivities. The
#' statistics range from counts and quantiles to clusters, persistence diagrams, graphs, and whole tables. The data may
#' be in memory or in a database. Each release takes the data, public facts about them, and a budget, and returns a
#' result with its guarantee ([privacy()]). [private_release] documents the arguments that all releases share.
#'
#' Start with `vignette("dptda", package = "dptda")`.
#'
#' @section By task:
#' \describe{
#'   \item{Numbers, tables, and histograms}{[private_count()], [private_proportion()], `r kind_links("table")`; results
#'     by group are [private_groups].}
#'   \item{Quantiles and bounds}{[private_quantile()] and [private_median()]. [private_bounds()] releases bounds, and
#'     [domain_box()] holds public ones.}
#'   \item{Means and covariances}{[private_sum()], [private_mean()], [private_var()], [private_sd()],
#'     [private_covariance()], [private_cor()], [private_pca()].}
#'   \item{Models}{[private_lm()], [private_glm()]. See `vignette("regression", package = "dptda")`.}
#'   \item{Clusters}{[private_kmeans()], [private_mixture()]. From a release, at no further privacy cost:
#'     [as_mixture()], [cluster_morse()], [cluster_tomato()]. See `vignette("clusters", package = "dptda")`.}
#'   \item{Shape}{[private_diagram()] on a [domain_grid()] or on [domain_landmarks()], [feature_evidence()],
#'     [population_band()], [bottleneck_distance()]. One diagram per person: [diagram_curve()], [private_curve()],
#'     [private_curve_test()]. See `vignette("diagrams", package = "dptda")`.}
#'   \item{Manifolds}{[private_frechet_mean()] on the manifolds of `?manifold`, [frechet_mean()]. See
#'     `vignette("manifolds", package = "dptda")`.}
#'   \item{Graphs}{[private_graph()], [private_degrees()], [graph_debias()], [spectral_embedding()],
#'     [embedding_diagram()]. See `vignette("graphs", package = "dptda")`.}
#'   \item{Whole tables}{[private_synthesis()] (synthetic data) with a public [table_schema()], [evaluate_synthesis()].
#'     See `vignette("tables", package = "dptda")`.}
#'   \item{People with several rows}{[table_rows()] with `person`, so that the guarantee covers all rows of a person,
#'     and [unseen()]. See `vignette("people", package = "dptda")`.}
#'   \item{Databases}{[table_rows()]. Most releases take tables of a database directly. See
#'     `vignette("large-data", package = "dptda")`.}
#'   \item{Budgets and accounting}{[privacy_budget()], [privacy_check()], [privacy()], [privacy_compose()],
#'     [privacy_convert()], [privacy_curve()], [privacy_group()], [privacy_subsample()], [privacy_declare()]. See
#'     `vignette("privacy-model", package = "dptda")`.}
#'   \item{Recipes, wizard, and command line}{[release_recipe()], [recipe_script()], and [recipe_release()] (plans of
#'     releases as plain data), [dptda_wizard()], [dptda_command], [table_file()], [release_files()],
#'     [privacy_report()].}
#'   \item{Planning and power}{[privacy_price()] for every release, [plan_private_diagram()], [power_diagram()],
#'     [power_graph()], [power_curve_test()], [frechet_noise()], [weak_releases].}
#'   \item{Auditing}{[audit_mechanism()], [audit_neighbors()], [audit_features()], [mechanism_examples()], and exact
#'     noise for mechanisms of your own, [rdiscrete_laplace()].}
#'   \item{Reading results}{`tidy()`, `glance()`, and `as.data.frame()` ([verbs]), `plot()` ([plot.dptda_diagram()],
#'     [answers]), `print()` and `confint()` ([private_value]), arithmetic ([private_arithmetic]), [compare_groups()],
#'     [independence_test()]. See `vignette("population", package = "dptda")`.}
#' }
#'
#' @section Options:
#' \describe{
#'   \item{`dptda.threads`}{The number of threads that a kernel may use, 2 by default. A forked child process always
#'     uses one thread.}
#'   \item{`dptda.progress`}{`TRUE` or `FALSE`: shows progress of work that takes more than two seconds. By default, it
#'     is shown in interactive sessions and with handlers of progressr. May also be a function of one number, the
#'     fraction done. By default, plans, audits, and bootstraps in a script print one estimate instead, a message of
#'     class `dptda_message_progress`.}
#'   \item{`dptda.budget`}{`"required"`: a release without `budget` is an error of class `dptda_error_budget`, even if
#'     `budget` is accidentally `NULL` (`budget = study$bugdet`). The default is `"optional"`.}
#'   \item{`dptda.ledger_wait`}{A number of seconds, 60 by default: how long a charge of a budget in a file waits for
#'     another process that is using the file.}
#'   \item{`dptda.release_time`}{`NULL` (the default), or a number of seconds, at least 0.001. A release then returns
#'     when that time has passed since its call, or a multiple of it if it takes longer. So does an error which
#'     occurs after the rows were read. The duration reveals nothing about the rows if you choose a time far above the
#'     time that such releases take. The next release reports how many earlier ones were late, in a message for you
#'     only. A budget in a file is also charged at a multiple, and the release follows at the next one. No progress is
#'     shown. If you interrupt a release while it waits, its budget has been spent.}
#'   \item{`dptda.kept_numbers`}{A number, 2^27 by default (1 GB). A release in several rounds keeps a table of a
#'     database in memory if the table has at most that many numbers ([table_rows()]).}
#'   \item{`dptda.weak_release`}{`FALSE`: turns off warnings about releases that will show little ([weak_releases]). The
#'     default is `TRUE`.}
#' }
#' @examples
#' budget <- privacy_budget(epsilon = 2)
#' box <- domain_box(15, 60) # public: the admissible ages
#' private_quantile(infert$age, box, 0.5, epsilon = 0.5, budget = budget)
#'
#' X <- cbind(cos(1:500), sin(1:500)) # the data, one row per person
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1) # public
#' release <- private_diagram(X, grid, epsilon = 1, m0 = 0.2, clip = 1.5,
#'                            budget = budget)
#' release
#' feature_evidence(release)$features
#' plot(release)
#' privacy(release)
#' budget
#' @keywords internal
#' @useDynLib dptda, .registration = TRUE
"_PACKAGE"
