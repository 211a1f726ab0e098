"""The guard's parts: what names mean, what policies do, and that answers stay what they were."""
