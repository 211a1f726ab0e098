"""Attacks: what somebody could want, tried through every door; `docs/threats.md` says which file stands for which."""
