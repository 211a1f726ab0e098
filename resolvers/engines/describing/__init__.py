"""Words for tables and columns, without any model: from names, types, comments, keys, statistics and the glossary.

Every sentence comes with what it was taken from. Where there is nothing to say, nothing is said.
"""
