package io.punctual.journal;

/** Where a record is, in one number: the file in the upper half, the byte in the lower. */
final class Location {
  private Location() {}

  static long of(int file, int offset) {
    return ((long) file << 32) | offset;
  }

  static int file(long location) {
    return (int) (location >>> 32);
  }

  static int offset(long location) {
    return (int) location;
  }
}
