package io.punctual.migration.copy;

/**
 * How a copy treats messages of the source whose leases have not ended, because workers may still
 * process them. Messages with expired leases are always copied as waiting messages, with their
 * attempts. Messages that were cancelled during their leases are never copied.
 */
public enum LeasedMessages {
  /** The copy is refused while a message is leased. */
  REFUSE,

  /** The copy waits until no message is leased, without a time limit. */
  WAIT,

  /**
   * Leased messages are copied as waiting messages, with their attempts. A worker of the source and
   * a worker of the target may then both process the message.
   */
  COPY
}
