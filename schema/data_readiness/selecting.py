"""What filters of decisions about many things have in common: which assets they are about."""

from typing import Annotated

from pydantic import Field

from schema.grammar import ANY_NAME

AssetsLike = Annotated[
    str,
    Field(
        min_length=1,
        max_length=400,
        description="A pattern over dotted names, in which `*` stands for anything and letter case does not matter, "
        "such as `*.created_at` or `*.sales.stg_*`.",
    ),
]
AtOrUnder = Annotated[
    str,
    Field(min_length=1, max_length=4000, description="Only those about this asset or about what is below it."),
    ANY_NAME,
]
