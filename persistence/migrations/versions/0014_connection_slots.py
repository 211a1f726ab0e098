"""Who uses a connection just now."""

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    pass


def downgrade() -> None:
    """Go back."""
    pass
