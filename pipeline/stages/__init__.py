"""The imperative shell: one file per stage, data flowing one way."""
