package io.punctual.migration.redis;

import io.punctual.internal.message.CutText;
import io.punctual.migration.internal.JsonFields;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The part of an entry that becomes the id of the message. Immutable. */
public final class IdSource {
  private static final IdSource MEMBER = new IdSource(Kind.MEMBER, "");
  private static final IdSource HASH = new IdSource(Kind.HASH, "");
  private static final int HASH_DIGITS = 32;
  private static final int LONGEST_NAME = 100;

  private enum Kind {
    MEMBER,
    HASH,
    FIELD
  }

  private final Kind kind;
  private final String field;

  private IdSource(Kind kind, String field) {
    this.kind = kind;
    this.field = field;
  }

  /** The member of the sorted set, which must be UTF-8 and 1 to 256 bytes long. */
  public static IdSource member() {
    return MEMBER;
  }

  /**
   * A hash: {@code zset-} and the beginning of the member's SHA-256 in hexadecimal. An element of a
   * list of payloads gets {@code list-} and a unique name instead. For members that are payloads
   * without an id.
   */
  public static IdSource hash() {
    return HASH;
  }

  /**
   * A string or a number at the top level of the payload, which is a JSON object. The field must be
   * different in each entry, because entries with the same value would have the same id.
   */
  public static IdSource field(String name) {
    return new IdSource(Kind.FIELD, Objects.requireNonNull(name, "name"));
  }

  /**
   * Returns the reading of an entry with the given payload: the payload and the id, or a problem if
   * the entry has no id.
   */
  Reading read(RedisEntry entry, byte[] payload) {
    return switch (kind) {
      case MEMBER -> named(entry, entry.memberText(), payload, "Its member is not UTF-8");
      case HASH -> Reading.of(hashed(entry), payload);
      case FIELD -> {
        String id = JsonFields.of(payload).map(fields -> fields.get(field)).orElse(null);
        yield named(
            entry, id, payload, "Its payload is no JSON object with the field '" + field + "'");
      }
    };
  }

  private static Reading named(
      RedisEntry entry, @Nullable String id, byte[] payload, String problem) {
    return id == null ? Reading.problem(name(entry.member()), problem) : Reading.of(id, payload);
  }

  private static String hashed(RedisEntry entry) {
    return entry.isSorted() || entry.label().isEmpty()
        ? "zset-" + digest(entry.member())
        : "list-" + entry.label();
  }

  /**
   * Returns a name for an entry in a report: the member, in hexadecimal if it is not UTF-8. A long
   * member is cut, and its digest makes the name unique.
   */
  static String name(byte[] member) {
    String text = RedisEntry.text(member);
    String name =
        text == null
            ? HexFormat.of().formatHex(member, 0, Math.min(member.length, LONGEST_NAME))
            : text;
    return name.length() <= LONGEST_NAME
        ? name
        : CutText.first(name, LONGEST_NAME) + "… (SHA-256 " + digest(member) + ")";
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return kind == Kind.FIELD ? "field " + field : kind.name().toLowerCase(java.util.Locale.ROOT);
  }
}
