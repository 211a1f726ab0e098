"""English as several engines need it: grammar, the words that names are made of, and what a name says."""
