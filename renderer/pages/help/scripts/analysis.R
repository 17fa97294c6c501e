# Curve of the newest experiment on onemax: mean best so far with its interval, over evaluations.
url <- Sys.getenv("EVOSCOPE_URL")
experiments <- read.csv(paste0(url, "/api/experiments?format=csv&problem=onemax"))
path <- paste0(url, "/api/experiments/", experiments$experimentId[1], "/analysis?format=csv&table=")
summary <- read.csv(paste0(path, "summary"))
curve <- read.csv(paste0(path, "convergence"))
cat("ERT", summary$ert, "from", summary$ertMoverInterval.lower, "to", summary$ertMoverInterval.upper, "\n")
print(tail(curve[, c("x", "mean", "ciLower", "ciUpper")], 3))
