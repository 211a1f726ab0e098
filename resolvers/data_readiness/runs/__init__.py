"""Runs of workflows: their operations, the frame that carries each out, and one file for each kind of workflow."""
