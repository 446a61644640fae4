package io.punctual.journal.format;

import java.nio.charset.StandardCharsets;

/**
 * A message's id with its bytes and its hash. Equal ids in a journal have equal hashes, even in
 * different queues. Different ids may have equal hashes.
 */
public record Id(String text, byte[] bytes, int hash) {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  public static Id of(String text, long seed) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new Id(text, bytes, hash(bytes, 0, bytes.length, seed));
  }

  /**
   * Hashes bytes like FNV, by xor and multiplication of each byte. The seed is secret, so that
   * nobody can choose ids with equal hashes.
   */
  static int hash(byte[] bytes, int from, int to, long seed) {
    long mixed = seed;
    for (int i = from; i < to; i++) {
      mixed = (mixed ^ (bytes[i] & 0xFF)) * PRIME;
      mixed ^= mixed >>> 29;
    }
    mixed *= PRIME;
    return (int) (mixed >>> 32);
  }
}
