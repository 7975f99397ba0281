#' dptda: private statistics, shapes, clusters, graphs and tables
#'
#' Releases statistics of private data under differential privacy, with exact samplers and proved sensitivities: from
#' counts and quantiles to persistence diagrams, means on manifolds, clusters, graphs and whole tables, of rows in
#' memory or in a database. Each release takes the data, what is public about them and a budget, and carries its
#' guarantee ([privacy()]). [private_release] says what all of them have in common.
#'
#' @section By task:
#' \describe{
#'   \item{Numbers}{`r kind_links("numbers")`, [private_median()]; bounds by [private_bounds()], and public ones are a
#'     [domain_box()].}
#'   \item{Contingency tables and histograms}{`r kind_links("table")`.}
#'   \item{Clusters and axes}{`r kind_links("clusters")`; of what they release, without further cost,
#'     [as_mixture()], [cluster_morse()], [cluster_tomato()]. `vignette("clusters", package = "dptda")`.}
#'   \item{Shape}{[private_diagram()] on a [domain_grid()] or on [domain_landmarks()], [feature_evidence()],
#'     [bottleneck_distance()]. `vignette("diagrams", package = "dptda")`.}
#'   \item{Manifolds}{[private_frechet_mean()] on the manifolds of `?manifold`, [frechet_mean()].
#'     `vignette("manifolds", package = "dptda")`.}
#'   \item{Graphs}{[private_graph()], [private_degrees()], [graph_debias()], [spectral_embedding()],
#'     [embedding_diagram()].
#'     `vignette("graphs", package = "dptda")`.}
#'   \item{Whole tables}{[private_synthesis()] (synthetic data) by a public [table_schema()], [evaluate_synthesis()].
#'     `vignette("tables", package = "dptda")`.}
#'   \item{People with many rows}{[table_rows()] with `person`, [unseen()]; the guarantee is for all rows of one.
#'     `vignette("people", package = "dptda")`.}
#'   \item{Databases}{[table_rows()]; most releases take tables of a database as they are.
#'     `vignette("large-data", package = "dptda")`.}
#'   \item{Budgets and accounting}{[privacy_budget()], [privacy()], [privacy_compose()], [privacy_convert()],
#'     [privacy_curve()], [privacy_group()], [privacy_subsample()], [privacy_declare()].
#'     `vignette("privacy-model", package = "dptda")`.}
#'   \item{Recipes, wizard and command line}{[release_recipe()], [recipe_script()] and [recipe_release()]
#'     (plans of releases as plain data), [dptda_wizard()], [dptda_command], [table_file()], [release_files()],
#'     [privacy_report()].}
#'   \item{Planning and power}{[privacy_price()] for every release, [plan_private_diagram()], [power_diagram()],
#'     [power_graph()], [frechet_noise()], [weak_releases].}
#'   \item{Auditing}{[audit_mechanism()], [audit_neighbors()], [audit_features()], [mechanism_examples()].}
#'   \item{Reading results}{`tidy()`, `glance()` and `as.data.frame()` ([verbs]), `plot()` ([plot.dptda_diagram()],
#'     [answers]), `print()` and `confint()` ([private_value]), arithmetic ([private_arithmetic]), [privacy()].}
#' }
#'
#' @section Options:
#' \describe{
#'   \item{`dptda.threads`}{Threads that a kernel may use, 2 by default. A
#'     forked child process always uses one.}
#'   \item{`dptda.progress`}{`TRUE` or `FALSE`: show progress of work that
#'     takes more than two seconds (default: in interactive sessions and with
#'     handlers of progressr), or a function of one number, the fraction done.
#'     By default, plans, audits and bootstraps in a script give one estimate
#'     instead, a message of class `dptda_message_progress`.}
#'   \item{`dptda.budget`}{`"required"`: a release without `budget = ` is an error
#'     of class `dptda_error_budget`, also one whose budget is `NULL` by a slip
#'     (`budget = study$bugdet`). `"optional"` is the default.}
#'   \item{`dptda.ledger_wait`}{One number of seconds, 60 by default: how long a charge of a budget in a file waits for
#'     another process that has it.}
#'   \item{`dptda.release_time`}{`NULL` or one number of seconds, at least 0.001: a release returns when so much time
#'     has passed since it was called, or a multiple of it where it takes longer, and so does an error that comes after
#'     its rows were read. So its duration tells nothing of its rows as long as the time is chosen far above what such
#'     releases take; how many came late is said when the next one begins, for the curator alone. A budget in a file is
#'     charged at a multiple, too, and the release comes with the one after that. No progress is shown. What is
#'     interrupted while it waits has been charged. `NULL` is the default.}
#'   \item{`dptda.kept_numbers`}{One number, 2^27 by default (1 GB): a release of several rounds keeps a table of a
#'     database in memory if the table has at most so many numbers ([table_rows()]).}
#'   \item{`dptda.weak_release`}{`FALSE`: no warning of releases that cannot say much ([weak_releases]). `TRUE` is the
#'     default.}
#' }
#' @examples
#' budget <- privacy_budget(epsilon = 2)
#' box <- domain_box(15, 60) # public: who could take part
#' private_quantile(infert$age, box, 0.5, epsilon = 0.5, budget = budget)
#'
#' X <- cbind(cos(1:500), sin(1:500)) # the data, one row a person
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
