"""
The functions, operators and types that a statement may use.

A person reviewed each name; test_sql_vocabulary.py checks in the catalogue that none writes, reads, waits or connects
elsewhere. A function of a later PostgreSQL is refused until it is added.
"""


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


_AGGREGATES = """
any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every json_agg
json_agg_strict json_object_agg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict jsonb_agg
jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict max
min mode percentile_cont percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept
regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
"""
_WINDOWS = """
cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
"""
_SETS = """
generate_series generate_subscripts json_array_elements json_array_elements_text json_each json_each_text
json_object_keys json_to_record json_to_recordset jsonb_array_elements jsonb_array_elements_text jsonb_each
jsonb_each_text jsonb_object_keys jsonb_path_query jsonb_path_query_tz jsonb_to_record jsonb_to_recordset
regexp_matches regexp_split_to_table string_to_table unnest
"""
_TIMES = """
age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract interval isfinite justify_days
justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
statement_timestamp time timeofday timestamp timestamptz timetz timezone to_char to_date to_timestamp
transaction_timestamp uuid_extract_timestamp uuid_extract_version
"""
_NUMBERS = """
abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh bit_count cbrt ceil ceiling cos cosd cosh cot cotd
degrees div erf erfc exp factorial float4 float8 floor gamma gcd int2 int4 int8 lcm lgamma ln log log10 min_scale mod
numeric pi pow power radians random random_normal round scale sign sin sind sinh sqrt tan tand tanh to_bin to_hex
to_number to_oct trim_scale trunc width_bucket
"""
_TEXTS = """
ascii bit_length bpchar btrim casefold char_length character_length chr concat concat_ws convert_from convert_to crc32
crc32c decode encode format get_bit get_byte initcap is_normalized left length like_escape lower lpad ltrim md5
normalize octet_length overlay parse_ident position quote_ident quote_literal quote_nullable regexp_count regexp_instr
regexp_like regexp_match regexp_replace regexp_split_to_array regexp_substr repeat replace reverse right rpad rtrim
sha224 sha256 sha384 sha512 similar_to_escape split_part starts_with string_to_array strpos substr substring text
to_ascii translate unicode_assigned unistr upper varchar
"""
_SEARCH = """
array_to_tsvector json_to_tsvector jsonb_to_tsvector numnode phraseto_tsquery plainto_tsquery querytree setweight strip
to_tsquery to_tsvector ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase tsvector_to_array
websearch_to_tsquery
"""
_JSON = """
array_to_json json_array_length json_build_array json_build_object json_extract_path json_extract_path_text json_object
json_strip_nulls json_typeof jsonb_array_length jsonb_build_array jsonb_build_object jsonb_extract_path
jsonb_extract_path_text jsonb_insert jsonb_object jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
jsonb_path_match_tz jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz
jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_typeof row_to_json to_json to_jsonb
"""
_ARRAYS = """
array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions array_prepend
array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_string array_upper cardinality
trim_array
"""
_RANGES = """
datemultirange daterange int4multirange int4range int8multirange int8range isempty lower_inc lower_inf multirange
nummultirange numrange range_merge tsmultirange tsrange tstzmultirange tstzrange upper_inc upper_inf
"""
_OTHERS = """
bool gen_random_uuid num_nonnulls num_nulls pg_column_size uuidv4 uuidv7
"""

FUNCTIONS = _words(_AGGREGATES, _WINDOWS, _SETS, _TIMES, _NUMBERS, _TEXTS, _SEARCH, _JSON, _ARRAYS, _RANGES, _OTHERS)
"""Functions, aggregates and window functions of pg_catalog, by name."""

VOLATILE_BUT_HARMLESS = _words(
    "array_sample array_shuffle clock_timestamp gen_random_uuid random random_normal timeofday uuidv4 uuidv7"
)
"""Volatile functions that only return a different value each time."""

OPERATORS = _words(
    "+ - * / % ^ |/ ||/ @ & | # ~ << >> = <> != < <= > >= || "
    "~~ !~~ ~~* !~~* ~* !~ !~* ^@ -> ->> #> #>> @> <@ ? ?| ?& #- @? @@ !! <-> && -|- &< &> *"
)
"""Operators of pg_catalog; none of them is volatile."""

BETWEENS = frozenset({"BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC"})
"""Names in an operator's place in the parser's tree that are not operators."""

TYPES = _words(
    "bool int2 int4 int8 float4 float8 numeric text varchar bpchar char name bit varbit bytea uuid "
    "boolean smallint integer bigint int real double decimal string "
    "date time timetz timestamp timestamptz interval json jsonb tsvector tsquery record "
    "int4range int8range numrange daterange tsrange tstzrange "
    "int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange"
)
"""Allowed cast types: no `reg*`, which read the catalogue, no composite ones, no computed JSON path."""

SYSTEM_COLUMNS = frozenset({"tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"})

RESULT_COLUMNS = frozenset({"key", "value", "ordinality", "date", "element", "lexeme", "positions", "weights"})
"""Default column names of set-returning functions, besides the function's own."""

CLOCK_VALUES = frozenset(range(1, 10))
"""SQLValueFunctionOp: CURRENT_DATE to LOCALTIMESTAMP(n). Those after them tell who is connected, and where."""

# The guard bounds what statements make (guard/value_sizes.py); this is what it must know of functions and operators.

GUARD_FUNCTIONS = ("limit_size", "refuse_large_row")
"""Functions in the views' schema that the guard inserts into statements: one checks a value, one refuses a row."""

GROWING_AGGREGATES = frozenset(name for name in _AGGREGATES.split() if "_agg" in name)
"""Aggregates whose result grows with the number of rows."""

SET_FUNCTIONS = _words(_SETS)
"""Functions that return rows. A row is no larger than the largest argument, but for groups of a pattern."""

FIXED_SIZE = _words(
    """
    acos acosd acosh age array_length array_lower array_ndims array_position array_upper ascii asin asind asinh atan
    atan2 atan2d atand atanh bit_count bit_length bool bool_and bool_or cardinality cbrt char_length
    character_length clock_timestamp corr cos cosd cosh cot cotd count covar_pop covar_samp crc32 crc32c cume_dist
    date date_add date_bin date_part date_subtract date_trunc degrees dense_rank erf erfc every float4 float8 gamma
    gen_random_uuid generate_subscripts get_bit get_byte int2 int4 int8 interval is_normalized isempty isfinite
    json_array_length jsonb_array_length jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz
    justify_days justify_hours justify_interval length lgamma lower_inc lower_inf make_date make_interval make_time
    make_timestamp make_timestamptz min_scale now ntile num_nonnulls num_nulls numnode octet_length overlaps
    percent_rank pg_column_size pi position radians random_normal rank regexp_count regexp_instr regexp_like
    regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number scale sin
    sind sinh starts_with statement_timestamp strpos tan tand tanh time timestamp timestamptz timetz timezone
    to_date to_timestamp transaction_timestamp ts_rank ts_rank_cd unicode_assigned upper_inc upper_inf
    uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 width_bucket
    """
)
"""Functions whose result has a fixed size for any arguments. A test checks the catalogue."""

FIXED_SIZE_TYPES = _words(
    "bool int2 int4 int8 float4 float8 uuid boolean smallint integer bigint int real double date time timetz timestamp "
    "timestamptz interval"
)

LINEAR_TYPES = FIXED_SIZE_TYPES | _words("text varchar bpchar char name string bit varbit bytea json jsonb")
"""Types whose texts are read once. A number of hexadecimal digits takes the square of them."""

LINEAR_FUNCTIONS = _words(
    _AGGREGATES,
    _WINDOWS,
    """
    abs age array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions
    array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_json
    array_to_string array_upper ascii bit_count bit_length bool bpchar cardinality casefold ceil ceiling char_length
    character_length chr concat concat_ws convert_from convert_to crc32 crc32c date date_add date_bin date_part
    date_subtract date_trunc decode encode extract factorial float4 float8 floor format generate_series
    generate_subscripts get_bit get_byte initcap int2 int4 int8 interval isfinite json_array_elements
    json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
    json_extract_path json_extract_path_text json_object json_object_keys json_strip_nulls json_to_record
    json_to_recordset json_typeof jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array
    jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
    jsonb_object_keys jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof
    justify_days justify_hours justify_interval left length like_escape lower lpad make_date make_interval make_time
    make_timestamp make_timestamptz md5 min_scale multirange num_nonnulls num_nulls octet_length overlaps overlay
    parse_ident pg_column_size quote_ident quote_literal quote_nullable random regexp_count regexp_instr regexp_like
    regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat reverse
    right round row_to_json rpad scale sha224 sha256 sha384 sha512 sign similar_to_escape starts_with substr substring
    text time timestamp timestamptz timetz timezone to_ascii to_char to_json to_jsonb to_number trim_array trim_scale
    trunc unicode_assigned unistr unnest upper varchar
    """,
)
"""Functions that read each argument once, or that can be interrupted (patterns). A person reviewed each name."""

PAIR_STEPS = dict.fromkeys(
    _words("btrim ltrim position replace rtrim split_part string_to_array string_to_table strpos translate"), 1.0
) | dict.fromkeys(_words("div gcd lcm mod width_bucket"), 1 / 50)
"""Functions that compare each part of one argument with each of another, and the steps of such a pair of bytes."""

SQUARE_STEPS = dict.fromkeys(_words("exp ln log log10 numeric pow power sqrt"), 1 / 50)
"""Functions of digits: their steps for the square of the bytes. Any other function that no list names costs more."""

LINEAR_OPERATORS = BETWEENS | _words(
    "+ ^ |/ ||/ @ & | # ~ << >> = <> != < <= > >= || ~* !~ !~* ^@ -> ->> #> #>> ? #- !! <-> -|- &< &>"
)
"""Operators that read each side once, or that can be interrupted (patterns)."""

PAIR_OPERATOR_STEPS = dict.fromkeys(_words("&& @> <@ - * / % ?| ?&"), 1 / 50) | dict.fromkeys(
    _words("~~ !~~ ~~* !~~* @@"), 1 / 3
)
"""Operators that compare each part of one side with each of the other. One that no list names costs more."""

SAME_SIZE_OPERATORS = _words("!! # #- #> #>> & - -> ->> <-> << >> @ | |/ ||/ ~")
"""Operators whose result may be as large as their arguments. All others have a fixed size."""
