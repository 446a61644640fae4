"""Client of a Punctual server: messages that come back when they are due. Standard library only.

    q = Punctual("http://localhost:8420").queue("mail")
    q.schedule({"to": "ada"}, delay="10m", id="mail-1")
    with q.work(lambda payload, delivery: send(payload), concurrency=16) as worker:
        worker.wait()
"""
from __future__ import annotations

import base64
import contextlib
import datetime
import http.client
import json
import logging
import os
import random
import re
import signal
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Union
from urllib.parse import quote, urlsplit

__version__ = "0.1.0"
__all__ = ["Punctual", "Queue", "Worker", "Delivery", "RetryAfter", "PunctualError"]
Json = dict  # an object of JSON
Duration = Union[str, float, datetime.timedelta]  # such as "250ms", "10s", "5m", or seconds
Instant = Union[str, datetime.datetime]  # ISO 8601, or with a time zone
UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
BUSY = (0, 408, 429, 502, 503, 504)  # the same request can succeed
MOST = 1000  # items of a request
PIECES = 8  # requests at once for what was not answered before
ABSENT = {404: {"outcome": "NOT_FOUND"}, 409: {"outcome": "REFUSED"}}
log = logging.getLogger("punctual")


class PunctualError(Exception):
    """The server refused a request, or did not answer (status 0).

    `outcome` says whether the change was made: "not-done", "unknown" or "done".
    """

    def __init__(self, message: str, status: int = 0, problem: Json | None = None, after: float = 0) -> None:
        super().__init__(message)
        self.status, self.problem, self.retry_after = status, problem or {}, after
        self.outcome: str = self.problem.get("outcome", "unknown")
        self.is_refusal = bool(problem) and 400 <= status < 500 and status not in BUSY


class RetryAfter(Exception):
    """Raised by a handler: the attempt does not count, and the message is due after the delay."""

    def __init__(self, delay: Duration) -> None:
        super().__init__(f"retry after {delay}")
        self.delay = _millis(delay)


def _seconds(value: Duration) -> float:
    if isinstance(value, str):
        match = re.fullmatch(r"(\d+)(ms|[smhd])", value, re.ASCII)
        size = int(match[1]) * UNITS[match[2]] if match else -1
    else:
        size = value.total_seconds() if isinstance(value, datetime.timedelta) else value
    if not 0 <= size < float("inf"):
        raise ValueError(f"{value!r} is no duration; pass one such as 250ms, 10s or 5m")
    return size


def _millis(value: Duration | None) -> str | None:
    return None if value is None else f"{round(_seconds(value) * 1000)}ms"


def _instant(value: Instant | None) -> str | None:
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        raise ValueError("a datetime needs a time zone, such as datetime.timezone.utc")
    return value.isoformat() if isinstance(value, datetime.datetime) else value


def _pieces(items: list, most: int) -> list[list]:
    """At most so many lists with the items."""
    return [items[i::most] for i in range(min(most, len(items)))]


def _clean(text: object) -> str:
    """A text without halves of surrogate pairs, such as names of files can have."""
    return str(text).encode("utf-8", "replace").decode()


def _failure(error: BaseException) -> Json:
    """The type of an exception, its text, and the innermost line outside of this file."""
    trace = traceback.TracebackException.from_exception(error)
    lines = [f"{os.path.basename(f.filename)}:{f.lineno}" for f in trace.stack if f.filename != __file__]
    return {"type": type(error).__name__, "text": _clean(trace)[:10_000], "origin": _clean(lines[-1] if lines else "")}


class Stop(threading.Event):
    """Ends the repetitions of a request, which goes on for ever otherwise."""

    connection: http.client.HTTPConnection | None = None


class Punctual:
    """A server. Safe for use by many threads, and after a fork."""

    def __init__(self, url: str, token: str | None = None, timeout: Duration = 10, patience: Duration = 30,
                 context: Any = None) -> None:
        self._url, self._context = urlsplit(url), context
        if self._url.username is not None:  # failures name the address, and go into logs
            raise ValueError("the address has a user or token; pass the token apart")
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError(f"{url}: an address is http:// or https://, and a host")
        self._timeout, self._patience = _seconds(timeout), _seconds(patience)
        self._headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = "Bearer " + token.strip()
        self._idle: dict[int, list] = {}  # connections by process: a fork must not share them

    def queue(self, name: str) -> Queue:
        return Queue(self, name)

    def call(self, method: str, path: str, body: Any = None, expect: str = "outcome", wait: float = 0,
             stop: Stop | None = None, once: float = 0) -> Json:
        """Sends a request, and again while that can help. With `once`, a single time, for so many seconds at most."""
        data = None if body is None else json.dumps(
            body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        end, pause = time.monotonic() + self._patience, 0.1
        timeout = min(self._timeout + wait, once or float("inf"))
        while True:
            try:
                return self._send(method, path, data, expect, timeout, stop or Stop())
            except PunctualError as e:
                delay = max(pause, e.retry_after)
                is_over = stop.is_set() if stop else e.status not in BUSY or time.monotonic() + delay > end
                is_done = e.outcome == "done" and expect != "results"  # of several, it is the outcome of the first
                if e.is_refusal or is_over or is_done or once:
                    raise
                log.warning("%s; again in %.1f s", e, delay)
                failure = e
            if (stop or Stop()).wait(delay * random.uniform(1, 1.5)):
                raise failure
            pause = min(pause * 2, 5.0)

    def _connection(self) -> http.client.HTTPConnection:
        try:
            return self._idle.setdefault(os.getpid(), []).pop()
        except IndexError:
            host, port = self._url.hostname or "", self._url.port
            if self._url.scheme == "http":
                return http.client.HTTPConnection(host, port)
            return http.client.HTTPSConnection(host, port, context=self._context)

    def _close_idle(self) -> None:
        with contextlib.suppress(IndexError):
            while True:
                self._idle[os.getpid()].pop().close()

    def _send(self, method: str, path: str, data: bytes | None, expect: str, timeout: float, stop: Stop) -> Json:
        while True:
            connection = stop.connection = self._connection()
            connection.timeout, was_open = timeout, connection.sock is not None
            try:
                if was_open:
                    connection.sock.settimeout(connection.timeout)
                connection.request(method, self._url.path.rstrip("/") + path, data, self._headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (OSError, http.client.HTTPException) as e:
                connection.close()
                if was_open:  # it was idle, and had ended; so have those that were idle for longer
                    self._close_idle()
                if not was_open or stop.is_set() or isinstance(e, socket.timeout):
                    raise PunctualError(f"{self._url.netloc} does not answer: {e!r}") from e
        if stop.is_set():  # half of it is closed
            connection.close()
        self._idle[os.getpid()].append(connection)
        status, retry_after = response.status, response.headers.get("Retry-After", "")
        after = min(3600, int(retry_after)) if re.fullmatch("[0-9]{1,9}", retry_after) else 0
        try:
            answer = dict(json.loads(text))
        except (ValueError, TypeError):
            answer = {}
        if status < 300 and expect in answer:
            return answer
        if status >= 300 and "detail" in answer:
            raise PunctualError(answer["detail"], status, answer, after)
        raise PunctualError(f"{self._url.netloc} answered {status}, not as a Punctual server does", status, None, after)


class Queue:
    """A queue of messages. Payloads are JSON values; bytes are sent as they are."""

    def __init__(self, punctual: Punctual, name: str) -> None:
        if name in ("", ".", ".."):
            raise ValueError(f"{name!r} is no name of a queue")
        self.punctual, self.name, self.path = punctual, name, "/v1/queues/" + quote(name, safe="")

    def schedule(self, payload: Any, delay: Duration | None = None, **options: Any) -> Json:
        """Schedules a message, now without a delay.

        Options: at, id, headers, if_present, remember, not_after, every, cron, zone.
        """
        message = _message(payload, delay, **options)
        try:
            return self._call("PUT", message["id"], message, known={409: {"id": message["id"], "outcome": "REJECTED"}})
        except PunctualError as e:
            if e.outcome != "done":
                raise
            log.warning("%s of %s: %s", message["id"], self.name, e)
            return {"id": message["id"], "outcome": "STORED"}

    def schedule_all(self, messages: Iterable[Json]) -> list[Json]:
        """Schedules dicts with the arguments of `schedule`; each has a result or a problem."""
        rest, results = [_message(**each) for each in messages], []
        while rest:
            results += self.punctual.call("POST", self.path + "/messages", rest[:MOST], "results")["results"]
            rest = rest[MOST:]
        return results

    def cancel(self, id: str) -> str:
        """Returns CANCELLED, RUNNING if a consumer has it, REFUSED if it is dead, or NOT_FOUND."""
        return self._call("DELETE", id)["outcome"]

    def reschedule(self, id: str, delay: Duration = 0, at: Instant | None = None) -> str:
        """Returns RESCHEDULED, REFUSED if it runs or is dead, or NOT_FOUND; so does `run_now`."""
        return self._call("PATCH", id, {"dueAt": _instant(at)} if at else {"delay": _millis(delay)})["outcome"]

    def run_now(self, id: str) -> str:
        return self._call("POST", id, None, "/run")["outcome"]

    def find(self, id: str) -> Json | None:
        """Returns the message, or None."""
        return self._call("GET", id, expect="state", known={404: {}}) or None

    def work(self, handler: Callable[[Any, Delivery], Any], concurrency: int = 8, lease: Duration = "30s",
             name: str | None = None) -> Worker:
        """Starts a worker, whose handlers run on threads and ack by returning."""
        return Worker(self, handler, concurrency, lease, name or self.name)

    def _call(self, method: str, id: str, body: Any = None, rest: str = "", expect: str = "outcome",
              known: dict[int, Json] = ABSENT) -> Json:
        path = f"/messages/{quote(str(id), safe='')}{rest}"
        if id in ("", ".", ".."):  # which a path can't carry
            path = f"/message{rest}?id={id}"
        try:
            return self.punctual.call(method, self.path + path, body, expect)
        except PunctualError as e:
            if e.is_refusal and e.status in known:
                return known[e.status]
            raise


def _message(payload: Any, delay: Duration | None = None, *, id: str | None = None, at: Instant | None = None,
             headers: dict[str, str] | None = None, if_present: str | None = None,
             remember: Duration | None = None, not_after: Instant | None = None,
             every: Duration | None = None, cron: str | None = None, zone: str | None = None) -> Json:
    is_binary, recurrence = isinstance(payload, (bytes, bytearray)), None
    if (every, cron, zone) != (None, None, None):
        recurrence = {"every": _millis(every), "cron": cron, "zone": zone}
    return {
        "id": os.urandom(16).hex() if id is None else str(id),  # known before, so that it can be sent again
        **({"payloadBase64": base64.b64encode(payload).decode()} if is_binary else {"payload": payload}),
        "delay": _millis(delay), "dueAt": _instant(at), "notAfter": _instant(not_after), "headers": headers,
        "ifPresent": if_present, "rememberFor": _millis(remember), "recurrence": recurrence,
    }


class Delivery:
    """A message in a handler. `lost` is set when another consumer may have it."""

    def __init__(self, data: Json) -> None:
        self.id, self.headers, self.due_at = data["id"], data.get("headers", {}), data["dueAt"]
        self.attempt, self.last_attempt = data["attempt"], data["lastAttempt"]
        self.lateness, self.fencing_token = data["latenessMillis"] / 1000, data["fencingToken"]
        is_binary = "payloadBase64" in data
        self.payload = base64.b64decode(data["payloadBase64"]) if is_binary else data["payload"]
        self.lost, self.key = threading.Event(), (data["id"], data["token"])
        self.settlement = self.settle("ack")

    def __repr__(self) -> str:
        return f"<Delivery {self.id!r}, attempt {self.attempt}>"

    def settle(self, action: str, **fields: Any) -> Json:
        self.settlement = {"id": self.key[0], "token": self.key[1], "action": action, **fields}
        return self.settlement

    def retry(self, delay: Duration, reason: str | None = None) -> None:
        self.settle("retry", delay=_millis(delay), reason=reason and _clean(reason))

    def defer(self, delay: Duration) -> None:
        self.settle("defer", delay=_millis(delay))

    def repeat(self, delay: Duration) -> None:
        self.settle("repeat", delay=_millis(delay))

    def bury(self, reason: str) -> None:
        self.settle("bury", reason=_clean(reason))

    def end_recurrence(self) -> None:
        self.settle("end")


class Worker:
    """Claims as many messages as handlers are free, and keeps their leases."""

    def __init__(self, queue: Queue, handler: Callable[[Any, Delivery], Any], concurrency: int,
                 lease: Duration, name: str) -> None:
        if not 1 <= concurrency <= MOST or not _seconds(lease):
            raise ValueError(f"a worker has a concurrency from 1 to {MOST}, and a lease")
        about = {"name": name[:100], "host": socket.gethostname()[:100] or "unknown", "pid": os.getpid(),
                 "version": "python-" + __version__, "concurrency": concurrency}
        self._claim = {"lease": _millis(lease), "worker": about}
        self._queue, self._handler, self._room, self._every = queue, handler, concurrency, _seconds(lease) / 3
        self._stop, self._closed, self._is_over = Stop(), Stop(), False
        self.error: Exception | None = None  # why the worker has ended by itself
        self._changed, self._polling = threading.Condition(), False
        self._running: dict[tuple, Delivery] = {}
        self._done: list[Json] = []
        self._again: list[tuple[float, int, Json]] = []  # when to settle it again, and which attempt that is
        self._unanswered: set[tuple] = set()  # whose last extension has no answer
        self._requests: list[threading.Thread] = []  # that settle
        self._extending = self._retrying = 0  # requests in flight for what was not answered before
        self._poller = self._start(self._run)
        self._start(self._keep)
        self._settler = self._start(self._settle_all)

    @staticmethod
    def _start(target: Callable, *args: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=args, daemon=True)
        thread.start()
        return thread

    def _try_start(self, target: Callable, *args: Any) -> list[threading.Thread]:
        try:
            return [self._start(target, *args)]
        except RuntimeError:  # the system has no more threads
            target(*args)
            return []

    def _run(self) -> None:
        try:
            self._poll()
        except Exception as e:
            log.error("%s: the worker ends: %s", self._queue.name, e)
            self.error = e
            self.end()

    def _poll(self) -> None:
        while True:
            with self._changed:
                self._polling = False
                self._changed.wait_for(lambda: self._stop.is_set() or len(self._running) < self._room)
                self._polling = True
                if self._stop.is_set():
                    return
                room, settle = self._room - len(self._running), [] if self._again else self._take()
                self._changed.notify_all()
            wait = 1 if settle else 20  # a slow settlement must not keep a claim for long, nor be repeated with it
            claim = {**self._claim, "wait": f"{wait}s", "max": room, "settle": settle}
            try:
                answer = self._call("/claims", claim, "deliveries", wait, self._stop, 60 if settle else 0)
            except PunctualError as e:  # the worker stops, or the server refuses a settlement, or the claim
                if e.is_refusal and not settle:
                    raise
                self._put_back(settle, 0, e)
                continue
            for delivery in map(Delivery, answer["deliveries"]):
                self._running[delivery.key] = delivery
                self._try_start(self._handle, delivery)
            self._put_back(self._settled(settle, answer.get("settled", ())), 0)
            if answer.get("command") != "RUN":  # PAUSE by an operator, or STOP: this server ends
                self._stop.wait(1)

    def _handle(self, delivery: Delivery) -> None:
        try:
            if self._stop.is_set():  # arrived while the worker stopped
                delivery.settle("release")
            else:
                self._handler(delivery.payload, delivery)
        except RetryAfter as e:
            delivery.settle("defer", delay=e.delay)
        except BaseException as e:  # also SystemExit: this thread must not keep the message
            log.info("%s of %s failed: %r", delivery.id, self._queue.name, e)
            delivery.settle("fail", failure=_failure(e))
        with self._changed:
            if self._running.pop(delivery.key, None):  # else released by close
                self._done.append(delivery.settlement)
            self._changed.notify_all()

    def _keep(self) -> None:
        """Extends what runs once per tick; what has no answer yet goes apart from the rest."""
        while not self._closed.wait(self._every):
            with self._changed:
                held = [d.key for d in list(self._running.values()) if not d.lost.is_set()]
                fresh = [key for key in held if key not in self._unanswered]
                slow = [key for key in held if key in self._unanswered]
                batches = _pieces(slow, PIECES)[:2 * PIECES - self._extending]
                self._unanswered = {*fresh, *slow}  # fresh ones are sent now, slow ones were sent before
                self._extending += len(batches)
            if fresh:
                self._try_start(self._extend, fresh)
            for keys in batches:
                self._try_start(self._extend_slow, keys)

    def _extend_slow(self, keys: list[tuple]) -> None:
        try:
            self._extend(keys)
        finally:
            with self._changed:
                self._extending -= 1

    def _extend(self, keys: list[tuple]) -> None:
        batch = [{"id": id, "token": token, "action": "extend", "lease": self._claim["lease"]} for id, token in keys]
        try:
            answer = self._call("/settlements", batch, "results", 0, None, max(self._every, 1))
            busy = {(each["id"], each["token"]) for each in self._settled(batch, answer["results"])}
            with self._changed:
                self._unanswered -= set(keys) - busy
        except PunctualError as e:
            log.warning("%s: %d messages are not extended: %s", self._queue.name, len(batch), e)

    def _call(self, path: str, body: Any, expect: str, wait: float, stop: Stop | None, once: float) -> Json:
        return self._queue.punctual.call("POST", self._queue.path + path, body, expect, wait, stop, once)

    def _take(self) -> list[Json]:
        with self._changed:
            taken, self._done = self._done[:MOST], self._done[MOST:]
            return taken

    def _settle_all(self) -> None:
        """Settles what no claim takes along; what could not be settled goes again, apart from the rest."""
        while True:
            with self._changed:
                if not (self._closed.is_set() or (self._polling and self._done)):
                    self._changed.wait(0.2 if self._again else None)
                if self._closed.is_set():
                    return
                fresh, now, free = self._take() if self._polling else [], time.monotonic(), PIECES - self._retrying
                self._again.sort(key=lambda each: each[0])
                due = [each for each in self._again[:MOST] if free and each[0] <= now]
                del self._again[:len(due)]
                batches = _pieces(due, free)
                self._retrying += len(batches)
            self._requests = [each for each in self._requests if each.is_alive()]
            for batch in batches:
                self._requests += self._try_start(self._retry, batch)
            if fresh:  # meanwhile, others finish, and one request settles them, but not if this one is slow
                begun = self._try_start(self._settle, fresh)
                self._requests += begun
                for each in begun:
                    each.join(1)

    def _retry(self, batch: list[tuple[float, int, Json]]) -> None:
        try:
            self._settle([each for _, _, each in batch], max(attempt for _, attempt, _ in batch))
        finally:
            with self._changed:
                self._retrying -= 1

    def _settle(self, batch: list[Json], attempt: int = 0, most: float = 60) -> None:
        try:
            results = self._call("/settlements", batch, "results", 0, None, most)["results"]
            self._put_back(self._settled(batch, results), attempt)
        except PunctualError as e:
            if e.is_refusal and len(batch) > 1:  # one must not keep the others
                for each in batch:
                    self._settle([each], attempt, most)
            elif e.is_refusal:
                log.warning("%s: %d messages are not settled: %s", self._queue.name, len(batch), e)
            else:
                self._put_back(batch, attempt, e)

    def _put_back(self, batch: list[Json], attempt: int, error: PunctualError | None = None) -> None:
        if not batch or (error and error.outcome == "done"):
            return
        is_refused = error is not None and error.is_refusal  # at once, one by one
        pause = 0 if is_refused else max(min(0.5 * 2 ** attempt, 5), error.retry_after if error else 0)
        if error and not attempt and not is_refused:
            log.warning("%s: %d messages are not settled yet: %s", self._queue.name, len(batch), error)
        with self._changed:
            if self._is_over:
                log.warning("%s: %d messages are not settled: %s", self._queue.name, len(batch), error or "busy")
            self._again += [(time.monotonic() + pause, min(attempt + 1, 9), each) for each in batch]
            self._changed.notify_all()

    def _settled(self, batch: list[Json], results: Iterable[Json]) -> list[Json]:
        """Returns what must be sent again."""
        for settlement, result in zip(batch, results):
            delivery = self._running.get((settlement["id"], settlement["token"]))
            if delivery and result.get("outcome") == "LEASE_LOST":
                log.warning("%s of %s: the lease is lost", delivery.id, self._queue.name)
                delivery.lost.set()
        return [each for each, result in zip(batch, results)
                if result["status"] in BUSY and result.get("problem", {}).get("outcome") != "done"]

    def end(self) -> None:
        """Lets the worker claim nothing more, as SIGTERM does during `wait`."""
        with self._changed:
            self._stop.set()
            self._changed.notify_all()

    def close(self, grace: Duration = 20) -> None:
        """Claims nothing more, waits for the handlers, and releases what they have not finished."""
        self.end()
        late = time.monotonic() + 2
        while self._poller.is_alive() and time.monotonic() < late + 1:
            open_socket = self._stop.connection and self._stop.connection.sock
            if open_socket:  # the server sees that the poll is gone; what it gave before still arrives
                with contextlib.suppress(OSError):
                    half = time.monotonic() < late
                    socket.socket.shutdown(open_socket, socket.SHUT_WR if half else socket.SHUT_RDWR)
            self._poller.join(0.1)
        with self._changed:
            self._changed.wait_for(lambda: not self._running, _seconds(grace))
            for delivery in self._running.values():
                delivery.lost.set()
                self._done.append(delivery.settle("release"))
            self._running.clear()
            self._closed.set()
            self._changed.notify_all()
        end = time.monotonic() + 5
        self._settler.join(5)
        attempt, pause = 0, time.monotonic()
        while pause < end and (self._done or self._again or self._requests):  # what fails goes again until the end
            with self._changed:
                rest = self._done + [each for _, _, each in self._again]
                self._done, self._again = [], []
            for i in range(0, len(rest), MOST):
                most = max(0.1, end - time.monotonic())
                self._requests += self._try_start(self._settle, rest[i:i + MOST], attempt, most)
            attempt, pause = 1, min(end, time.monotonic() + 0.5)
            for each in self._requests:
                each.join(max(0, pause - time.monotonic()))
            self._requests = [each for each in self._requests if each.is_alive()]
            if self._again:
                time.sleep(max(0, pause - time.monotonic()))
        with self._changed:
            self._is_over = True
            if self._again:
                log.warning("%s: %d messages are not settled", self._queue.name, len(self._again))

    def wait(self, grace: Duration = 20) -> None:
        """Waits for SIGTERM or SIGINT (in the main thread only) or `end`; then closes the worker.

        Raises the error of a server that refuses this worker.
        """
        signals, before = [], {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                before[number] = signal.signal(number, lambda *_: signals.append(True))
        while not signals and not self._stop.wait(0.2):
            pass
        self.close(grace)
        for number, handler in before.items():
            signal.signal(number, handler)
        if self.error:
            raise self.error

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
