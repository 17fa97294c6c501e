# Shows runs.db, which it creates if needed, and stores the runs that programs send. Ctrl+C ends it.
evoscope runs.db --record
