# A service that was started with SVC_TOKEN wants the token with every call.
token <- c(Authorization = paste("Bearer", Sys.getenv("EVOSCOPE_TOKEN")))
runs <- read.csv(url(paste0(Sys.getenv("EVOSCOPE_URL"), "/api/runs?format=csv"), headers = token))
cat(nrow(runs), "runs\n")
