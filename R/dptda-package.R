#' dptda: shape of private data under exact differential privacy
#'
#' A private persistence diagram in three lines: [domain_box()] and
#' [domain_grid()] say publicly where the data live, [private_diagram()]
#' draws the release, [privacy()] says what was promised. Before anything is spent,
#' [plan_private_diagram()] chooses the settings on public look-alikes of the data;
#' afterwards [feature_evidence()] says how many features there are at least. For means of
#' directions, covariance matrices and their like: [private_frechet_mean()].
#'
#' @section Options:
#' \describe{
#'   \item{`dptda.threads`}{Threads that a kernel may use, 2 by default. A
#'     forked child process always uses one.}
#'   \item{`dptda.progress`}{`TRUE` or `FALSE`: show progress of work that
#'     takes more than two seconds (default: in interactive sessions), or a
#'     function of one number, the fraction done.}
#'   \item{`dptda.budget`}{`"required"`: a release without `budget = ` is an error
#'     of class `dptda_error_budget`, also one whose budget is `NULL` by a slip
#'     (`budget = study$bugdet`). `"optional"` is the default.}
#' }
#' @examples
#' X <- cbind(cos(1:500), sin(1:500)) # the data, one row a person
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1) # public
#' release <- private_diagram(X, grid, epsilon = 1, m0 = 0.2, clip = 1.5)
#' release
#' feature_evidence(release)$features
#' plot(release)
#' @keywords internal
#' @useDynLib dptda, .registration = TRUE
"_PACKAGE"
