"""Defines what a guarded query may call and cast to. Everything that is not listed is refused.

What is listed computes a value from its arguments alone. So nothing here reads files, the network, settings or the
system's catalog, waits, locks, or makes a value that is much larger than what it is given.
"""

from typing import Final

from sqlglot import exp

_NAMES = """
    And Or Xor Not Case If Coalesce Nullif Greatest Least IsInf IsNan Exists Any All Between In
    Cast TryCast Convert ToChar ToNumber TryToNumber
    Count CountIf Sum Avg Min Max Stddev StddevPop StddevSamp Variance VariancePop CovarPop CovarSamp Corr
    Median Mode Quantile ApproxQuantile PercentileCont PercentileDisc ApproxDistinct Hll LogicalAnd LogicalOr AnyValue
    GroupConcat ArgMax ArgMin Skewness Kurtosis
    RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue NthValue First Last
    Lower Upper Initcap Trim Length Left Right Substring Substr SubstringIndex Concat ConcatWs Replace Reverse Ascii
    StrPosition StartsWith EndsWith Contains SplitPart Translate Unicode
    RegexpLike RegexpILike RegexpExtract RegexpInstr RegexpCount RegexpFullMatch RegexpSubstr
    Levenshtein JarowinklerSimilarity Soundex
    Abs Ceil Floor Round Trunc Mod Pow Sqrt Cbrt Exp Ln Log Sign Div IntDiv SafeDivide Sin Cos Tan Asin Acos Atan Atan2
    Degrees Radians Pi
    CurrentDate CurrentTime CurrentTimestamp CurrentDatetime CurrentTimestampLTZ Localtime Localtimestamp
    Extract DatePart DateTrunc TimestampTrunc DatetimeTrunc TimeTrunc
    DateAdd DateSub DateDiff TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToTimestamp TsOrDsToDateStr TsOrDsToDatetime
    TimestampAdd TimestampSub TimestampDiff DatetimeAdd DatetimeSub DatetimeDiff TimeAdd TimeSub TimeDiff AddMonths
    MonthsBetween LastDay DateFromParts TimestampFromParts MakeInterval
    Date Time Timestamp Datetime Year Quarter Month Week WeekOfYear Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear
    Hour Minute Second Dayname Monthname YearOfWeek YearOfWeekIso Age Epoch
    StrToDate StrToTime StrToUnix TimeToStr TimeToUnix TimeStrToDate TimeStrToTime UnixToTime UnixToStr DateStrToDate
    DateToDateStr ParseTime ParseDatetime JustifyDays JustifyHours
    JSONExtract JSONExtractScalar JSONBExtract JSONBExtractScalar JSONValue
"""

FUNCTIONS: Final = tuple(
    kind for name in _NAMES.split() if isinstance(kind := getattr(exp, name, None), type) and issubclass(kind, exp.Expr)
)
"""The functions that sqlglot knows by a class of their own."""

_BARE = (
    "AGE BTRIM CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH BIT_LENGTH DATE_PART ISFINITE STRPOS LOCATE INSTR POSITION "
    "TO_CHAR TO_DATE TO_NUMBER TO_TIMESTAMP DATE_FORMAT STR_TO_DATE PERIOD_DIFF TIMESTAMPDIFF WEEKDAY YEARWEEK "
    "TRUNCATE TRUNC WIDTH_BUCKET NUM_NULLS NUM_NONNULLS EVERY BOOL_AND BOOL_OR REGR_SLOPE REGR_R2 REGR_COUNT "
    "REGR_INTERCEPT DAMERAU_LEVENSHTEIN JACCARD HAMMING ISNULL IFNULL NVL IIF DATESUB DATE_SUB STRFTIME STRPTIME "
    "TRY_STRPTIME REGEXP_MATCHES SUFFIX PREFIX FIELD FIND_IN_SET SCALE MIN_SCALE CLOCK_TIMESTAMP NOW"
)
ANONYMOUS: Final = frozenset(_BARE.split())
"""The functions that sqlglot leaves as they are written, in capitals."""

_TYPES = """
    BOOLEAN BIT TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 INT256 UTINYINT USMALLINT UMEDIUMINT UINT UBIGINT UINT128
    DECIMAL DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256 BIGDECIMAL UDECIMAL FLOAT DOUBLE UDOUBLE MONEY SMALLMONEY
    CHAR NCHAR VARCHAR NVARCHAR BPCHAR TEXT TINYTEXT MEDIUMTEXT LONGTEXT NAME CHARACTER_SET
    DATE DATE32 TIME TIMETZ TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ TIMESTAMPNTZ TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS
    DATETIME DATETIME2 DATETIME64 SMALLDATETIME INTERVAL YEAR UUID JSON JSONB BINARY VARBINARY
"""
TYPES: Final = frozenset(kind for name in _TYPES.split() if (kind := getattr(exp.DType, name, None)) is not None)
"""What may be cast to. PostgreSQL's reg* types, which look names up in its catalog, are not among them."""

REFUSED: Final[tuple[tuple[str, str, tuple[type, ...]], ...]] = tuple(
    (rule, words, tuple(kind for name in names.split() if isinstance(kind := getattr(exp, name, None), type)))
    for rule, words, names in (
        ("no_writes", "it writes", "DML Insert Update Delete Merge Into Copy LoadData Export"),
        ("no_definitions", "it changes definitions", "DDL Create Drop Alter TruncateTable Comment Grant Revoke"),
        (
            "no_commands",
            "it is a command",
            "Command Set SetItem Use Pragma Kill Show Describe Transaction Commit Rollback Analyze Attach Detach "
            "Install Summarize Execute ExecuteSql Declare Cache Uncache Refresh Heredoc Block IfBlock WhileBlock "
            "Return Fetch_ Query_",
        ),
        ("no_locks", "it locks rows", "Lock"),
        ("no_parameters", "it has parameters or variables", "Parameter SessionParameter Placeholder PropertyEQ"),
        ("no_table_functions", "it reads from a function", "Lateral Unnest Explode Posexplode Inline Stream FromFirst"),
        ("no_hints", "it gives hints to the database", "Hint WithTableHint IndexTableHint"),
        (
            "no_row_generators",
            "it makes rows or arrays",
            "GenerateSeries GenerateDateArray Connect Pivot MatchRecognize",
        ),
        ("no_lambdas", "it has a lambda", "Lambda"),
    )
)
"""What may stand nowhere in a query: the name of the rule, what is wrong, and the kinds of node."""

_SHAPES: Final[dict[str, str]] = {
    "Select": "with_ kind expressions distinct from_ joins where group having qualify windows order limit offset",
    "Union": "with_ this expression distinct order limit offset",
    "Intersect": "with_ this expression distinct order limit offset",
    "Except": "with_ this expression distinct order limit offset",
    "Subquery": "this alias with_ joins order limit offset",
    "With": "expressions",
    "CTE": "this alias materialized",
    "From": "this",
    "Join": "this on side kind using",
    "Table": "this alias db catalog joins",
    "TableAlias": "this columns",
    "Column": "this table db catalog",
    "Star": "except_",
    "Where": "this",
    "Group": "expressions rollup cube grouping_sets all",
    "Rollup": "expressions",
    "Cube": "expressions",
    "GroupingSets": "expressions",
    "Having": "this",
    "Qualify": "this",
    "Order": "this expressions",
    "Ordered": "this desc nulls_first",
    "Distinct": "expressions on",
    "Limit": "this expression offset limit_options",
    "LimitOptions": "percent rows with_ties",
    "Fetch": "direction count limit_options",
    "Offset": "this expression",
    "Window": "this partition_by order spec alias over first",
    "WindowSpec": "kind start start_side end end_side exclude",
    "In": "this expressions query",
    "Cast": "this to safe format",
    "Count": "this expressions big_int",
}
SHAPES: Final = {getattr(exp, name): frozenset(parts.split()) for name, parts in _SHAPES.items()}
"""The parts that the kinds of node may have out of which queries are made; a part that is not listed is refused."""

_PLAIN = """
    Identifier Alias Literal National Boolean Null Paren Tuple Neg Not And Or Xor
    EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is Like ILike SimilarTo Escape Between Glob
    Add Sub Mul Div Mod IntDiv DPipe BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift
    If Filter WithinGroup IgnoreNulls RespectNulls Any All
    Interval IntervalSpan Var DataType DataTypeParam AtTimeZone Collate
    JSONPath JSONPathRoot JSONPathKey JSONPathSubscript
"""
PLAIN: Final = frozenset(getattr(exp, name) for name in _PLAIN.split())
"""The other kinds of node that a query may hold, beside the functions."""
