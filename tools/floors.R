# The families, and the floor that each stands on: see tools/families.R, which proves that they only look down, and
# tools/collate.R, which lets R read them from the ground up.
floors <- c(base = 0, database = 1, accounting = 2, budget = 3, privacy = 4, number = 5, audit = 5, dtm = 6,
            manifold = 6, graph = 6, persistence = 7, diagram = 8, cluster = 9, publish = 10, regression = 10,
            front = 11, test = 12)
