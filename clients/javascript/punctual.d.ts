/** Seconds, or a text such as "250ms", "10s" or "5m". */
export type Duration = number | string;
export type Instant = string | Date;
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface PunctualOptions {
  token?: string;
  /** The time of an attempt, 10 s by default, beside the wait of a poll. */
  timeout?: Duration;
  /** How long a request is repeated while the server can't be reached, 30 s by default. */
  patience?: Duration;
}

export interface MessageOptions {
  id?: string;
  delay?: Duration;
  at?: Instant;
  headers?: Record<string, string>;
  ifPresent?: "keep" | "reject" | "replace" | "earliest";
  remember?: Duration;
  notAfter?: Instant;
  every?: Duration;
  cron?: string;
  zone?: string;
}

export interface Scheduled {
  id: string;
  outcome: "STORED" | "KEPT" | "REPLACED" | "REJECTED";
  dueAt?: string;
}

export interface WorkOptions {
  /** How many messages are in handlers at once, 8 by default, 1000 at most. */
  concurrency?: number;
  /** How long a message stays with a worker that has died, 30 s by default. */
  lease?: Duration;
  name?: string;
}

export type Handler<T> = (payload: T, delivery: Delivery<T>) => unknown;

/** The server refused a request, or did not answer (status 0). */
export class PunctualError extends Error {
  readonly status: number;
  readonly outcome: "not-done" | "unknown" | "done";
  readonly problem: { [key: string]: Json } | null;
  readonly isRefusal: boolean;
}

/** Thrown by a handler: the attempt does not count, and the message is due again after the delay. */
export class RetryAfter extends Error {
  constructor(delay: Duration);
}

/** A server. */
export class Punctual {
  constructor(url: string | URL, options?: PunctualOptions);
  queue(name: string): Queue;
}

/** A queue of messages. Payloads are JSON values; a Uint8Array is sent as it is. */
export class Queue {
  readonly name: string;
  schedule(payload: unknown, options?: MessageOptions): Promise<Scheduled>;
  scheduleAll(messages: ({ payload?: unknown } & MessageOptions)[]): Promise<(Scheduled | { problem: Json })[]>;
  cancel(id: string): Promise<"CANCELLED" | "RUNNING" | "REFUSED" | "NOT_FOUND">;
  reschedule(id: string, due?: { delay?: Duration; at?: Instant }): Promise<"RESCHEDULED" | "REFUSED" | "NOT_FOUND">;
  runNow(id: string): Promise<"RESCHEDULED" | "REFUSED" | "NOT_FOUND">;
  find(id: string): Promise<{ [key: string]: Json } | null>;
  work<T = any>(handler: Handler<T>, options?: WorkOptions): Worker;
}

/** A message in a handler. */
export class Delivery<T = any> {
  readonly id: string;
  readonly payload: T;
  readonly attempt: number;
  readonly lastAttempt: boolean;
  readonly headers: Record<string, string>;
  readonly dueAt: string;
  readonly latenessMillis: number;
  readonly fencingToken: number;
  /** Aborts when another consumer may have the message, or the worker has released it. */
  readonly signal: AbortSignal;
  retry(delay: Duration, reason?: string): void;
  defer(delay: Duration): void;
  repeat(delay: Duration): void;
  bury(reason: string): void;
  endRecurrence(): void;
}

export class Worker {
  /** Resolves when the worker is closed; rejects when the server refuses it. */
  readonly ended: Promise<void>;
  /** Claims nothing more, gives the handlers the grace (20 s) to end, and releases the rest. */
  close(options?: { grace?: Duration }): Promise<void>;
}
