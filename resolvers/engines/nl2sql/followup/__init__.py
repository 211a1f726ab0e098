"""Questions that build on the one before."""
