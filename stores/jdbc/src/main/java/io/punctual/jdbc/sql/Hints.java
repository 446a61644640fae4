package io.punctual.jdbc.sql;

/** Sends notifications to the other clients of a database. Safe for use by many threads. */
public interface Hints {
  /**
   * The time in microseconds beyond which no hint is sent, because the safety checks find a later
   * message in time.
   */
  long SOON_MICROS = 1_500_000;

  String client();

  /**
   * Notifies the other clients of a message that can be claimed. Does nothing if their safety
   * checks find the message in time.
   *
   * @param dueMillis the time from which the message can be claimed, in milliseconds from 1970;
   *     {@link Long#MIN_VALUE} if it is unknown
   * @param untilMicros the same as the time from now, in microseconds
   * @param patienceMillis how long to wait for {@link #withdraw}, in milliseconds
   */
  void changed(String queue, long dueMillis, long untilMicros, long patienceMillis);

  /** Withdraws the waiting hint of a queue, because no message of the queue is due any more. */
  void withdraw(String queue);

  /** Sends the waiting hint of a queue. Returns whether there is one. */
  boolean sendNow(String queue);

  /**
   * Notifies the other clients that a client does not claim the next messages of a queue.
   *
   * @param client usually this client
   * @param nextMillis the time of the next message in milliseconds from 1970, as in {@link
   *     #changed}; {@link Long#MAX_VALUE} if there is none
   */
  void noRoom(String client, String queue, long nextMillis);

  /**
   * Notifies the other clients that this client has claimed all due messages of a queue, and will
   * claim the next messages.
   *
   * @param claimMicros the time of the claim by the database's clock, in microseconds from 1970
   */
  void onDuty(String queue, long claimMicros);
}
