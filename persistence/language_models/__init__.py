"""Language models of users: one port, three protocols over HTTP, and litellm for the other providers."""
