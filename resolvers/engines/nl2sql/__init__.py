"""From a question in words to SQL: link, draft a plan, write it, repair it."""
