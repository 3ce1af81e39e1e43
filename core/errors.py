"""The one error the hub raises on purpose, and the codes it may carry.

Every face renders it in the same shape (see ``hubsite/problems.py``); nothing else reaches a caller.
"""

from typing import Any, Final

STATUS: Final[dict[str, int]] = {
    "unauthenticated": 401,
    "forbidden": 403,
    # Why a delegation does not open knowledge, in the order they are looked at (TSK-03).
    "delegation_revoked": 403,
    "delegation_expired": 403,
    "organization_mismatch": 403,
    "generation_stale": 403,
    "subject_inactive": 403,
    "grant_revoked": 403,
    "scope_denied": 403,
    # Why none is issued (TSK-02).
    "scope_exceeds_subject": 403,
    "scope_exceeds_actor": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "no_active_session": 409,
    "ambiguous_session": 409,
    "conflict": 409,
    "version_mismatch": 409,
    "expired": 410,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "invalid_argument": 422,
    "precondition_required": 428,
    "rate_limited": 429,
    "internal": 500,
    "unavailable": 503,
    "evidence_unavailable": 503,
    "retrieval_plane_unavailable": 503,
}
RETRYABLE: Final = frozenset(
    {"rate_limited", "unavailable", "evidence_unavailable", "retrieval_plane_unavailable", "internal"}
)


class HubError(Exception):
    """A refusal: a code of `STATUS`, a sentence for the caller, and details that name the field and the limit."""

    def __init__(self, code: str, message: str, **details: Any) -> None:  # noqa: ANN401 - details are JSON values
        super().__init__(message)
        if code not in STATUS:
            raise ValueError(code)
        self.code = code
        self.message = message
        self.details = details

    @property
    def status(self) -> int:
        """The HTTP status this code answers with."""
        return STATUS[self.code]

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.code in RETRYABLE

    def as_dict(self) -> dict[str, Any]:
        """Answer the JSON every face shows: code, message, retryable, details."""
        return {"code": self.code, "message": self.message, "retryable": self.retryable, "details": self.details}


def not_found(what: str) -> HubError:
    """Answer the refusal for a thing that is missing or hidden: the two look the same."""
    return HubError("not_found", f"No such {what}, or you may not see it.", what=what)


def invalid(field: str, message: str, **details: Any) -> HubError:  # noqa: ANN401 - details are JSON values
    """Answer the refusal of one argument, by name."""
    return HubError("invalid_argument", message, field=field, **details)
