package io.punctual.migration.redisson;

import io.punctual.migration.internal.ImportEntry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a Redisson delayed queue. Immutable.
 *
 * @param format the layout of the bytes
 * @param random the random bytes that make the entry unique; empty if the layout is unknown
 * @param payload the payload; empty if the layout is unknown
 */
record RedissonEntry(Format format, byte[] random, byte[] payload) {
  /** The prefix of the ids of imported messages. */
  static final String ID_PREFIX = "redisson-";

  private static final int RANDOM_BYTES = 8;
  private static final int LENGTH_BYTES = 8;
  private static final int ID_BYTES_OF_UNKNOWN = 16;

  /** The layout of an entry's bytes. Lengths are little-endian. */
  enum Format {
    /** Since Redisson 3.21.2: the byte 8, 8 random bytes, the payload's length, the payload. */
    CURRENT(1, "current format"),
    /** Before Redisson 3.21.2: 8 random bytes (a double), the payload's length, the payload. */
    OLD(0, "old format"),
    /** A different layout, which the importer does not know. */
    UNKNOWN(0, "unknown format");

    private final int prefix;
    private final String text;

    Format(int prefix, String text) {
      this.prefix = prefix;
      this.text = text;
    }

    /** Returns the name under which a report counts the entries of this format. */
    String text() {
      return text;
    }

    private int header() {
      return prefix + RANDOM_BYTES + LENGTH_BYTES;
    }

    private boolean fits(byte[] entry) {
      if (entry.length < header()) {
        return false;
      }
      long length =
          ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN).getLong(prefix + RANDOM_BYTES);
      return length == entry.length - header() && (prefix == 0 || entry[0] == RANDOM_BYTES);
    }

    private RedissonEntry parse(byte[] entry) {
      return new RedissonEntry(
          this,
          Arrays.copyOfRange(entry, prefix, prefix + RANDOM_BYTES),
          Arrays.copyOfRange(entry, header(), entry.length));
    }
  }

  /**
   * Parses an entry. An entry of 17 bytes can fit both layouts, and counts as the current layout:
   * its payload is then empty.
   */
  static RedissonEntry parse(byte[] entry) {
    if (Format.CURRENT.fits(entry)) {
      return Format.CURRENT.parse(entry);
    }
    if (Format.OLD.fits(entry)) {
      return Format.OLD.parse(entry);
    }
    return new RedissonEntry(Format.UNKNOWN, new byte[0], new byte[0]);
  }

  static ImportEntry of(byte[] bytes, long dueMillis) {
    RedissonEntry entry = parse(bytes);
    return new ImportEntry(bytes, entry.id(bytes), dueMillis, entry.payload, entry.problem());
  }

  /** Returns the id of the message, or the beginning of the bytes of an unknown layout. */
  String id(byte[] bytes) {
    HexFormat hex = HexFormat.of();
    return format == Format.UNKNOWN
        ? hex.formatHex(bytes, 0, Math.min(bytes.length, ID_BYTES_OF_UNKNOWN))
        : ID_PREFIX + hex.formatHex(random);
  }

  private @Nullable String problem() {
    return format == Format.UNKNOWN ? "It is not an entry of a known version of Redisson" : null;
  }
}
