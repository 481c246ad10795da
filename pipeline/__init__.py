"""Keep translated JAX documentation alive: pull, split, update, merge, execute, publish."""
