"""Every path under /search. Additions to the contract are marked."""

from rest_compat.door import Door

search = Door("/search", tag="Search")
