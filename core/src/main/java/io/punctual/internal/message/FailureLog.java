package io.punctual.internal.message;

import io.punctual.Failure;
import io.punctual.deadletter.DeadReason;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The failures of a message, as the store keeps them with the message: the number of failures, the
 * last five failures, and the reason of a burial. The encoded form has at most about 6 KiB.
 * Immutable.
 *
 * <p>The format is: a version byte (4); the number of failures (int); the name of the {@link
 * DeadReason}, or an empty text; the details if there is a reason; the origin of the last failure,
 * or an empty text; the number of kept failures (byte); for each kept failure its attempt (int),
 * its time in milliseconds from 1970 (long), whether its text equals the text of the failure before
 * it (byte, 1 or 0), and, if not, its text; and at the end the planned time of the occurrence in
 * milliseconds from 1970 (long), if the log has one. {@link DataOutputStream#writeUTF} writes the
 * texts. Version 3 has the text of each failure, without the byte before it, and version 2 also has
 * no origin.
 *
 * @param total the number of recorded failures
 * @param last the last failures, five at most, the latest last
 * @param reason the reason of the burial, or null if the message is not dead
 * @param detail the details of the reason, or null without a reason
 * @param origin the {@link FailureOrigin} of the last failure, or null if it has no exception
 * @param occurrenceMillis the planned time of the occurrence, which is kept here because a retry
 *     changes the due time; null if the message is not recurring, or was not retried
 */
public record FailureLog(
    int total,
    List<Failure> last,
    @Nullable DeadReason reason,
    @Nullable String detail,
    @Nullable String origin,
    @Nullable Long occurrenceMillis) {
  private static final int KEPT = 5;
  private static final int TEXT_LENGTH = 300;
  private static final int VERSION = 4;
  private static final int WITH_ALL_TEXTS = 3;
  private static final int WITHOUT_ORIGIN = 2;
  private static final int MOST_CAUSES = 10;

  private static final String CAUSED_BY = "; caused by ";

  static final FailureLog EMPTY = new FailureLog(0, List.of(), null, null, null, null);

  /** Returns this log with a further failure that has no exception. */
  public FailureLog with(Failure failure) {
    return with(failure, null);
  }

  /**
   * Returns this log with a further failure; {@code thrown} is its exception, or null without one.
   */
  public FailureLog with(Failure failure, @Nullable Throwable thrown) {
    List<Failure> more = new ArrayList<>(last);
    more.add(new Failure(failure.attempt(), failure.at(), cut(failure.error())));
    int drop = Math.max(0, more.size() - KEPT);
    List<Failure> kept = List.copyOf(more.subList(drop, more.size()));
    return new FailureLog(
        total + 1,
        kept,
        null,
        null,
        thrown == null ? null : FailureOrigin.of(thrown),
        occurrenceMillis);
  }

  public FailureLog buriedFor(DeadReason why, String details) {
    return new FailureLog(total, last, why, cut(details), origin, occurrenceMillis);
  }

  public FailureLog ofOccurrence(long millis) {
    return new FailureLog(total, last, reason, detail, origin, millis);
  }

  /** Returns whether the last failure is of this attempt. */
  public boolean hasFailureOf(int attempt) {
    return !last.isEmpty() && last.get(last.size() - 1).attempt() == attempt;
  }

  /**
   * Returns the texts of a failure and its causes. If several texts are too long together, the
   * result has only the first and the last text, cut to the limit.
   */
  public static String describe(Throwable failure) {
    List<String> texts = texts(failure);
    String all = String.join(CAUSED_BY, texts);
    if (all.length() <= TEXT_LENGTH || texts.size() == 1) {
      return all;
    }
    String last = cut(texts.get(texts.size() - 1), TEXT_LENGTH / 2);
    return cut(texts.get(0), TEXT_LENGTH - CAUSED_BY.length() - last.length()) + CAUSED_BY + last;
  }

  /**
   * Returns the texts of a failure and its causes. Skips a cause if the text of its wrapper ends
   * with the text of the cause, as it does for wrappers without a message of their own.
   */
  private static List<String> texts(Throwable failure) {
    List<String> texts = new ArrayList<>();
    Throwable next = failure;
    for (int depth = 0; next != null && depth < MOST_CAUSES; depth++) {
      String text = describeOne(next);
      if (texts.isEmpty() || !texts.get(texts.size() - 1).endsWith(text)) {
        texts.add(text);
      }
      next = causeOf(next);
    }
    return texts;
  }

  static @Nullable Throwable causeOf(Throwable failure) {
    try {
      return failure.getCause();
    } catch (Throwable broken) {
      return null;
    }
  }

  /** Returns the text of a failure without its causes, or its class if {@code toString} throws. */
  private static String describeOne(Throwable failure) {
    try {
      return String.valueOf(failure.toString());
    } catch (Throwable broken) {
      return failure.getClass().getName();
    }
  }

  /** Returns as much of a text as a log keeps. */
  public static String cut(String text) {
    return cut(text, TEXT_LENGTH);
  }

  public static String cut(String text, int length) {
    return text.length() <= length ? text : CutText.first(text, length - 1) + '…';
  }

  public byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeInt(total);
      out.writeUTF(reason == null ? "" : reason.name());
      if (reason != null) {
        out.writeUTF(detail == null ? "" : detail);
      }
      out.writeUTF(origin == null ? "" : origin);
      out.writeByte(last.size());
      String before = null;
      for (Failure failure : last) {
        out.writeInt(failure.attempt());
        out.writeLong(failure.at().toEpochMilli());
        boolean repeats = failure.error().equals(before);
        out.writeBoolean(repeats);
        if (!repeats) {
          out.writeUTF(failure.error());
        }
        before = failure.error();
      }
      if (occurrenceMillis != null) {
        out.writeLong(occurrenceMillis);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Parses the result of {@link #toBytes}; unparseable bytes become one placeholder failure. */
  public static FailureLog of(byte[] bytes) {
    return of(bytes, true);
  }

  /** Parses the parts before the failures, to save time if a caller needs no failures. */
  static FailureLog withoutFailures(byte[] bytes) {
    return of(bytes, false);
  }

  private static FailureLog of(byte[] bytes, boolean withFailures) {
    if (bytes.length == 0) {
      return EMPTY;
    }
    try {
      return read(new DataBytes(bytes), withFailures);
    } catch (IOException | RuntimeException e) {
      return EMPTY.with(new Failure(0, Instant.EPOCH, "a record of failures that can't be read"));
    }
  }

  private static FailureLog read(DataBytes in, boolean withFailures) throws IOException {
    int version = in.nextByte();
    if (version < WITHOUT_ORIGIN || version > VERSION) {
      throw new IOException("written by a newer version");
    }
    int total = in.nextInt();
    String name = in.nextText();
    DeadReason reason = name.isEmpty() ? null : DeadReason.valueOf(name);
    String detail = reason == null ? null : in.nextText();
    @Nullable String origin = version == WITHOUT_ORIGIN ? "" : in.nextText();
    origin = origin.isEmpty() ? null : origin;
    if (!withFailures) {
      return new FailureLog(total, List.of(), reason, detail, origin, null);
    }
    List<Failure> last = new ArrayList<>();
    String text = "";
    for (int left = in.nextByte(); left > 0; left--) {
      int attempt = in.nextInt();
      Instant at = Instant.ofEpochMilli(in.nextLong());
      boolean repeats = version > WITH_ALL_TEXTS && in.nextByte() != 0;
      text = repeats ? text : in.nextText();
      last.add(new Failure(attempt, at, text));
    }
    Long occurrence = in.remaining() < Long.BYTES ? null : (Long) in.nextLong();
    return new FailureLog(total, List.copyOf(last), reason, detail, origin, occurrence);
  }
}
