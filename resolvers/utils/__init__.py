"""Operations of the utils service."""
