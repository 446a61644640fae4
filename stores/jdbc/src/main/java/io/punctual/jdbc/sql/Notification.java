package io.punctual.jdbc.sql;

import org.jspecify.annotations.Nullable;

/**
 * A notification of a client about a queue.
 *
 * @param client the client that sent the notification
 * @param sentMicros the time at which it was sent, by the database's clock in microseconds from
 *     1970; 0 before it is sent
 * @param time for {@link Kind#ON_DUTY} the time of the claim in microseconds; otherwise the time
 *     from which a message can be claimed, in milliseconds from 1970, {@link Long#MIN_VALUE} if the
 *     time is unknown, or {@link Long#MAX_VALUE} if there is no message
 */
public record Notification(Kind kind, String client, String queue, long sentMicros, long time) {
  private static final int PARTS = 5;

  /** What a notification says. */
  public enum Kind {
    /** The client has changed a message. */
    CHANGED,
    /** The client has claimed all due messages, and will claim the next messages. */
    ON_DUTY,
    /** The client does not claim the next messages. */
    NO_ROOM
  }

  /** Joins two notifications of the same kind and queue. */
  Notification merge(Notification later) {
    return kind != Kind.ON_DUTY && time <= later.time ? this : later;
  }

  /** Returns the text, without the time at which it is sent. */
  String text() {
    return kind + " " + client + " " + time + " " + queue;
  }

  /**
   * Reads the time at which a notification was sent, and its text. Returns null for a different
   * text, for example of a different release.
   */
  static @Nullable Notification parse(String payload) {
    String[] parts = payload.split(" ", PARTS);
    if (parts.length < PARTS) {
      return null;
    }
    try {
      return new Notification(
          Kind.valueOf(parts[1]),
          parts[2],
          parts[4],
          Long.parseLong(parts[0]),
          Long.parseLong(parts[3]));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
