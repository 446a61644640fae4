package io.punctual.contract;

/** Sizes of randomized and large tests: small by default, full with the system property. */
final class Thoroughness {
  private Thoroughness() {}

  static boolean isFull() {
    return Boolean.getBoolean("punctual.thorough");
  }

  static int size(int small, int full) {
    return isFull() ? full : small;
  }
}
