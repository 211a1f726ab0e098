"""Real public data, and a private server to put it in: what the demo shows and tests try things on."""
