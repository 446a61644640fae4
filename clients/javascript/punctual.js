/**
 * Client of a Punctual server: messages that come back when they are due. For Node 20 and newer, and for browsers.
 *
 *   const q = new Punctual("http://localhost:8420").queue("mail");
 *   await q.schedule({ to: "ada" }, { id: "mail-1", delay: "10m" });
 *   const worker = q.work(async (payload, delivery) => send(payload), { concurrency: 16 });
 *   process.once("SIGTERM", () => worker.close({ grace: "20s" }));
 *   await worker.ended;
 */

const VERSION = "0.1.0";
const BUSY = [0, 408, 429, 502, 503, 504]; // the same request can succeed
const MOST = 1000; // items of a request
const PIECES = 8; // requests at once for what was not answered before
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const RESULTS = { expect: "results" };
const ONCE = { ...RESULTS, once: 60_000 };
const ABSENT = { 404: { outcome: "NOT_FOUND" }, 409: { outcome: "REFUSED" } };

/** The server refused a request, or did not answer (status 0). `outcome` is "not-done", "unknown" or "done". */
export class PunctualError extends Error {
  name = "PunctualError";

  constructor(message, { status = 0, problem = null, retryAfter = 0, cause } = {}) {
    super(message, { cause });
    Object.assign(this, { status, problem, retryAfter, outcome: problem?.outcome ?? "unknown" });
    this.isRefusal = problem !== null && status >= 400 && status < 500 && !BUSY.includes(status);
  }
}

/** Thrown by a handler: the attempt does not count, and the message is due again after the delay. */
export class RetryAfter extends Error {
  constructor(delay) {
    super(`retry after ${delay}`);
    this.delay = span(delay);
  }
}

/** The milliseconds of a duration: a number of seconds, or a text such as "250ms", "10s" or "5m". */
function millis(value) {
  const [, number, unit] = /^(\d+)(ms|[smhd])$/.exec(value) ?? [];
  const size = unit ? number * UNITS[unit] : typeof value === "number" ? value * 1000 : NaN;
  if (size >= 0 && size < Infinity) return Math.round(size);
  throw new RangeError(`${value} is no duration; pass one such as 250ms, 10s or 5m`);
}

const span = (value) => (value == null ? undefined : `${millis(value)}ms`);
const instant = (value) => (value instanceof Date ? value.toISOString() : value);
const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** At most so many lists with the items. */
const pieces = (items, most) => Array.from({ length: Math.min(most, items.length) },
  (_, i) => items.filter((_, n) => n % Math.min(most, items.length) === i));

/** A text without halves of surrogate pairs. */
const clean = (text) => String(text).replace(/[\ud800-\udfff]/gu, "\ufffd");

/** Waits, but not longer than until the signal. */
const sleep = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(end, signal?.aborted ? 0 : ms);
  function end() { clearTimeout(timer); signal?.removeEventListener("abort", end); resolve(); }
  signal?.addEventListener("abort", end);
});

/** What the server records of what a handler throws: the type, the text, and the first line outside of this file. */
function failure(error) {
  try {
    const name = error?.name ?? "Error";
    const frames = String(error?.stack ?? "").split("\n").filter((frame) => !frame.includes(import.meta.url));
    const places = frames.map((frame) => /(?:^\s+at |@).*?([^/\\(\s]+\.[cm]?[jt]sx?):(\d+):\d+/.exec(frame));
    const [, file, line] = places.find((place) => place) ?? [];
    return {
      type: clean(name === "Error" ? error?.constructor.name ?? error : name),
      text: clean(error?.message ?? JSON.stringify(error) ?? "").slice(0, 10_000).replace(/[\ud800-\udbff]$/, ""),
      origin: file ? `${clean(file)}:${line}` : "",
    };
  } catch {
    return { type: typeof error, text: "what the handler threw can't be read", origin: "" };
  }
}

/** A server. */
export class Punctual {
  #base;
  #headers = { Accept: "application/json", "Content-Type": "application/json" };
  #timeout;
  #patience;

  constructor(url, { token, timeout = "10s", patience = "30s" } = {}) {
    const { href, username, password } = new URL(url);
    if (username || password) throw new RangeError("the address has a user or token; pass the token apart");
    this.#base = href.replace(/\/$/, "");
    if (token) this.#headers.Authorization = `Bearer ${token.trim()}`;
    if (/[^ -~]/.test(this.#headers.Authorization)) throw new RangeError("no header can have this token");
    this.#timeout = millis(timeout);
    this.#patience = millis(patience);
  }

  queue(name) { return new Queue(this, name); }

  /**
   * Sends a request, and again while that can help. A `stop` lets it go on until then; with `once`, it is sent a single
   * time, for so many milliseconds at most.
   */
  async call(method, path, body, { expect = "outcome", wait = 0, stop, once } = {}) {
    const end = performance.now() + this.#patience, text = JSON.stringify(body);
    const timeout = Math.min(this.#timeout + wait, once ?? Infinity);
    for (let pause = 100; ; pause = Math.min(pause * 2, 5000)) {
      try {
        return await this.#send(method, path, text, expect, timeout, stop);
      } catch (e) {
        const delay = Math.max(pause, e.retryAfter);
        const isOver = stop ? stop.aborted : !BUSY.includes(e.status) || performance.now() + delay > end;
        const isDone = e.outcome === "done" && expect !== "results"; // of several, it is the outcome of the first
        if (e.isRefusal || isOver || isDone || once) throw e;
        console.warn(`${e.message}; again in ${delay} ms`);
        await sleep(delay * (1 + Math.random() / 2), stop);
        if (stop?.aborted) throw e;
      }
    }
  }

  async #send(method, path, body, expect, timeout, stop) {
    const over = new AbortController(), abort = () => over.abort(new Error("the worker stops"));
    const timer = setTimeout(() => over.abort(new Error("time-out")), timeout);
    stop?.addEventListener("abort", abort);
    try {
      const options = { method, headers: this.#headers, body, redirect: "manual", signal: over.signal };
      const answer = await fetch(this.#base + path, options);
      return this.#read(answer, await answer.text(), expect);
    } catch (e) {
      if (e instanceof PunctualError) throw e;
      throw new PunctualError(`${this.#base} does not answer: ${e.cause?.message ?? e.message}`, { cause: e });
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener("abort", abort);
    }
  }

  #read({ status, ok, headers }, text, expect) {
    const retryAfter = 1000 * Math.min(Number(headers.get("Retry-After")) || 0, 3600);
    let answer = {};
    try {
      answer = Object(JSON.parse(text));
    } catch { /* told below */ }
    if (ok && expect in answer) return answer;
    if (!ok && answer.detail) throw new PunctualError(answer.detail, { status, problem: answer, retryAfter });
    throw new PunctualError(`${this.#base} answered ${status}, not as a Punctual server does`, { status, retryAfter });
  }
}

/** A queue of messages. Payloads are JSON values; buffers and typed arrays are sent as they are. */
export class Queue {
  #path;

  constructor(punctual, name) {
    if (["", ".", ".."].includes(name)) throw new RangeError(`'${name}' is no name of a queue`);
    Object.assign(this, { punctual, name });
    this.#path = `/v1/queues/${encodeURIComponent(name)}`;
  }

  /**
   * Schedules a message, now without a delay.
   * Options: id, delay, at, headers, ifPresent, remember, notAfter, every, cron, zone.
   */
  async schedule(payload, options) {
    const message = draft({ payload, ...options }), { id } = message;
    try {
      return await this.#change("PUT", id, message, { known: { 409: { id, outcome: "REJECTED" } } });
    } catch (e) {
      if (e.outcome !== "done") throw e;
      console.warn(`${id} of ${this.name}: ${e.message}`);
      return { id, outcome: "STORED" };
    }
  }

  /** Schedules objects with a payload and the options of `schedule`; each has a result or a problem. */
  async scheduleAll(messages) {
    const drafts = messages.map(draft), results = [];
    while (drafts.length) results.push(...(await this.post("/messages", drafts.splice(0, MOST), RESULTS)).results);
    return results;
  }

  /** Returns CANCELLED, RUNNING if a consumer has it, REFUSED if it is dead, or NOT_FOUND. */
  async cancel(id) { return (await this.#change("DELETE", id)).outcome; }

  /** Returns RESCHEDULED, REFUSED if it runs or is dead, or NOT_FOUND; so does `runNow`. */
  async reschedule(id, { delay = 0, at } = {}) {
    return (await this.#change("PATCH", id, at ? { dueAt: instant(at) } : { delay: span(delay) })).outcome;
  }

  async runNow(id) { return (await this.#change("POST", id, undefined, { rest: "/run" })).outcome; }

  /** Returns the message, or null. */
  async find(id) { return this.#change("GET", id, undefined, { expect: "state", known: { 404: null } }); }

  /** Starts a worker; handler(payload, delivery) acks by returning. */
  work(handler, options) { return new Worker(this, handler, options); }

  async post(path, body, options) { return this.punctual.call("POST", this.#path + path, body, options); }

  async #change(method, id, body, { rest = "", expect, known = ABSENT } = {}) {
    const name = encodeURIComponent(id), isBare = ["", ".", ".."].includes(id); // which a path can't carry
    const path = isBare ? `/message${rest}?id=${name}` : `/messages/${name}${rest}`;
    try {
      return await this.punctual.call(method, this.#path + path, body, { expect });
    } catch (e) {
      if (e.isRefusal && e.status in known) return known[e.status];
      throw e;
    }
  }
}

function draft({ payload = null, id, delay, at, headers, ifPresent, remember, notAfter, every, cron, zone }) {
  const isBinary = payload instanceof ArrayBuffer || ArrayBuffer.isView(payload);
  const view = ArrayBuffer.isView(payload) ? [payload.byteOffset, payload.byteLength] : [];
  const isRecurring = every != null || cron != null || zone != null;
  return {
    id: String(id ?? crypto.randomUUID()), // known before the request, so that it can be sent again
    ...(isBinary ? { payloadBase64: toBase64(new Uint8Array(payload.buffer ?? payload, ...view)) } : { payload }),
    ...{ delay: span(delay), dueAt: instant(at), notAfter: instant(notAfter), rememberFor: span(remember) },
    ...{ headers, ifPresent, recurrence: isRecurring ? { every: span(every), cron, zone } : undefined },
  };
}

/** A message in a handler. `signal` aborts when another consumer may have it, or the worker has released it. */
export class Delivery {
  #control = new AbortController();

  constructor(data) {
    const { id, token, attempt, lastAttempt, headers = {}, dueAt, latenessMillis, fencingToken } = data;
    Object.assign(this, { id, token, attempt, lastAttempt, headers, dueAt, latenessMillis, fencingToken });
    this.payload = "payloadBase64" in data ? fromBase64(data.payloadBase64) : data.payload;
    this.signal = this.#control.signal;
    this.settle("ack");
  }

  settle(action, fields) {
    this.settlement = { id: this.id, token: this.token, action, ...fields };
    return this.settlement;
  }

  lose(why) { this.#control.abort(new Error(why)); }
  retry(delay, reason) { this.settle("retry", { delay: span(delay), reason: reason && clean(reason) }); }
  defer(delay) { this.settle("defer", { delay: span(delay) }); }
  repeat(delay) { this.settle("repeat", { delay: span(delay) }); }
  bury(reason) { this.settle("bury", { reason: clean(reason) }); }
  endRecurrence() { this.settle("end"); }
}

/** Claims as many messages as handlers are free, settles finished ones in the same request, and keeps leases. */
export class Worker {
  #running = new Set();
  #done = [];
  #stop = new AbortController();
  #closed = new AbortController();
  #changed = () => {}; // wakes who waits for a free handler
  #again = []; // what to settle again: at a time, as which attempt
  #unanswered = new Set(); // whose last extension has no answer
  #requests = new Set(); // that settle
  #extending = 0; // requests in flight for what was not answered before
  #retrying = 0;
  #isOver = false;
  #isPolling = false;
  #flushing = null;
  #grace = 20_000;

  constructor(queue, handler, { concurrency = 8, lease = "30s", name = queue.name } = {}) {
    if (!(concurrency >= 1 && concurrency <= MOST && millis(lease) > 0)) {
      throw new RangeError(`a worker has a concurrency from 1 to ${MOST}, and a lease`);
    }
    Object.assign(this, { queue, handler, concurrency, lease: span(lease) });
    this.about = { name: clean(name.slice(0, 100)), version: `javascript-${VERSION}`, concurrency };
    /** Resolves when the worker is closed; rejects when the server refuses it. */
    this.ended = this.#run(millis(lease) / 3);
    this.ended.catch((e) => console.error(`${queue.name}: the worker has ended: ${e.message}`));
  }

  async #run(renewal) {
    if (globalThis.process?.versions?.node) {
      this.about.pid = process.pid;
      this.about.host = (await import("node:os")).hostname().slice(0, 100) || undefined;
    }
    this.#renew(renewal);
    try {
      while (!this.#stop.signal.aborted) await this.#poll();
    } finally {
      await this.#drain();
    }
  }

  async #poll() {
    const max = this.concurrency - this.#running.size;
    if (max === 0) return new Promise((resolve) => (this.#changed = resolve));
    const settle = this.#again.length ? [] : this.#done.splice(0, MOST), { signal } = this.#stop;
    const wait = settle.length ? 1000 : 20_000; // a slow settlement must not keep a claim, nor be repeated with it
    const once = settle.length ? 60_000 : undefined;
    const claim = { max, lease: this.lease, wait: `${wait}ms`, worker: this.about, settle };
    this.#isPolling = true;
    if (this.#done.length) this.#flush();
    try {
      const answer = await this.queue.post("/claims", claim, { expect: "deliveries", wait, stop: signal, once });
      for (const data of answer.deliveries) this.#handle(new Delivery(data));
      this.#putBack(this.#settled(settle, answer.settled ?? []), 0);
      if (answer.command !== "RUN") await sleep(1000, signal); // PAUSE by an operator, or STOP: this server ends
    } catch (e) {
      if (!(e instanceof PunctualError) || (e.isRefusal && !settle.length)) throw e;
      this.#putBack(settle, 0, e); // which the server may refuse, or not have, because the worker stops
    } finally {
      this.#isPolling = false;
    }
  }

  async #handle(delivery) {
    this.#running.add(delivery);
    try {
      if (this.#stop.signal.aborted) delivery.settle("release"); // arrived while the worker stopped
      else await this.handler(delivery.payload, delivery);
    } catch (e) {
      if (e instanceof RetryAfter) delivery.settle("defer", { delay: e.delay });
      else delivery.settle("fail", { failure: failure(e) });
    }
    if (!this.#running.delete(delivery)) return; // released by close
    this.#done.push(delivery.settlement);
    this.#changed();
    if (this.#isPolling) await this.#flush(); // else the next claim settles
  }

  /** Settles what is finished; what finishes meanwhile goes in the next request, which does not wait for a slow one. */
  #flush() {
    this.#flushing ??= (async () => {
      await sleep(0);
      while (this.#done.length) {
        const sent = new AbortController();
        this.#track(this.#settle(this.#done.splice(0, MOST), 0)).then(() => sent.abort());
        await sleep(1000, sent.signal);
      }
      this.#flushing = null;
    })();
    return this.#flushing;
  }

  #track(request) {
    this.#requests.add(request);
    return request.finally(() => this.#requests.delete(request));
  }

  /** Extends what runs once per tick; what has no answer yet goes apart from the rest. */
  async #renew(pause) {
    while (!this.#closed.signal.aborted) {
      await sleep(pause, this.#closed.signal);
      const held = [...this.#running].filter((delivery) => !delivery.signal.aborted);
      const fresh = held.filter((delivery) => !this.#unanswered.has(delivery)), once = Math.max(pause, 1000);
      const slow = held.filter((delivery) => this.#unanswered.has(delivery));
      this.#unanswered = new Set(held); // fresh ones are sent now, slow ones were sent before
      if (fresh.length) this.#extend(fresh, once);
      for (const batch of pieces(slow, PIECES).slice(0, 2 * PIECES - this.#extending)) {
        this.#extending++;
        this.#extend(batch, once).finally(() => this.#extending--);
      }
    }
  }

  async #extend(held, once) {
    try {
      const batch = held.map(({ id, token }) => ({ id, token, action: "extend", lease: this.lease }));
      const busy = this.#settled(batch, (await this.queue.post("/settlements", batch, { ...RESULTS, once })).results);
      held.forEach((delivery, n) => busy.includes(batch[n]) || this.#unanswered.delete(delivery));
    } catch (e) {
      console.warn(`${this.queue.name}: ${held.length} messages are not extended: ${e.message}`);
    }
  }

  async #settle(batch, attempt, options = ONCE) {
    try {
      const { results } = await this.queue.post("/settlements", batch, options);
      this.#putBack(this.#settled(batch, results), attempt);
    } catch (e) {
      const isOne = batch.length === 1; // which must not keep the others
      if (e.isRefusal && !isOne) for (const one of batch) await this.#settle([one], attempt, options);
      else if (e.isRefusal) console.warn(`${this.queue.name}: a message is not settled: ${e.message}`);
      else this.#putBack(batch, attempt, e);
    }
  }

  /** Lets settlements be sent again after a pause. */
  #putBack(batch, attempt, error) {
    if (!batch.length || error?.outcome === "done") return;
    const isFirst = error && !error.isRefusal && !attempt;
    if (isFirst || this.#isOver) {
      const when = this.#isOver ? "" : " yet";
      console.warn(`${this.queue.name}: ${batch.length} messages are not settled${when}: ${error?.message ?? "busy"}`);
    }
    const pause = error?.isRefusal ? 0 : Math.max(Math.min(500 * 2 ** attempt, 5000), error?.retryAfter ?? 0);
    const at = performance.now() + pause;
    this.#again.push(...batch.map((settlement) => ({ settlement, at, attempt: attempt + 1 })));
    sleep(pause + 1, this.#closed.signal).then(() => this.#settleAgain());
  }

  /** Settles what could not be settled before, apart from the rest. */
  #settleAgain() {
    if (this.#closed.signal.aborted || this.#retrying === PIECES) return;
    const now = performance.now(), due = this.#again.filter(({ at }) => at <= now).slice(0, MOST);
    const batches = pieces(due, PIECES - this.#retrying), taken = new Set(due);
    this.#again = this.#again.filter((each) => !taken.has(each));
    this.#retrying += batches.length;
    for (const batch of batches) {
      const attempt = Math.max(...batch.map((each) => each.attempt));
      this.#track(this.#settle(batch.map(({ settlement }) => settlement), attempt)).finally(() => {
        this.#retrying--;
        this.#settleAgain();
      });
    }
  }

  /** Returns what must be sent again. */
  #settled(batch, results) {
    const lost = batch.filter((_, n) => results[n]?.outcome === "LEASE_LOST");
    for (const delivery of this.#running) {
      const isLost = lost.some(({ id, token }) => id === delivery.id && token === delivery.token);
      if (isLost) delivery.lose("the lease is lost, another consumer may have the message");
    }
    return batch.filter((_, n) => BUSY.includes(results[n]?.status) && results[n].problem?.outcome !== "done");
  }

  /** Waits for the handlers, and releases what they have not finished. */
  async #drain() {
    const begin = performance.now();
    this.#isPolling = true; // nobody polls, so that each handler settles
    this.#flush();
    while (this.#running.size && performance.now() - begin < this.#grace) await sleep(20);
    for (const delivery of this.#running) {
      delivery.lose("the worker is closed");
      this.#done.push(delivery.settle("release"));
    }
    this.#running.clear();
    this.#closed.abort();
    const end = performance.now() + 5000;
    for (let attempt = 0, left = 5000; left > 0; attempt = 1, left = end - performance.now()) { // what fails goes again
      const rest = [...this.#done.splice(0), ...this.#again.splice(0).map(({ settlement }) => settlement)];
      const options = { ...ONCE, once: Math.max(left, 100) };
      while (rest.length) this.#track(this.#settle(rest.splice(0, MOST), attempt, options));
      if (!this.#requests.size) break;
      const sent = new AbortController();
      Promise.all(this.#requests).then(() => sent.abort());
      await sleep(Math.min(left, 500), sent.signal);
      if (this.#again.length) await sleep(Math.min(Math.max(end - performance.now(), 0), 500));
    }
    this.#isOver = true;
    if (this.#again.length) console.warn(`${this.queue.name}: ${this.#again.length} messages are not settled`);
  }

  /** Claims nothing more, gives the handlers the grace to end, and releases the rest. */
  close({ grace = "20s" } = {}) {
    this.#grace = millis(grace);
    this.#stop.abort(); // the server sees that the poll is gone, and gives nothing more
    this.#changed();
    return this.ended.catch(() => {}); // which has been told
  }
}
