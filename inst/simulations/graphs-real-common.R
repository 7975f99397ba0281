# Graphs of the literature, which are not shipped. A script takes the folder that holds them as its argument, or from
# the environment variable DPTDA_DATA:
#
#   karate_club.gml             the karate club of Zachary (1977): 34 vertices, 78 edges, two clubs
#   polblogs.gml.gz             political blogs of Adamic and Glance (2005): 1,490 vertices, 16,715 edges as a simple
#                               graph, two parties; 266 vertices have no edge, and stay: which they are is not public
#   facebook_combined.txt.gz    circles of friends of ten people, McAuley and Leskovec (2012): 4,039 vertices, 88,234
#                               edges. The label of a vertex is the person whose friend it is, none where it is a friend
#                               of two of them or is one of them
#
# each in the folder itself or in one below.
source("inst/simulations/graphs-common.R")

read_karate <- function() c(read_gml(data_file("karate_club.gml"), "club"), k = 2)
read_polblogs <- function() c(read_gml(data_file("polblogs.gml.gz"), "value"), k = 2)

# Vertices 1 to n in the order of the file, and of each the value of `field`. A node may have a source too.
read_gml <- function(path, field) {
  lines <- trimws(readLines(path))
  kind <- ifelse(lines %in% c("node [", "edge ["), lines, NA)
  inside <- kind[cummax(ifelse(is.na(kind), 1, seq_along(kind)))]
  value <- function(name, part) {
    sub(paste0("^", name, " +"), "", lines[which(inside == part & startsWith(lines, paste0(name, " ")))])
  }
  id <- value("id", "node [")
  label <- value(field, "node [")
  stopifnot(length(label) == length(id))
  edges <- data.frame(from = match(value("source", "edge ["), id), to = match(value("target", "edge ["), id))
  list(edges = edges, n = length(id), label = label)
}

read_facebook <- function() {
  edges <- read.table(data_file("facebook_combined.txt.gz"), col.names = c("from", "to")) + 1L
  n <- max(edges)
  people <- c(0, 107, 348, 414, 686, 698, 1684, 1912, 3437, 3980) + 1
  friend_of <- matrix(FALSE, n, length(people))
  both <- rbind(as.matrix(edges), as.matrix(edges[2:1]))
  for (j in seq_along(people)) friend_of[both[both[, 1] == people[j], 2], j] <- TRUE
  label <- ifelse(rowSums(friend_of) == 1, max.col(friend_of, "first"), NA)
  label[people] <- NA
  list(edges = edges, n = n, label = label, k = length(people))
}

readers <- list(karate = read_karate, polblogs = read_polblogs, facebook = read_facebook)
