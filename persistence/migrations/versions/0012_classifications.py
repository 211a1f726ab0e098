"""Tags that engines find, with what people decided."""

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    pass


def downgrade() -> None:
    """Go back."""
    pass
