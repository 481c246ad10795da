"""Terms: their rows in a CSV file, their forms in English, what a translation has of them."""
