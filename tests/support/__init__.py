"""What tests share: servers, makers and the rule for what is missing."""
