# ioh, COCO or pycma write into this folder, before or while it is watched. Ctrl+C ends watching.
mkdir -p exdata
evoscope import --watch exdata --db runs.db
