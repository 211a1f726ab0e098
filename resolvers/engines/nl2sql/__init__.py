"""From a question in words to SQL: link the words to the catalog, draft a plan, write it, repair it, speak of its rows."""
