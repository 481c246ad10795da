"""The verbs of the command line, a file each: which stages a verb runs, in which order, and nothing
else."""
