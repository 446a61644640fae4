package io.punctual.internal.deadletter;

import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.internal.deadletter.DeadLetterScan.Found;
import io.punctual.internal.deadletter.DeadLetterScan.ScannedPage;
import io.punctual.internal.queue.QueueAdmin;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Lists the dead letters that match a filter. It searches a page without payloads, and then looks
 * up the dead letters that match. Immutable.
 */
final class DeadLetterListing<T> {
  private final QueueAdmin<T> admin;
  private final DeadLetterScan scan;
  private final int limit;

  DeadLetterListing(QueueAdmin<T> admin, DeadLetterScan scan, int limit) {
    this.admin = admin;
    this.scan = scan;
    this.limit = limit;
  }

  CompletionStage<Page<StoredMessage<T>>> page(Optional<String> cursor) {
    return page(cursor, DeadLetterScan.PAGE);
  }

  /**
   * Reads a page with at most {@code size} dead letters. If more dead letters match than the limit
   * allows, reads a smaller page again, because a cursor is only known for the end of a page.
   */
  private CompletionStage<Page<StoredMessage<T>>> page(Optional<String> cursor, int size) {
    return scan.page(cursor, size)
        .thenCompose(
            page -> page.found().size() > limit ? page(cursor, page.endOf(limit)) : lookedUp(page));
  }

  private CompletionStage<Page<StoredMessage<T>>> lookedUp(ScannedPage page) {
    return admin
        .lookUps(page.found().stream().map(Found::id).toList())
        .thenApply(
            found ->
                new Page<>(
                    found.stream()
                        .flatMap(Optional::stream)
                        .filter(message -> message.state() == State.DEAD)
                        .toList(),
                    page.next()));
  }
}
