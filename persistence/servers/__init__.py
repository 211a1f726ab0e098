"""Servers of somebody else that are called on behalf of users: by the Model Context Protocol, or as an API over HTTP.

Each connection goes where the outbound policy allows; time and bytes are bounded; no redirect is followed.
"""
