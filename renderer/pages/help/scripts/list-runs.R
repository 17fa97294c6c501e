# All completed runs on onemax, with a parameter as a column: the whole list, whatever its length.
url <- Sys.getenv("EVOSCOPE_URL")
runs <- read.csv(paste0(
  url, "/api/runs?format=csv&problem=onemax&status=COMPLETED&params=algorithm.populationSize"
))
print(tapply(runs$bestFitness, runs$algorithmType, median))
