"""Every path under /talk2data. Additions to the contract are marked."""

from rest_compat.door import Door

talk2data = Door("/talk2data", tag="Talk2Data")
