"""The batched reads behind the edges of the graph. One instance per request, always inside the caller's tenant.

They live beside the context and not in persistence, because an edge shows only what the caller may read, and so needs
the guard as well as the store. Each service has its own file; an edge is one `batched` method in it.
"""

from resolvers.loaders.around_assets import AroundAssetsLoaders
from resolvers.loaders.assets import AssetsLoaders
from resolvers.loaders.classifications import ClassificationLoaders
from resolvers.loaders.data_readiness import DataReadinessLoaders
from resolvers.loaders.governance import GovernanceLoaders
from resolvers.loaders.lists import ListLoaders
from resolvers.loaders.profiles import ProfileLoaders
from resolvers.loaders.rules import RuleLoaders
from resolvers.loaders.scorecards import ScorecardLoaders
from resolvers.loaders.talk2data import Talk2DataLoaders
from resolvers.loaders.utils import UtilsLoaders


class Loaders(
    GovernanceLoaders,
    AssetsLoaders,
    UtilsLoaders,
    DataReadinessLoaders,
    ProfileLoaders,
    ScorecardLoaders,
    ListLoaders,
    AroundAssetsLoaders,
    RuleLoaders,
    ClassificationLoaders,
    Talk2DataLoaders,
):
    """Everything an edge may load: ten parents cost as many statements as one."""
