# The families, and the floor that each stands on: see tools/families.R, which proves that they only look down, and
# tools/collate.R, which lets R read them from the ground up.
floors <- c(base = 0, accounting = 1, budget = 2, privacy = 3, number = 4, audit = 4, dtm = 5, manifold = 5, graph = 5,
            persistence = 6, diagram = 7, cluster = 8, publish = 9, front = 10, test = 11)
