package io.punctual.migration.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a message that a copy keeps. A scheduled, a ready and a leased message with the same
 * parts are equal, because a scheduled message becomes ready by time alone, and a copy has no
 * leases.
 *
 * @param dueMillis the due time; of a remembered id, the time at which the store forgets the id
 * @param content the content, or null if the image is of a remembered id
 */
public record MessageImage(
    String id,
    long dueMillis,
    int attempts,
    byte[] history,
    long diedAtMillis,
    @Nullable Content content,
    byte[] encoded) {
  private static final byte[] NOTHING = {};
  private static final int DIGEST_FIELDS = 3 * Long.BYTES + 4 * Integer.BYTES;

  /**
   * Returns the image of a message.
   *
   * @throws IllegalArgumentException if the content can't be read, or the message can't be restored
   */
  public static MessageImage of(Entry entry) {
    if (entry.state() == State.FINISHED) {
      return new MessageImage(entry.id(), entry.dueMillis(), 0, NOTHING, 0, null, NOTHING);
    }
    Content content = entry.content();
    if (content == null) {
      throw new IllegalArgumentException("its content can't be read");
    }
    long diedAtMillis = entry.state() == State.DEAD ? Math.max(1, entry.diedAtMillis()) : 0;
    MessageImage image =
        new MessageImage(
            entry.id(),
            entry.dueMillis(),
            entry.attempts(),
            entry.history(),
            diedAtMillis,
            content,
            ContentFormat.encode(content));
    Operation unused = image.toOperation();
    return image;
  }

  /** Whether the image is of the remembered id of a finished message. */
  public boolean isRemembered() {
    return content == null;
  }

  /**
   * Returns whether a schedule can store the message. Stores execute schedules faster than
   * restores. A message without a time of creation needs a restore, because a schedule would set
   * its time of creation to the present time.
   */
  boolean isNew() {
    return attempts == 0
        && diedAtMillis == 0
        && history.length == 0
        && content != null
        && content.createdMillis() != Content.UNKNOWN;
  }

  /** Returns the operation that stores the message unless its id is in use. */
  Operation toOperation() {
    if (content == null) {
      return new Operation.Remember(id, dueMillis);
    }
    return isNew()
        ? new Operation.Schedule(id, new DueTime(false, dueMillis), IfPresent.REJECT, content)
        : new Operation.Restore(id, dueMillis, attempts, history, diedAtMillis, content);
  }

  /** Returns the approximate size in bytes, for limits on batches. */
  int bytes() {
    return encoded.length + history.length + id.length();
  }

  /** Returns a digest of all parts. */
  public byte[] digest() {
    byte[] idBytes = id.getBytes(UTF_8);
    ByteBuffer head = ByteBuffer.allocate(DIGEST_FIELDS + idBytes.length);
    head.putLong(dueMillis).putLong(diedAtMillis).putInt(attempts);
    head.putInt(idBytes.length).putInt(history.length).putInt(encoded.length).put(idBytes);
    MessageDigest digest = sha256();
    digest.update(head.array(), 0, head.position());
    digest.update(history);
    return digest.digest(encoded);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }

  /** Returns the names of the parts in which two messages differ. */
  public List<String> differencesFrom(MessageImage other) {
    Content mine = content;
    Content others = other.content;
    if (mine == null || others == null) {
      boolean areRemembered = mine == null && others == null;
      if (!areRemembered) {
        return List.of("state");
      }
      return dueMillis == other.dueMillis ? List.of() : List.of("end of the memory");
    }
    List<String> parts = new ArrayList<>();
    add(parts, (diedAtMillis == 0) == (other.diedAtMillis == 0), "state");
    add(parts, dueMillis == other.dueMillis, "due time");
    add(parts, attempts == other.attempts, "attempts");
    add(parts, Arrays.equals(history, other.history), "failures");
    add(parts, diedAtMillis == other.diedAtMillis, "time of death");
    add(parts, Arrays.equals(mine.payload(), others.payload()), "payload");
    add(parts, mine.headers().equals(others.headers()), "headers");
    add(parts, mine.notAfterMillis() == others.notAfterMillis(), "notAfter");
    add(parts, mine.createdMillis() == others.createdMillis(), "time of creation");
    return parts;
  }

  private static void add(List<String> parts, boolean isEqual, String part) {
    if (!isEqual) {
      parts.add(part);
    }
  }
}
