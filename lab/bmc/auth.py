"""Logins of one BMC: accounts with salted digests, lock-out after failures, sessions that time out."""

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass

from lab.bmc.http import Request
from lab.bmc.messages import refuse
from lab.bmc.state import Account, BmcState

# A BMC of the lab logs in thousands of times a minute, and its passwords are random: a slow digest buys nothing.
ROUNDS = 1000
MAX_SESSIONS = 64
ROLES = {
    "Administrator": ["Login", "ConfigureManager", "ConfigureUsers", "ConfigureSelf", "ConfigureComponents"],
    "Operator": ["Login", "ConfigureComponents", "ConfigureSelf"],
    "ReadOnly": ["Login", "ConfigureSelf"],
}


@dataclass
class Session:
    """A login. Times are monotonic seconds."""

    id: str
    token: str
    account: str
    created: str
    used: float


@dataclass(frozen=True)
class Caller:
    """Who sends a request; `session` is None for basic authentication."""

    account: Account
    session: Session | None

    def may(self, privilege: str) -> bool:
        return privilege in ROLES[self.account.role]


def new_account(ident: str, name: str, password: str, role: str) -> Account:
    """An account with a fresh salt."""
    salt = secrets.token_hex(8)
    return Account(ident, name, role, salt, digest(password, salt))


def digest(password: str, salt: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", password.encode(), bytes.fromhex(salt), ROUNDS).hex()


class Guard:
    """Decides who a request comes from. `deny` (a fault) makes every password wrong."""

    def __init__(self, state: BmcState) -> None:
        self.state = state
        self.deny = False
        self.sessions: dict[str, Session] = {}
        self._failures: dict[str, tuple[int, float]] = {}
        self._locked: dict[str, float] = {}
        self._seen: dict[tuple[str, bytes], str] = {}
        self._pepper = secrets.token_bytes(16)

    def login(self, name: str, password: str) -> Account | None:
        """The account if the password is right and it's neither disabled nor locked."""
        account = next((one for one in self.state.accounts if one.name == name), None)
        if account is None or not account.enabled or self.locked(account.id):
            return None
        if self.deny or not self._matches(account, password):
            self._failed(account.id)
            return None
        self._failures.pop(account.id, None)
        return account

    def _matches(self, account: Account, password: str) -> bool:
        # Basic authentication sends the password with each request: a right one is remembered as a keyed digest.
        key = (account.id, hmac.digest(self._pepper, password.encode(), "sha256"))
        if self._seen.get(key) == account.digest:
            return True
        if not hmac.compare_digest(digest(password, account.salt), account.digest):
            return False
        self._seen[key] = account.digest
        return True

    def _failed(self, ident: str) -> None:
        now = time.monotonic()
        count, last = self._failures.get(ident, (0, now))
        count = 1 if now - last > self.state.lockout_reset_s else count + 1
        self._failures[ident] = (count, now)
        if self.state.lockout_threshold and count >= self.state.lockout_threshold:
            self._locked[ident] = now + self.state.lockout_duration_s
            del self._failures[ident]

    def locked(self, ident: str) -> bool:
        return self._locked.get(ident, 0.0) > time.monotonic()

    def unlock(self, ident: str) -> None:
        self._locked.pop(ident, None)
        self._failures.pop(ident, None)

    def open(self, account: Account) -> Session:
        """A new session. Raises RefusalError (503) when the BMC has no free slot."""
        self.expire()
        if len(self.sessions) >= MAX_SESSIONS:
            raise refuse(503, "SessionLimitExceeded")
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        session = Session(secrets.token_hex(6), secrets.token_hex(24), account.id, created, time.monotonic())
        self.sessions[session.id] = session
        return session

    def expire(self) -> None:
        """Forgets sessions that were idle too long or whose account is gone."""
        oldest = time.monotonic() - self.state.session_timeout_s
        alive = {one.id for one in self.state.accounts if one.enabled}
        for session in list(self.sessions.values()):
            if session.used < oldest or session.account not in alive:
                del self.sessions[session.id]

    def drop(self, account: str) -> None:
        """Ends every session of an account: its password, role or existence changed."""
        self.sessions = {ident: one for ident, one in self.sessions.items() if one.account != account}

    def caller(self, request: Request) -> Caller | None:
        """Who sends `request`; None when it carries no valid login."""
        token = request.headers.get("x-auth-token")
        if token is not None:
            return self._by_token(token)
        scheme, _, value = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        account = self.login(name, password)
        return Caller(account, None) if account else None

    def _by_token(self, token: str) -> Caller | None:
        if self.deny:
            return None
        self.expire()
        for session in self.sessions.values():
            if hmac.compare_digest(session.token.encode(), token.encode("utf-8", "replace")):
                session.used = time.monotonic()
                account = next(one for one in self.state.accounts if one.id == session.account)
                return Caller(account, session)
        return None
