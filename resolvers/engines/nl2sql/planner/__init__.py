"""From linked words to a plan: cut the question into parts, resolve its nouns, compose plans, choose among them."""
