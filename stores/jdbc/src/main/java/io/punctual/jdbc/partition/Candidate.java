package io.punctual.jdbc.partition;

import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Reply;
import org.jspecify.annotations.Nullable;

/** A locked message that a claim may take. */
final class Candidate {
  final String id;
  final long due;
  final long time;
  final long token;
  final int attempts;
  final boolean cancelled;
  final long bytes;

  /** The encoded content; null until it is read, if it is large. */
  byte @Nullable [] content;

  byte[] history = Row.NO_HISTORY;

  Candidate(
      String id, long due, long time, long token, int attempts, boolean cancelled, long bytes) {
    this.id = id;
    this.due = due;
    this.time = time;
    this.token = token;
    this.attempts = attempts;
    this.cancelled = cancelled;
    this.bytes = bytes;
  }

  /** Returns the message, or why it can't be read. */
  Object read(int attempt) {
    byte[] encoded = content;
    if (encoded == null) {
      return new Reply.Unreadable(id, "The content is missing");
    }
    try {
      Content decoded = ContentFormat.decode(encoded);
      return new Reply.Leased(id, decoded, due, attempt, history);
    } catch (IllegalArgumentException e) {
      return new Reply.Unreadable(id, String.valueOf(e.getMessage()));
    }
  }
}
