"""The English of questions: tokens, lemmas, the words that compare, count and negate, numbers and days."""
