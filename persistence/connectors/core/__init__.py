"""Defines what every connector is made of: the port, the way out, the reading of rows, the SQL that most share."""
