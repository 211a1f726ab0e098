"""What a rule claims of the data it was learned from, and whether the profile of that data bears it out."""

from resolvers.engines.checks.predicates import NOW
from resolvers.engines.claims import Claim, InRange, NeverNull, OneOf, RefersTo, Unique, broken_share
from resolvers.engines.rules.draft import RuleDraft
from schema.data_readiness.profile import TableProfile
from schema.identifiers import Fqn


def claim_of(draft: RuleDraft) -> Claim | None:
    """Return what a rule says of all rows, as far as a profile can speak against it."""
    told, parts = draft.arguments, Fqn.parse(draft.asset_fqn).parts
    column = parts[4] if len(parts) == 5 else ""
    match draft.metric:
        case "duplicateValues":
            return Unique(tuple(map(str, told.get("properties") or parts[4:5])))
        case "nullValues":
            return NeverNull(column)
        case "brokenReferences":
            return RefersTo(tuple(map(str, told["columns"])), str(told["targetFqn"]))
        case "invalidValues" if "validValues" in told:
            return OneOf(column, (*map(str, told["validValues"]), *map(str, told.get("missingValues") or ())))
        case "invalidValues" | "outlierValues" if "minimum" in told or "maximum" in told:
            # What lies behind the moment of the load is no exception that was overlooked, but what is looked for.
            most = told.get("maximum")
            return InRange(column, told.get("minimum"), None if most == NOW else most)
    return None


def is_borne_out(draft: RuleDraft, profile: TableProfile) -> bool:
    """Return whether a rule may be proposed: declared, or broken by no more rows than it says itself.

    What the source declares is expected whatever the data is like, and its breaches are told as such. What was learned
    is learned from this data, so that more exceptions than it allows or took for mistakes show it to be no rule.
    """
    claim = claim_of(draft)
    if claim is None or draft.evidence.get("is_declared"):
        return True
    rows = float(draft.evidence.get("rows") or 0)
    suspects = float(draft.evidence.get("left_out_as_suspect") or 0) + float(draft.evidence.get("missing") or 0)
    left_out = suspects / (rows + suspects) if rows else 0.0
    return broken_share(claim, profile) <= draft.threshold[0] / 100 + left_out + 1e-9
