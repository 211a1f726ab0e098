"""What is optional stays out of memory until it is used."""

import subprocess
import sys

OPTIONAL = {
    *("openfga_sdk", "aiohttp", "redis", "celpy", "duckdb", "pandas", "moto"),
    *("pymysql", "smbprotocol", "smbclient", "pymongo", "oracledb", "snowflake", "impala", "databricks", "litellm"),
    "google.cloud",
}


def test_importing_the_application_loads_no_optional_driver() -> None:
    program = "import sys, rest_compat.app\nprint('\\n'.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )
    assert "rest_compat.app" in loaded
    assert [name for name in OPTIONAL if name in loaded] == []
