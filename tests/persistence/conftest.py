"""What several tests of the store's edges share."""

# One server for the whole process: moto counts the calls before its checks begin for all of its servers together.
from tests.support.moto import moto_server

__all__ = ["moto_server"]
