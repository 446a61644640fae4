package io.punctual.memory;

/**
 * Checks that a caller's thread has stack for a change. Without the check, a {@link
 * StackOverflowError} of an application that recurses could strike in the middle of the change, and
 * leave the messages half changed.
 */
final class StackRoom {
  /** A change needs about twenty frames, which are larger than those of the check. */
  private static final int FRAMES = 64;

  private StackRoom() {}

  /** Throws a {@link StackOverflowError} if too little stack is left for a change. */
  static void require() {
    int unused = descend(FRAMES);
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }
}
