"""upgrade: move to another release, pin and docs together, and back if that fails."""
