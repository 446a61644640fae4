package io.punctual.journal.format;

/**
 * The location of a record as a single long: the number of the file in the upper 32 bits, the
 * offset in the file in the lower 32 bits.
 */
public final class Location {
  private Location() {}

  public static long of(int file, int offset) {
    return ((long) file << 32) | offset;
  }

  public static int file(long location) {
    return (int) (location >>> 32);
  }

  public static int offset(long location) {
    return (int) location;
  }
}
