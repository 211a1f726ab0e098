"""Defines what is said and drawn of the rows of an answer. Nothing is made up: a figure is a cell, or a calculation
shown.
"""
