"""Documents as stand-alone HTML."""
