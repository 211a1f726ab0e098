"""What calls the servers of others, of both kinds."""

from persistence.outbound import OutboundPolicy
from persistence.servers.api import ApiCaller
from persistence.servers.mcp import McpCaller
from persistence.servers.reaching import ServerSettings
from persistence.web_addresses import check_address


class Servers:
    """Calls servers where the policy lets it."""

    def __init__(self, policy: OutboundPolicy, settings: ServerSettings) -> None:
        self._policy = policy
        self.api, self.mcp = ApiCaller(policy, settings), McpCaller(policy, settings)

    async def check(self, url: str) -> None:
        """Look where an address leads. Raises BadAddress when nothing would be asked there."""
        await check_address(self._policy, url)

    async def close(self) -> None:
        """Close every connection."""
        await self.api.close()
        await self.mcp.close()
