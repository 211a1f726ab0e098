"""PostgreSQL, and Redshift, which speaks its protocol."""
