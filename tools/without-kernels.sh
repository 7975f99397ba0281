#!/bin/sh
# Stems that builds which watch memory leave out: what works in R, and calls no kernel that is not called elsewhere
# (test-memory.R calls each): accounts, audits, plans, pictures, SQL, and processes of their own. One a line.
cat <<'END'
base-engine-dialects
base-repeat
graph-detectable
manifold-plot
manifold-private-mean-plot
privacy-audit
privacy-audit-divergence
privacy-audit-mechanisms
privacy-compose
privacy-lies
privacy-subsample
topology-detectable
topology-diagram-plot
topology-evidence
topology-plan
topology-spurious
END
