"""Files in buckets and shared folders, as tables."""
