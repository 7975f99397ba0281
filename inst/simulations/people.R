# Means of visits, where a person has 1 to 1,000 of them: people with all rows, as this package releases them; all rows
# with the epsilon of one row, a thousandth, which group privacy asks for; and at most k rows of each person, drawn at
# random, with sums and counts that one person moves by k. The first estimates the mean over people of their means, the
# other two the mean of all rows: `of_rows` and `of_people` are the errors (roots of mean squares) for each of the two.
source("inst/simulations/common.R")
set.seed(15)

people <- 3000
most <- 1000
runs <- sized(200)
box <- domain_box(0, 10)
epsilons <- c(.03, .1, .3, 1, 3)
cuts <- c(1, 2, 5, 10, 20, 50, 100)

# Who comes often spends less each time: few people make most of the rows.
many <- pmin(most, floor(stats::runif(people)^-0.9))
level <- pmin(pmax(7 - 1.2 * log(many) + stats::rnorm(people), 0), 10)
visits <- data.frame(person = rep(seq_len(people), many), spent = rep(level, many) + stats::rnorm(sum(many)))
visits$spent <- pmin(pmax(visits$spent, 0), 10)

truth_of_rows <- mean(visits$spent)
truth_of_people <- mean(tapply(visits$spent, visits$person, mean))

rows <- table_rows(visits, "spent", person = "person")
means_of_people <- function(epsilon) {
  found <- simulate(private_mean(unseen(people, person = "person"), box, epsilon = epsilon), runs, x = rows)
  unlist(found)
}

means_of_groups <- function(epsilon) {
  found <- simulate(private_mean(unseen(nrow(visits)), box, epsilon = epsilon / most), runs, x = visits$spent)
  unlist(found)
}

# Half of epsilon for the sum of what is kept, less the middle of the box, and half for how many these are.
means_of_cuts <- function(epsilon, k) {
  vapply(seq_len(runs), function(run) {
    place <- sample.int(nrow(visits))
    kept <- place[stats::ave(place, visits$person[place], FUN = seq_along) <= k]
    sum <- sum(visits$spent[kept] - 5) + 5 * k * rdiscrete_laplace(1, 2^10 * 2 / epsilon) / 2^10
    count <- length(kept) + k * rdiscrete_laplace(1, 2^10 * 2 / epsilon) / 2^10
    pmin(pmax(5 + sum / max(count, 1), 0), 10)
  }, 0)
}

root <- function(errors) signif(sqrt(mean(errors^2)), 4)
line <- function(epsilon, method, k, means) {
  data.frame(epsilon, method, k, of_people = root(means - truth_of_people), of_rows = root(means - truth_of_rows))
}
found <- do.call(rbind, lapply(epsilons, function(epsilon) {
  rbind(line(epsilon, "people", NA, means_of_people(epsilon)), line(epsilon, "rows", NA, means_of_groups(epsilon)),
        do.call(rbind, lapply(cuts, function(k) line(epsilon, "cut", k, means_of_cuts(epsilon, k)))))
}))
found$rows <- nrow(visits)
found$truth_of_rows <- signif(truth_of_rows, 4)
found$truth_of_people <- signif(truth_of_people, 4)
write_table(found, "people")
record_time("people.R")
