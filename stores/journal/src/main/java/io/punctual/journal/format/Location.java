package io.punctual.journal.format;

/** Where a record is, in a single number: the file in the upper half, the byte in the lower. */
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
