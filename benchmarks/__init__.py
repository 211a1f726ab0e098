"""Speed, as ratios to a plain baseline that were measured in one run."""
