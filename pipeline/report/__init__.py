"""What a run found out, as text, JSON, JUnit, SARIF, HTML and GitHub's summary."""
