"""The guard of SQL against generated drafts, hostile and harmless, on real engines."""
