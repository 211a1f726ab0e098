"""Quality rules: drawn up from what was measured, read from and written to the formats of others."""
