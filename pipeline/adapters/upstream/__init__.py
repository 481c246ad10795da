"""Where upstream's docs come from: git, and the indexes that tell of releases and names."""
