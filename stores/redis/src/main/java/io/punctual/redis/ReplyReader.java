package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the values of a reply in their order. For a single thread. */
final class ReplyReader {
  /** A number with at most this many digits fits into a long. */
  private static final int MOST_DIGITS = 18;

  private final List<@Nullable Object> values;
  private int next;

  ReplyReader(List<@Nullable Object> values) {
    this.values = values;
  }

  /**
   * Reads a reply.
   *
   * @throws Partition.PartitionException if the reply has an unknown form, because a foreign
   *     program changed the keys
   */
  static <T> T read(RedisReply answer, Function<ReplyReader, T> reader) {
    try {
      return reader.apply(new ReplyReader(answer.values()));
    } catch (IllegalStateException
        | IllegalArgumentException
        | ClassCastException
        | IndexOutOfBoundsException e) {
      throw new Partition.PartitionException(
          "Redis answered something that Punctual cannot read: "
              + e.getMessage()
              + ". Did a foreign program change keys of the queue?",
          e);
    }
  }

  boolean hasNext() {
    return next < values.size();
  }

  byte @Nullable [] nextBytes() {
    return (byte[]) values.get(next++);
  }

  byte[] nextSome() {
    byte[] bytes = nextBytes();
    if (bytes == null) {
      throw new IllegalStateException("Redis answered nil in place of a value");
    }
    return bytes;
  }

  /** Returns the next value, which is a list; an empty list if the reply ends before it. */
  @SuppressWarnings("unchecked") // Redis replies consist of longs, bytes, nil, and lists of them.
  ReplyReader nextList() {
    return new ReplyReader(hasNext() ? (List<@Nullable Object>) values.get(next++) : List.of());
  }

  /** Returns the next value, which is ASCII text. */
  String nextText() {
    return new String(nextSome(), ISO_8859_1);
  }

  /** Returns the next value, which is a whole number. Redis sends it as a number or as text. */
  long nextLong() {
    Object value = values.get(next);
    if (value instanceof Long number) {
      next++;
      return number;
    }
    return millis(nextText());
  }

  /** Returns the next value, which is a time in milliseconds; null if it is nil. */
  @Nullable Long nextTime() {
    byte[] time = nextBytes();
    return time == null ? null : millis(new String(time, ISO_8859_1));
  }

  /**
   * Returns a time in milliseconds. A fraction, which only a foreign program can have written, is
   * rounded up.
   */
  static long millis(String score) {
    return time(score)
        .orElseThrow(() -> new IllegalStateException("'" + score + "' in place of a number"));
  }

  /** Returns a time in milliseconds as {@link #millis(String)} does. */
  static long millis(byte[] score) {
    long number = 0;
    for (byte digit : score) {
      if (digit < '0' || digit > '9' || score.length > MOST_DIGITS) {
        return millis(new String(score, ISO_8859_1));
      }
      number = number * 10 + digit - '0';
    }
    return score.length == 0 ? millis("") : number;
  }

  /** Returns a time in milliseconds, rounded up, or empty if the score is not a number. */
  static Optional<Long> time(String score) {
    try {
      return Optional.of(Long.parseLong(score));
    } catch (NumberFormatException notWhole) {
      return fraction(score);
    }
  }

  private static Optional<Long> fraction(String score) {
    try {
      double number = asDouble(score);
      return Double.isNaN(number) ? Optional.empty() : Optional.of((long) Math.ceil(number));
    } catch (NumberFormatException notOne) {
      return Optional.empty();
    }
  }

  private static double asDouble(String score) {
    return switch (score) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(score);
    };
  }

  /**
   * Returns the microseconds from the engine's time until a time in milliseconds: 0 if the time has
   * come, {@link Reply#NONE} if there is no time or it is too far away.
   */
  static long until(@Nullable Long millis, long engineMicros) {
    if (millis == null || millis > Long.MAX_VALUE / 1000) {
      return Reply.NONE;
    }
    return millis <= Math.floorDiv(engineMicros, 1000) ? 0 : millis * 1000 - engineMicros;
  }
}
