"""Which way tables are joined."""

from typing import Any

import pytest

from resolvers.engines.nl2sql.joining.joins import Ambiguous, Joins, Key, NotConnected, Unjoinable, Use, joins_of
from resolvers.engines.nl2sql.joining.ties import KeyOrigin
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import Column
from schema.data_readiness.profile import ColumnProfile, ForeignKeyCandidate, TableProfile, ValueCount
from schema.data_readiness.source import TableFacts
from schema.utils.memory import Memory, MemoryType
from tests.engines.nl2sql.shop import fqn, known, table


def joins(*tables: TableFacts, **more: Any) -> Joins:
    """The graph of tables, of the shop's when none are given."""
    return joins_of(known(*tables, **more))


def ties(of: Joins) -> set[str]:
    """All keys as short texts."""
    return {
        f"{short(key.table)}.{'+'.join(key.columns)}>{short(key.to)}.{'+'.join(key.to_columns)}"
        for key in of.finder.all()
    }


def short(name: str) -> str:
    """The name of a table without what it is in."""
    return name.rsplit(".", 1)[-1]


def way(of: Joins, *names: str, **more: Any) -> list[str]:
    """The tables in the order of joining."""
    return [short(use.table) for use in of.connect([Use(fqn(name)) for name in names], **more).uses]


def memory(content: dict[str, Any], number: int = 1) -> Memory:
    """A memory of type join."""
    return Memory.model_construct(id=f"m{number}", memory_type=MemoryType.JOIN, content=content)


def profile(name: str, *keys: ForeignKeyCandidate, **more: Any) -> TableProfile:
    """A profile that found keys."""
    given: dict[str, Any] = {"foreign_keys": list(keys), "candidate_keys": [], "columns": [], "row_count": 1}
    return TableProfile.model_construct(asset_fqn=fqn(name), **{**given, **more})


def candidate(column: str, target: str, rate: float) -> ForeignKeyCandidate:
    """A key that a profile found."""
    to, name = target.split(".")
    return ForeignKeyCandidate(
        columns=[column], target_fqn=fqn(to), target_columns=[name], match_rate=rate, is_declared=False, is_exact=True
    )


TWO = (
    table("person", "id INTEGER, name VARCHAR", key=["id"]),
    table("visit", "id INTEGER, person_id INTEGER, host INTEGER", key=["id"]),
)


def test_tables_several_keys_apart_are_joined_over_what_lies_between() -> None:
    assert way(joins(), "customer", "product") == ["customer", "orders", "line", "product"]
    tree = joins().connect([Use(fqn("customer")), Use(fqn("product"))])
    assert [link.pairs for link in tree.links] == [
        (("id", "customer_id"),),
        (("id", "order_id"),),
        (("product_id", "id"),),
    ]
    assert [link.forward for link in tree.links] == [False, False, True]


def test_one_table_needs_no_join() -> None:
    assert way(joins(), "customer") == ["customer"]


def test_which_joins_multiply_rows_follows_from_keys() -> None:
    of = joins()
    tree = of.connect([Use(fqn("customer")), Use(fqn("product"))])
    assert [of.multiplies(link) for link in tree.links] == [True, True, False]


def test_tables_without_keys_are_not_connected() -> None:
    with pytest.raises(NotConnected, match="customer and weather"):
        way(
            joins(table("customer", "id INTEGER, name VARCHAR"), table("weather", "day DATE, rain DOUBLE")),
            "customer",
            "weather",
        )
    with pytest.raises(NotConnected, match="employee"):
        way(joins(), "customer", "employee")


def test_unknown_tables_are_told() -> None:
    with pytest.raises(Unjoinable, match=r"svc\.db\.main\.nothing"):
        way(joins(), "customer", "nothing")


# Keys that only names speak for.

GUESSED: list[tuple[list[TableFacts], set[str]]] = [
    (
        [
            table("Student", "StuID INTEGER, LName VARCHAR, Advisor INTEGER, city_code VARCHAR"),
            table("Has_Pet", "StuID INTEGER, PetID INTEGER"),
            table("Pets", "PetID INTEGER, PetType VARCHAR"),
            table("City", "city_code VARCHAR, city_name VARCHAR"),
            table("Faculty", "FacID INTEGER, Lname VARCHAR"),
        ],
        {
            "Student.Advisor>Faculty.FacID",
            "Student.city_code>City.city_code",
            "Has_Pet.StuID>Student.StuID",
            "Has_Pet.PetID>Pets.PetID",
        },
    ),
    (
        [
            table("maker", "Id INTEGER, Name VARCHAR, Country INTEGER"),
            table("countries", "CountryId INTEGER, CountryName VARCHAR"),
            table("model_list", "ModelId INTEGER, Maker INTEGER, Model VARCHAR"),
            table("prices", "Model VARCHAR, Price DOUBLE"),
        ],
        {"maker.Country>countries.CountryId", "model_list.Maker>maker.Id", "prices.Model>model_list.Model"},
    ),
    (
        [
            table("country", "Code VARCHAR, Name VARCHAR, Capital INTEGER"),
            table("city", "ID INTEGER, Name VARCHAR, CountryCode VARCHAR"),
        ],
        {"city.CountryCode>country.Code"},
    ),
    (
        [
            table("team", "id INTEGER, name VARCHAR"),
            table("game", "id INTEGER, home_team_id INTEGER, away_team_id INTEGER"),
            table("player", "player_id INTEGER, team INTEGER"),
        ],
        {"game.home_team_id>team.id", "game.away_team_id>team.id", "player.team>team.id"},
    ),
    (
        [
            table("employees", "EMPLOYEE_ID INTEGER, MANAGER_ID INTEGER, DEPARTMENT_ID INTEGER"),
            table("departments", "DEPARTMENT_ID INTEGER, MANAGER_ID INTEGER"),
        ],
        {
            "employees.MANAGER_ID>employees.EMPLOYEE_ID",
            "employees.DEPARTMENT_ID>departments.DEPARTMENT_ID",
            "departments.MANAGER_ID>employees.EMPLOYEE_ID",
        },
    ),
    (
        [table("category", "id INTEGER, parent_id INTEGER, title VARCHAR")],
        {"category.parent_id>category.id"},
    ),
    (
        [
            table("airports", "City VARCHAR, AirportCode VARCHAR, AirportName VARCHAR"),
            table("flights", "FlightNo INTEGER, SourceAirport VARCHAR, DestAirport VARCHAR"),
        ],
        {"flights.SourceAirport>airports.AirportCode", "flights.DestAirport>airports.AirportCode"},
    ),
    (
        [
            table("tv_channel", "id VARCHAR, series_name VARCHAR"),
            table("cartoon", "id DOUBLE, title VARCHAR, channel VARCHAR"),
        ],
        {"cartoon.channel>tv_channel.id"},
    ),
    (
        [
            table("stadium", "Stadium_ID INTEGER, Name VARCHAR"),
            table("concert", "concert_ID INTEGER, Stadium_ID VARCHAR"),
        ],
        {"concert.Stadium_ID>stadium.Stadium_ID"},
    ),
    (
        [
            table("person", "id INTEGER, name VARCHAR, status VARCHAR, city VARCHAR"),
            table("thing", "id INTEGER, name VARCHAR, status VARCHAR, city VARCHAR"),
        ],
        set(),
    ),
    (
        [table("alpha", "serial_code VARCHAR, x INTEGER"), table("beta", "serial_code VARCHAR, y INTEGER")],
        {"alpha.serial_code>beta.serial_code"},
    ),
    (
        [
            table("tbl_cust", "c_id INTEGER, cust_nm VARCHAR"),
            table("tbl_ord", "o_id INTEGER, c_id INTEGER"),
            table("tbl_ord_item", "o_id INTEGER, p_id INTEGER, max_ord INTEGER"),
            table("tbl_prod", "p_id INTEGER, nm VARCHAR"),
        ],
        {"tbl_ord.c_id>tbl_cust.c_id", "tbl_ord_item.o_id>tbl_ord.o_id", "tbl_ord_item.p_id>tbl_prod.p_id"},
    ),
    (
        [table("department", "department_id INTEGER, name VARCHAR"), table("worker", "id INTEGER, dept_id INTEGER")],
        {"worker.dept_id>department.department_id"},
    ),
    (
        [
            table("tbl_port", "port_cd VARCHAR, port_nm VARCHAR"),
            table("crossing", "cross_no INTEGER, dep_port_cd VARCHAR, arr_port_cd VARCHAR"),
        ],
        {"crossing.dep_port_cd>tbl_port.port_cd", "crossing.arr_port_cd>tbl_port.port_cd"},
    ),
    (
        [
            table("country_ref", "ctry_code VARCHAR, ctry_name VARCHAR", key=["ctry_code"]),
            table("plants", "plant_id INTEGER, origin_ctry_code VARCHAR, max_ctry_code VARCHAR"),
        ],
        {"plants.origin_ctry_code>country_ref.ctry_code"},
    ),
    (
        [
            table("customers", "CustID INTEGER, name VARCHAR"),
            table("parcels", "ParcelNo INTEGER, SenderID INTEGER, ReceiverID INTEGER, FolderID INTEGER"),
        ],
        {"parcels.SenderID>customers.CustID", "parcels.ReceiverID>customers.CustID"},
    ),
    (
        [
            table("customers", "CustID INTEGER, name VARCHAR"),
            table("employees", "EmpID INTEGER, name VARCHAR"),
            table("parcels", "ParcelNo INTEGER, SenderID INTEGER"),
        ],
        set(),
    ),
    (
        [table("person", "id INTEGER, name VARCHAR"), table("visit", "id INTEGER, person DATE")],
        set(),
    ),
    (
        [
            table("room_type", "code VARCHAR, label VARCHAR", key=["code"]),
            table("tram", "tram_no INTEGER, type_code VARCHAR"),
            table("room", "room_no INTEGER, type_code VARCHAR"),
        ],
        {"room.type_code>room_type.code"},
    ),
    (
        [table("room_type", "id INTEGER, label VARCHAR"), table("suite", "suite_no INTEGER, type_id INTEGER")],
        {"suite.type_id>room_type.id"},
    ),
]


@pytest.mark.parametrize(
    ("tables", "expected"), GUESSED, ids=lambda one: "+".join(t.name for t in one) if isinstance(one, list) else ""
)
def test_keys_are_guessed_from_names_and_types(tables: list[TableFacts], expected: set[str]) -> None:
    of = joins(*tables)
    assert ties(of) == expected
    assert all(key.origin == KeyOrigin.GUESSED for key in of.finder.all())


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        (table("student", "name VARCHAR, id INTEGER"), ("id",)),
        (table("Student", "StuID INTEGER, LName VARCHAR"), ("StuID",)),
        (table("department", "dept_id INTEGER, name VARCHAR"), ("dept_id",)),
        (table("country", "Code VARCHAR, Name VARCHAR"), ("Code",)),
        (table("has_pet", "stu_id INTEGER, pet_id INTEGER"), ()),
        (table("model_list", "model_id INTEGER, maker INTEGER"), ("model_id",)),
        (table("weather", "day DATE, rain DOUBLE"), ()),
        (table("a", "x INTEGER, y INTEGER, z INTEGER", key=["x", "y"]), ("x", "y")),
    ],
)
def test_the_key_of_a_table_is_told(facts: TableFacts, key: tuple[str, ...]) -> None:
    assert joins(facts).key(facts.fqn) == key


@pytest.mark.parametrize(
    ("distinct", "approximate", "expected"),
    [
        (4, [], {"clerk.wno>warehouse.wno"}),
        (3, [], set()),
        (4, ["distinct_count"], set()),
        (None, [], set()),
    ],
)
def test_a_first_column_that_tells_few_rows_apart_is_a_key_when_it_is_called_so(
    distinct: int | None, approximate: list[str], expected: set[str]
) -> None:
    figures = ColumnProfile.model_construct(name="wno", row_count=4, distinct_count=distinct, approximate=approximate)
    tables = (table("warehouse", "wno INTEGER, wname VARCHAR"), table("clerk", "cname VARCHAR, wno INTEGER"))
    of = joins(*tables, profiles={fqn("warehouse"): profile("warehouse", columns=[figures], row_count=4)})
    assert of.key(fqn("warehouse")) == (("wno",) if expected else ())
    assert ties(of) == expected


@pytest.mark.parametrize(
    ("customers", "employees", "expected"),
    [
        ((1, 6, False), (11, 17, False), {"parcels.SenderID>customers.CustID"}),
        ((2, 6, False), (1, 17, False), {"parcels.SenderID>employees.EmpID"}),
        ((1, 6, True), (1, 17, False), {"parcels.SenderID>employees.EmpID"}),
        ((1, 6, False), (1, 17, False), set()),
        ((2, 6, False), (2, 17, False), set()),
    ],
)
def test_whoever_sends_is_among_the_people_whose_keys_are_his(
    customers: tuple[int, int, bool], employees: tuple[int, int, bool], expected: set[str]
) -> None:
    """The least and the greatest key tell, or all of them: the sender 1 is no customer where only 5 and 6 are."""
    tables = (
        table("customers", "CustID INTEGER, name VARCHAR"),
        table("employees", "EmpID INTEGER, name VARCHAR"),
        table("parcels", "ParcelNo INTEGER, SenderID INTEGER"),
    )

    def figures(name: str, low: int, high: int, whole: bool) -> ColumnProfile:
        top = [ValueCount(value=str(one), count=1) for one in ((5, 6) if whole else (low, high))]
        return ColumnProfile.model_construct(
            name=name, row_count=9, distinct_count=2 if whole else 9, approximate=[], top_values=top,
            minimum=str(low), maximum=str(high), min_length=None, max_length=None, mean_length=None,
        )  # fmt: skip

    columns = {"customers": figures("CustID", *customers), "employees": figures("EmpID", *employees)}
    columns["parcels"] = figures("SenderID", 1, 5, False)
    assert (
        ties(joins(*tables, profiles={fqn(at): profile(at, columns=[one]) for at, one in columns.items()})) == expected
    )


@pytest.mark.parametrize(
    ("own", "keys", "expected"),
    [
        ((17.2, ["Wrigley Field"]), (5, 5, ["CHI11", "BOS07"], 250), set()),
        ((5.0, ["CHI11"]), (5, 5, ["CHI11", "BOS07"], 250), {"teams.park>parks.parkkey"}),
        ((5.0, ["NYC21"]), (5, 5, ["CHI11", "BOS07"], 2), set()),
        ((5.0, ["NYC21"]), (5, 5, ["CHI11", "BOS07"], 250), {"teams.park>parks.parkkey"}),
        ((5.0, ["NYC21", "BOS07"]), (5, 5, ["CHI11", "BOS07"], 2), {"teams.park>parks.parkkey"}),
    ],
)
def test_a_column_whose_values_cannot_be_keys_does_not_refer(
    own: tuple[float, list[str]], keys: tuple[int, int, list[str], int], expected: set[str]
) -> None:
    """A team's park by its name is no park's key, whatever the columns are called."""
    tables = (
        table("parks", "parkkey VARCHAR, parkname VARCHAR", key=["parkkey"]),
        table("teams", "team VARCHAR, park VARCHAR"),
    )

    def figures(name: str, values: list[str], **more: Any) -> ColumnProfile:
        top = [ValueCount(value=one, count=1) for one in values]
        bare = dict.fromkeys(("minimum", "maximum", "min_length", "max_length", "mean_length"))
        return ColumnProfile.model_construct(name=name, row_count=900, approximate=[], top_values=top, **bare | more)

    least, most, known, distinct = keys
    columns = {
        "teams": figures("park", own[1], mean_length=own[0], distinct_count=90),
        "parks": figures("parkkey", known, min_length=least, max_length=most, distinct_count=distinct),
    }
    assert (
        ties(joins(*tables, profiles={fqn(at): profile(at, columns=[one]) for at, one in columns.items()})) == expected
    )


# Competing ways.

GAMES = (
    table("team", "id INTEGER, name VARCHAR", key=["id"]),
    table(
        "game",
        "id INTEGER, home_team_id INTEGER, away_team_id INTEGER",
        key=["id"],
        refers={"home_team_id": "team.id", "away_team_id": "team.id"},
    ),
)


def test_two_keys_to_one_table_are_ambiguous() -> None:
    with pytest.raises(Ambiguous) as raised:
        way(joins(*GAMES), "game", "team")
    game, team = fqn("game"), fqn("team")
    assert set(raised.value.ways) == {
        ((Column(game, "home_team_id"), Column(team, "id")),),
        ((Column(game, "away_team_id"), Column(team, "id")),),
    }


def test_via_decides() -> None:
    for name in ("home_team_id", "away_team_id"):
        via = ((Column(fqn("game"), name), Column(fqn("team"), "id")),)
        tree = joins(*GAMES).connect([Use(fqn("team")), Use(fqn("game"))], via)
        assert tree.links[0].pairs == (("id", name),)
        assert tree.links[0].key.origin == KeyOrigin.DECLARED
        turned = ((via[0][1], via[0][0]),)
        assert joins(*GAMES).connect([Use(fqn("team")), Use(fqn("game"))], turned).links[0].pairs == (("id", name),)


def test_words_decide() -> None:
    def away(key: Key) -> float:
        return float("away" in key.role)

    tree = joins(*GAMES).connect([Use(fqn("game")), Use(fqn("team"))], prefer=away)
    assert tree.links[0].pairs == (("away_team_id", "id"),)
    with pytest.raises(Ambiguous):
        joins(*GAMES).connect([Use(fqn("game")), Use(fqn("team"))], prefer=lambda key: 1.0)


def test_a_key_that_is_called_as_its_table_goes_before_one_with_a_role() -> None:
    player = table(
        "player",
        "id INTEGER, captain_team_id INTEGER, team_id INTEGER",
        key=["id"],
        refers={"captain_team_id": "team.id", "team_id": "team.id"},
    )
    tree = joins(GAMES[0], player).connect([Use(fqn("player")), Use(fqn("team"))])
    assert tree.links[0].pairs == (("team_id", "id"),)


def test_two_bridges_are_ambiguous_and_words_decide() -> None:
    tables = (
        table("student", "id INTEGER, name VARCHAR", key=["id"]),
        table("course", "id INTEGER, title VARCHAR", key=["id"]),
        table(
            "takes",
            "student_id INTEGER, course_id INTEGER",
            refers={"student_id": "student.id", "course_id": "course.id"},
        ),
        table(
            "assists",
            "student_id INTEGER, course_id INTEGER",
            refers={"student_id": "student.id", "course_id": "course.id"},
        ),
    )
    with pytest.raises(Ambiguous) as raised:
        way(joins(*tables), "student", "course")
    assert len(raised.value.ways) == 2
    chosen = way(joins(*tables), "student", "course", prefer=lambda key: float(short(key.table) == "assists"))
    assert chosen == ["student", "assists", "course"]
    assert way(joins(*tables), "student", "course", via=raised.value.ways[1]) in (
        ["student", "takes", "course"],
        ["student", "assists", "course"],
    )


def test_a_bridge_goes_before_a_table_that_both_sides_refer_to() -> None:
    tables = (
        table("city", "id INTEGER, name VARCHAR", key=["id"]),
        table("person", "id INTEGER, city_id INTEGER", key=["id"], refers={"city_id": "city.id"}),
        table("club", "id INTEGER, city_id INTEGER", key=["id"], refers={"city_id": "city.id"}),
        table("member", "person_id INTEGER, club_id INTEGER", refers={"person_id": "person.id", "club_id": "club.id"}),
    )
    assert way(joins(*tables), "person", "club") == ["person", "member", "club"]
    assert way(joins(*tables[:3]), "person", "club") == ["person", "city", "club"]


# Several uses of one table.


def test_a_table_is_tied_to_itself_by_its_own_key() -> None:
    first, second = Use(fqn("employee")), Use(fqn("employee"), 1)
    tree = joins().connect([first, second])
    assert [(link.near, link.far, link.pairs) for link in tree.links] == [(first, second, (("manager_id", "id"),))]


def test_two_uses_of_a_table_take_the_two_keys_to_it() -> None:
    game, home, away = Use(fqn("game")), Use(fqn("team")), Use(fqn("team"), 1)
    tree = joins(*GAMES).connect([game, home, away])
    assert {(link.far, link.pairs[0][0]) for link in tree.links} == {(home, "home_team_id"), (away, "away_team_id")}
    via = (
        (Column(fqn("game"), "away_team_id"), Column(fqn("team"), "id", 0)),
        (Column(fqn("game"), "home_team_id"), Column(fqn("team"), "id", 1)),
    )
    tree = joins(*GAMES).connect([game, home, away], via)
    assert {(link.far, link.pairs[0][0]) for link in tree.links} == {(home, "away_team_id"), (away, "home_team_id")}


def test_a_second_use_that_nothing_ties_is_told() -> None:
    with pytest.raises(NotConnected):
        joins().connect([Use(fqn("customer")), Use(fqn("customer"), 1)])


def test_via_pairs_that_no_key_knows_are_taken_as_they_are() -> None:
    via = ((Column(fqn("customer"), "city"), Column(fqn("product"), "title")),)
    tree = joins().connect([Use(fqn("customer")), Use(fqn("product"))], via)
    assert tree.links[0].pairs == (("city", "title"),)
    assert joins().multiplies(tree.links[0])


def test_the_tree_begins_where_it_is_told_to() -> None:
    tree = joins().connect([Use(fqn("customer")), Use(fqn("line"))], root=Use(fqn("line")))
    assert [short(use.table) for use in tree.uses] == ["line", "orders", "customer"]


def test_three_tables_share_what_lies_between_them() -> None:
    assert sorted(way(joins(), "customer", "product", "line")) == ["customer", "line", "orders", "product"]


def test_five_hundred_tables_are_joined_by_looking_at_few_of_them() -> None:
    tables: list[TableFacts] = []
    for number in range(250):
        name = "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")
        tables += [
            table(f"thing{name}", "id INTEGER, title VARCHAR", key=["id"]),
            table(
                f"part{name}",
                f"id INTEGER, thing{name}_id INTEGER, amount INTEGER",
                key=["id"],
                refers={f"thing{name}_id": f"thing{name}.id"},
            ),
        ]
    knowledge = known(*tables)
    of = joins_of(knowledge)
    looked: list[str] = []
    keys_of = Joins.keys_of

    class Watched(Joins):
        def keys_of(self, fqn: str) -> Any:
            looked.append(fqn)
            return keys_of(self, fqn)

    assert joins_of(knowledge) is of
    assert len(of.finder.all()) == 250
    watched = Watched(of.finder)
    assert [short(use.table) for use in watched.connect([Use(fqn("thingabc")), Use(fqn("partabc"))]).uses] == [
        "thingabc",
        "partabc",
    ]
    assert set(looked) <= {fqn("thingabc"), fqn("partabc")}


def test_the_graph_is_made_anew_for_other_knowledge() -> None:
    first = known()
    assert joins_of(first) is joins_of(Knowledge(first.tables, first.profiles, (), first.memories))
    assert joins_of(first) is not joins_of(known(*TWO))
