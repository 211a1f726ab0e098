"""From words to the catalog: what the words of a question may stand for."""
