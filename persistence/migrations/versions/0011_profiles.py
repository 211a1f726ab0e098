"""Profiles of tables and columns."""

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    pass


def downgrade() -> None:
    """Go back."""
    pass
