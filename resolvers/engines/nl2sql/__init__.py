"""From a question in words to SQL: link, draft a plan, write it, repair it.

`model.py`, `mention.py` and `plan.py` are the vocabulary. `drafter.py` needs no model, `model_drafter.py` asks one.
"""
