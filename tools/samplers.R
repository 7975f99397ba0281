#!/usr/bin/env Rscript
# Lists, for every example of a mechanism, the kernels that it draws by once its rows are known, and what stands between
# their random bits and a release:
#
#     R_LIBS=$PWD/.lib Rscript tools/samplers.R [NAME]
#
# after `sh tools/install.sh .lib`, for the examples whose names match NAME. So what guarantees say of themselves
# (`inexact`) is held against what is drawn. The status is 1 where a mechanism draws by a kernel that the table below
# does not have, where noise in doubles is not said to be, and where it is said and there is none.

library(dptda)
options(dptda.weak_release = FALSE, dptda.threads = 1, width = 120)

# Kernels by what they draw: "whole" is noise in whole numbers from the bits to what goes out, "doubles" noise that is
# not; "none" is no noise but places to begin at, orders, rows of a model that was released: functions of releases
# and of bits that have nothing to do with rows. `proof` is in inst/proofs.
samplers <- utils::read.table(header = TRUE, text = "
  entry                         kind    proof                law
  ffi_privacy_add_noise         whole   privacy-noise        'discrete Laplace, discrete Gaussian, rounded normal'
  ffi_privacy_add_norm          whole   privacy-norm         'density falling with the length, rounded down'
  ffi_privacy_draw_choice       whole   privacy-choice       'exponential mechanism, whole scores'
  ffi_cluster_choose            whole   cluster-kmeans-cube  'exponential mechanism, whole losses'
  ffi_cluster_query             whole   cluster-query        'discrete Laplace, discrete Gaussian, on whole sums'
  ffi_diagram_private_draws     whole   diagram-private      'exponential mechanism on diagrams of a lattice'
  ffi_graph_randomize_bits      whole   graph-response       'flips with probabilities of 128 digits'
  ffi_graph_randomize_list      whole   graph-response       'flips with probabilities of 128 digits'
  ffi_number_draw_ranks         whole   number-quantile      'exponential mechanism, whole distances of ranks'
  ffi_number_draw_together      whole   number-quantile      'exponential mechanism, whole distances of ranks'
  ffi_number_draw_together_shares whole number-quantile      'exponential mechanism, whole distances of ranks'
  ffi_number_draw_splits        whole   number-quantile      'exponential mechanism, whole distances of ranks'
  ffi_number_draw_shares        whole   number-quantile      'exponential mechanism, whole distances of ranks'
  ffi_publish_choose_parents    whole   publish-privbayes    'exponential mechanism, whole scores'
  ffi_publish_randomize_codes   whole   publish-dp2pub       'randomized response'
  ffi_publish_train_autoencoder whole   publish-autoencoder  'discrete Gaussian, on whole gradients'
  ffi_manifold_laplace          doubles manifold-laplace     'density falling with the distance, on a lattice'
  ffi_manifold_chain            doubles manifold-laplace     'the same, by a chain'
  ffi_base_draw_units           none    -                    'uniform numbers'
  ffi_diagram_curve_divide      none    diagram-curve-test   'divisions of people into groups of public sizes'
  ffi_cluster_draw              none    publish-topology     'points of a mixture that was released'
")

# Who draws asks for options with a source: the entry points that the asking function calls, those that are given the
# options where they are made where they are given.
entries_in <- function(code, given) {
  if (!is.call(code)) return(NULL)
  is_one <- identical(code[[1]], quote(.Call)) && (!given || "kernel_options" %in% all.names(code))
  own <- if (is_one) deparse1(code[[2]])
  c(own, unlist(lapply(as.list(code), entries_in, given)))
}
record <- function(rng = NULL, progress = NULL) {
  if (is.character(rng)) {
    code <- body(sys.function(sys.parent()))
    entries <- entries_in(code, given = TRUE)
    drawn <<- c(drawn, if (is.null(entries)) entries_in(code, given = FALSE) else entries)
  }
  kernel_options(rng, progress)
}
namespace <- asNamespace("dptda")
counts <- list2env(list(kernel_options = namespace$kernel_options, drawn = character()))
environment(record) <- counts
unlockBinding("kernel_options", namespace)
assign("kernel_options", record, namespace)

# By which kernels the statistic of an example is drawn from, each once.
kernels_of <- function(example) {
  draw <- function(mechanism, x) {
    seen <- statistic_of(mechanism$plan, settle_rows(mechanism_rows(mechanism, x, "x"), "R"))
    begin()
    many_draws(mechanism, seen, 1, "R")
  }
  environment(draw) <- list2env(list(begin = function() counts$drawn <- character()), parent = namespace)
  draw(example$mechanism, example$x)
  unique(counts$drawn)
}

examples <- mechanism_examples(c(commandArgs(TRUE), "")[1])
found <- lapply(examples, kernels_of)
faults <- character()
kind_of <- function(entries) samplers$kind[match(entries, samplers$entry)]
for (name in names(found)) {
  said <- examples[[name]]$mechanism$guarantee$inexact
  kinds <- kind_of(found[[name]])
  noise <- found[[name]][!kinds %in% "none"]
  cat(sprintf("%-58s %s%s\n", name, paste(sub("^ffi_", "", noise), collapse = ", "),
              if (length(said)) paste0("; said to be inexact: ", toString(said)) else ""))
  fault <- if (anyNA(kinds)) "draws by a kernel that the table does not have"
  else if (!length(noise)) "draws no noise"
  else if (any(kinds == "doubles") != (length(said) > 0)) "says of itself what it does not draw"
  if (!is.null(fault)) faults <- c(faults, paste(name, fault))
}

used <- samplers[samplers$entry %in% unlist(found), ]
used$mechanisms <- vapply(used$entry, function(entry) sum(vapply(found, function(one) entry %in% one, NA)), 0)
cat("\n")
print(used[order(used$kind, used$entry), ], row.names = FALSE, right = FALSE)
cat("\n", sum(vapply(found, function(one) any(kind_of(one) %in% "doubles"), NA)), " of ", length(found),
    " examples draw noise in doubles\n", sep = "")
writeLines(faults)
quit(status = as.integer(length(faults) > 0))
