"""What engines have concluded about assets."""

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    pass


def downgrade() -> None:
    """Go back."""
    pass
