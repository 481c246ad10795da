"""What a reviewer looks at: how the memory of two commits differs."""
