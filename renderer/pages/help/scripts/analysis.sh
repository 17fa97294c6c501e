# Figures of the newest experiment on onemax: one row, an infinite ERT is Inf, its interval two columns.
experiment=$(curl --fail --silent "$EVOSCOPE_URL/api/experiments?format=csv&problem=onemax" |
  sed -n 2p | cut -d , -f 1)
curl --fail --silent --show-error \
  "$EVOSCOPE_URL/api/experiments/$experiment/analysis?format=csv&table=summary&target=40"
# Other tables: convergence, ecdf-total, best-fitness, pairs … (a wrong name is answered with all of them)
