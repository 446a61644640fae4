package io.punctual.http.exchange;

/** The client that waits for an answer. */
public interface Client {
  /** A client whose end nobody can notice before the answer is written. */
  Client UNWATCHED =
      new Client() {
        @Override
        public boolean isWatched() {
          return false;
        }

        @Override
        public void onGone(Runnable action) {}
      };

  /** Returns whether {@link #onGone} notices a client that closes its connection. */
  boolean isWatched();

  /**
   * Runs the action once, if the client closes its connection, or sends its next request, before
   * its answer begins. The action does not block, and lets the answer come at once, which is
   * written if the client is still there. Called at most once, before the answer's stage ends.
   */
  void onGone(Runnable action);
}
