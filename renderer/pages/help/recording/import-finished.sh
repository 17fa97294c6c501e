# A folder, .tar.gz or .zip of COCO, IOHprofiler or pycma, or a table (.csv, .jsonl). Again adds only new runs.
evoscope import exdata --db runs.db
