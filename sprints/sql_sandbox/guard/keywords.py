"""The keyword to name when a statement is not a SELECT."""

import postgast
from postgast.pg_query_pb2 import Token

DATA_CHANGES = {"InsertStmt": "INSERT", "UpdateStmt": "UPDATE", "DeleteStmt": "DELETE", "MergeStmt": "MERGE"}
"""Statements by node type rather than first word, since they may begin with WITH or be inside one."""

LOCKS = {2: "FOR KEY SHARE", 3: "FOR SHARE", 4: "FOR NO KEY UPDATE", 5: "FOR UPDATE"}
"""Locks by LockClauseStrength, which is 1 for none."""

_OTHER_STATEMENTS = (
    "ABORT ALTER ANALYZE BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DELETE "
    "DISCARD DO DROP END EXECUTE EXPLAIN FETCH GRANT IMPORT INSERT LISTEN LOAD LOCK MERGE MOVE NOTIFY PREPARE REASSIGN "
    "REFRESH REINDEX RELEASE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW START TRUNCATE UNLISTEN UPDATE "
    "VACUUM"
)
OTHER_STATEMENTS = frozenset(_OTHER_STATEMENTS.split())


_SKIPPED = frozenset(Token.Value(name) for name in ("SQL_COMMENT", "C_COMMENT", "ASCII_40", "ASCII_59"))
"""Comments, an opening bracket, a semicolon."""


def first_word(statement: bytes) -> str:
    """Return the first word of a statement in capitals, after whitespace and comments. Empty if there is none."""
    try:
        tokens = postgast.scan(statement.decode()).tokens
    except postgast.PgQueryError:
        return ""
    for token in tokens:
        if token.token not in _SKIPPED:
            word = statement[token.start : token.end].decode()
            return word.upper() if word.isalpha() else ""
    return ""
