"""Catalogues that go to another editor and come back."""
