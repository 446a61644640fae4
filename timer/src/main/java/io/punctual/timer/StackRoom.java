package io.punctual.timer;

/**
 * Checks that the thread has stack for a short critical section. Without the check, a {@link
 * StackOverflowError} of an application that recurses could strike inside the section, where it
 * would leave a lock taken or a structure half changed.
 */
final class StackRoom {
  private static final int FRAMES = 128;

  private StackRoom() {}

  /** Throws a {@link StackOverflowError} if fewer than about a hundred calls fit on the stack. */
  static void require() {
    descend(FRAMES);
  }

  /** Returns whether {@link #require} would not throw. */
  static boolean isEnough() {
    try {
      require();
      return true;
    } catch (StackOverflowError e) {
      return false;
    }
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }
}
