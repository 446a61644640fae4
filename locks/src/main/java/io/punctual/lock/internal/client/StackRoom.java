package io.punctual.lock.internal.client;

/**
 * Checks that a caller's thread has stack for a call. Without the check, a {@link
 * StackOverflowError} of an application that recurses could strike after a request was sent, and
 * nobody would release the lock. An acquisition demands more than a release, so that a method that
 * has acquired a lock can also release it, although no two calls use the same stack.
 */
public final class StackRoom {
  private static final int FRAMES = 256;

  private StackRoom() {}

  /** Throws a {@link StackOverflowError} if too little stack is left for an acquisition. */
  public static void requireForAcquisition() {
    int unused = descend(4 * FRAMES);
  }

  /**
   * Throws a {@link StackOverflowError} if too little stack is left for a step that ends with a
   * release.
   */
  public static void requireForUnlock() {
    int unused = descend(3 * FRAMES);
  }

  /** Throws a {@link StackOverflowError} if too little stack is left for a release. */
  public static void requireForRelease() {
    int unused = descend(2 * FRAMES);
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }
}
