"""What was decided about proposals, by whom, and whether anybody looked at them."""

from dataclasses import dataclass
from datetime import datetime

from schema.data_readiness.proposal import ProposalState


@dataclass(frozen=True, slots=True)
class Decided:
    """Where proposals go."""

    to: ProposalState
    by: str
    """Who decided, or started the run that decided by itself."""
    at: datetime
    automatically: bool = False
    """Whether a run with `save_all` accepted them: nobody has confirmed anything then."""
