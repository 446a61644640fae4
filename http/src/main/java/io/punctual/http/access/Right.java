package io.punctual.http.access;

/** What a caller may do with queues whose names begin with a prefix. */
public enum Right {
  /** Schedule, cancel and reschedule messages. */
  PRODUCE,
  /** Claim and settle messages. */
  CONSUME,
  /** See queues, messages without payloads, workers and dead letters. */
  OBSERVE,
  /** See payloads, headers and the texts of failures. */
  PAYLOADS,
  /** Pause, limit, redrive, delete, purge, and run tasks. */
  OPERATE,
  /** Use the queues through the HTTP store. */
  STORE,
  /** Manage tokens, and see the whole audit. */
  ADMIN
}
