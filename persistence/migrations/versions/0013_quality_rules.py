"""Quality rules and their executions."""

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    pass


def downgrade() -> None:
    """Go back."""
    pass
