package io.punctual.lock;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Checks the names of locks. */
final class LockNames {
  static final int BYTES = 256;

  private LockNames() {}

  /**
   * Returns the name if it is valid.
   *
   * @throws IllegalArgumentException if the name is not 1 to 256 bytes of UTF-8, or has control
   *     characters
   */
  static String check(String name) {
    int bytes = length(name);
    if (bytes < 1 || bytes > BYTES || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A lock's name has 1 to "
              + BYTES
              + " bytes of UTF-8 and no control characters; this name has "
              + bytes
              + " bytes");
    }
    return name;
  }

  private static int length(String name) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("A lock's name has a lone surrogate; it is not text", e);
    }
  }
}
