package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.PunctualException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a sorted set, or an element of a list. Immutable; the arrays must not be changed.
 *
 * @param kind {@link #SORTED} or {@link #LISTED}
 * @param label for a member of a sorted set, its score as Redis writes it; for an element of a
 *     list, the unique name that the element got when it was staged; empty before that, and if the
 *     list has ids of messages
 * @param member the member of the set, or the element of the list
 * @param content the value that the hash has for the member; null if there is no hash, or if the
 *     hash has no such member
 */
record RedisEntry(byte kind, String label, byte[] member, byte @Nullable [] content) {
  static final byte SORTED = 'z';
  static final byte LISTED = 'l';

  static RedisEntry parse(byte[] staged) {
    try {
      ByteBuffer in = ByteBuffer.wrap(staged);
      byte kind = in.get();
      byte[] label = part(in);
      byte[] member = part(in);
      byte[] content = part(in);
      if (label != null && member != null) {
        return new RedisEntry(kind, new String(label, US_ASCII), member, content);
      }
    } catch (BufferUnderflowException | NegativeArraySizeException e) {
      throw new PunctualException("The staging has an entry that no importer wrote", e);
    }
    throw new PunctualException("The staging has an entry that no importer wrote", null);
  }

  private static byte @Nullable [] part(ByteBuffer in) {
    int length = in.getInt();
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    if (length == -1) {
      return null;
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  boolean isSorted() {
    return kind == SORTED;
  }

  /** Returns the member as text, or null if it is not UTF-8. */
  @Nullable String memberText() {
    return text(member);
  }

  /** Returns bytes as text, or null if they are not UTF-8. */
  static @Nullable String text(byte[] bytes) {
    try {
      CharBuffer text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return text.toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
