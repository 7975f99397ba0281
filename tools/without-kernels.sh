#!/bin/sh
# Stems that builds which watch memory leave out: what works in R, and calls no kernel that is not called elsewhere
# (test-memory*.R call each): accounts, audits, plans, pictures, SQL, and processes of their own. One a line.
cat <<'END'
database-dialects
base-repeat
graph-power
manifold-plot
manifold-private-mean-plot
audit
audit-divergence
audit-mechanisms
accounting-compose
audit-lies
accounting-subsample
diagram-power
diagram-accuracy
diagram-plot
diagram-evidence
diagram-plan
diagram-spurious
END
