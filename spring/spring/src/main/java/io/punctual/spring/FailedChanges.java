package io.punctual.spring;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.spring.ChangeLog.Change;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/** The changes that failed after a commit. For use by the transaction's thread. */
final class FailedChanges<T> {
  private final List<Change<T>> changes = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private boolean storeIsAway;

  /**
   * Makes a call, and records its changes if it fails. After a {@link StoreUnavailableException},
   * all further calls count as failed without a try, because their waits would block the connection
   * to the database.
   */
  void attempt(List<Change<T>> sent, Runnable call) {
    if (storeIsAway) {
      changes.addAll(sent);
      return;
    }
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      changes.addAll(sent);
      failures.add(e);
      storeIsAway = e instanceof StoreUnavailableException;
    }
  }

  boolean isEmpty() {
    return changes.isEmpty();
  }

  PunctualException exception(String queue) {
    PunctualException thrown =
        new PunctualException(
            "The transaction is committed, but these changes of the queue '"
                + queue
                + "' failed after the commit; repeat them: "
                + ChangeLog.describe(changes),
            failures.get(0));
    failures.stream().skip(1).forEach(thrown::addSuppressed);
    return thrown;
  }

  void log(Logger log, String queue) {
    if (!isEmpty()) {
      log.error("Changes of a queue after a commit failed", exception(queue));
    }
  }
}
