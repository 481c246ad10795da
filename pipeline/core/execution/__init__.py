"""What running a notebook means: its key, its expectations, its outputs, its history."""
