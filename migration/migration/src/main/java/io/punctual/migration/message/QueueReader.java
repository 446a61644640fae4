package io.punctual.migration.message;

import io.punctual.State;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.spi.TimeRange;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads the messages of a queue in all states, and remembered ids if wanted, page by page. It
 * requests the next page while it processes a page. Not thread-safe.
 */
public final class QueueReader {
  /**
   * The states in the order in which they are read. Scheduled messages precede ready messages, so
   * that a message which becomes ready during the reading is not missed.
   */
  private static final List<State> STATES =
      List.of(State.SCHEDULED, State.READY, State.LEASED, State.DEAD, State.FINISHED);

  /** The size in bytes that a page should have at most. */
  private static final long PAGE_BYTES = 4 << 20;

  private static final int FIRST_LIMIT = 64;

  private final List<Partition> partitions;
  private final String what;
  private final List<State> states;
  private int limit = FIRST_LIMIT;

  /**
   * Creates a reader.
   *
   * @param withRemembered whether the reader passes remembered ids
   */
  public QueueReader(Store store, String queue, boolean withRemembered) {
    states = withRemembered ? STATES : STATES.subList(0, STATES.size() - 1);
    what = "A page of queue '" + queue + "' of " + store.describe();
    partitions =
        Requests.answer("The look-up of queue '" + queue + "'", () -> store.partitions(queue));
  }

  public List<Partition> partitions() {
    return partitions;
  }

  /**
   * Passes each message, and each remembered id if wanted, to {@code entries}, and calls {@code
   * afterPage} after each page.
   */
  public void forEach(Consumer<Entry> entries, Runnable afterPage) {
    for (Partition partition : partitions) {
      ListedTimes listed = new ListedTimes();
      for (State state : states) {
        forEachPage(
            partition,
            state,
            page -> {
              for (Entry entry : page) {
                if (state != State.READY || !listed.covers(entry)) {
                  entries.accept(entry);
                }
              }
              if (state == State.SCHEDULED) {
                listed.add(page);
              }
              afterPage.run();
            });
      }
    }
  }

  /** Passes each page of the messages in a state to {@code pages}. */
  public void forEachPage(Partition partition, State state, Consumer<List<Entry>> pages) {
    forEachPage(
        partition,
        state,
        TimeRange.ALL,
        page -> {
          pages.accept(page);
          return true;
        });
  }

  /**
   * Passes each page of the messages in a state to {@code pages}, until {@code pages} returns
   * false.
   *
   * @param range the range of the times by which {@link Partition#browse} orders the messages of
   *     this state
   */
  public void forEachPage(
      Partition partition, State state, TimeRange range, Predicate<List<Entry>> pages) {
    String cursor = null;
    CompletionStage<EntryPage> asked = partition.browse(state, range, null, limit, true);
    boolean goesOn;
    do {
      CompletionStage<EntryPage> first = asked;
      String from = cursor;
      EntryPage page =
          Requests.answer(
              what, () -> first, () -> partition.browse(state, range, from, limit, true));
      adaptLimit(page.entries());
      cursor = page.next();
      if (cursor != null) {
        asked = partition.browse(state, range, cursor, limit, true);
      }
      goesOn = pages.test(page.entries());
    } while (goesOn && cursor != null);
  }

  /** Sets the limit of the next page from the size of the messages of this page. */
  private void adaptLimit(List<Entry> page) {
    if (!page.isEmpty()) {
      long bytes = page.stream().mapToLong(QueueReader::bytes).sum();
      long fitting = PAGE_BYTES / Math.max(1, bytes / page.size());
      long atMost = Math.min(2L * limit, Partition.MAX_PAGE);
      limit = (int) Math.max(1, Math.min(atMost, fitting));
    }
  }

  private static long bytes(Entry entry) {
    Content content = entry.content();
    return (long) entry.history().length + (content == null ? 0 : content.approximateBytes());
  }
}
