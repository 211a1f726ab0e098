"""Short notes of an office: open bills with owner and sum, who never paid in cash, the higher of two."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

OWNER = table("owners", "owner_id*:INTEGER owner_name credit_limit:DOUBLE terms_days:INTEGER chairman:INTEGER")
SHOP = table("shops", "shop_id*:INTEGER shop_name district seats:INTEGER opened_on:DATE")
BILL = keyed(
    table("bills", "bill_id*:INTEGER bill_number owner_id:INTEGER shop_id:INTEGER amount:DOUBLE status payer way"),
    owner_id="owners.owner_id",
    shop_id="shops.shop_id",
)
OFFICE = knowledge(
    OWNER,
    SHOP,
    BILL,
    profiles={
        OWNER.fqn: profiled(OWNER, {"chairman": ["0", "1"]}),
        SHOP.fqn: profiled(SHOP, {"district": ["Docks", "North"]}),
        BILL.fqn: profiled(BILL, {"status": ["open", "settled"], "way": ["cash", "card"]}),
    },
)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("List the open bills", "SELECT bill_id FROM bills WHERE status = 'open'"),
        ("open bills with owner and amount", "SELECT bills.bill_id, owners.owner_name, bills.amount"),
        ("Who was chairman?", "SELECT owner_name FROM owners WHERE chairman = 1"),
        ("Name and credit limit of the owners", "SELECT owner_name, credit_limit FROM owners"),
        ("Which districts have more than 100 seats altogether?", "GROUP BY district HAVING SUM(seats) > 100"),
        ("Which owners have more than 3 bills in total?", "HAVING COUNT(*) > 3"),
        ("Which payers never paid in cash?", "EXCEPT SELECT DISTINCT bills_2.payer FROM bills AS bills_2 WHERE"),
        (
            "Which owner has the most bills, and how many?",
            "SELECT owners.owner_name, COUNT(*) AS count_bills FROM bills JOIN owners",
        ),
        ("Which owners have more than 2 bills, and how many?", "SELECT owners.owner_name, COUNT(*) AS count_bills"),
        ("Which bills were not given to any owner?", "WHERE NOT EXISTS(SELECT 1 FROM owners"),
        ("Which owners have terms of 60 days or longer?", "WHERE terms_days >= 60"),
        (
            "Which has the higher average amount, cash or card?",
            "SELECT way, AVG(amount) AS average_amount FROM bills WHERE way IN ('cash', 'card') GROUP BY way",
        ),
    ],
)
def test_notes_of_an_office_are_read(text: str, part: str) -> None:
    assert part in drafted(text, OFFICE).sql.replace('"', "")
