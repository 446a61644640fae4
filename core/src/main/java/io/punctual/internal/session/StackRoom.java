package io.punctual.internal.session;

/**
 * Checks that a caller's thread has stack for a step of a session. Without the check, a {@link
 * StackOverflowError} of an application that recurses could strike while the session is locked, and
 * also where the lock is given back, so that it would stay locked for ever.
 */
final class StackRoom {
  private static final int FRAMES = 256;

  private StackRoom() {}

  /** Throws a {@link StackOverflowError} if too little stack is left for a step. */
  static void require() {
    int unused = descend(FRAMES);
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }
}
