package io.punctual.jdbc.partition;

import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Reply;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A message that a claim may take, or that the claim of a repeated reply has taken. */
final class Candidate {
  /** The bytes of the id in the database. */
  final byte[] key;

  final String id;
  final long due;
  final long time;
  final boolean leased;
  final long token;
  final int attempts;
  final boolean cancelled;
  final long bytes;

  /** The encoded content. A large content is null until {@link Candidates#readLarge}. */
  byte @Nullable [] content;

  byte[] history = Row.NO_HISTORY;

  Candidate(
      byte[] key,
      long due,
      long time,
      boolean leased,
      long token,
      int attempts,
      boolean cancelled,
      long bytes) {
    this.key = key;
    id = Messages.text(key);
    this.due = due;
    this.time = time;
    this.leased = leased;
    this.token = token;
    this.attempts = attempts;
    this.cancelled = cancelled;
    this.bytes = bytes;
  }

  Position position() {
    return new Position(time, key);
  }

  /** Returns whether the id is not UTF-8, so that no operation can name the message. */
  boolean hasDamagedId() {
    return !Arrays.equals(Messages.bytes(id), key);
  }

  /** Returns a {@link Reply.Leased}, or a {@link Reply.Unreadable} if the content can't be read. */
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
