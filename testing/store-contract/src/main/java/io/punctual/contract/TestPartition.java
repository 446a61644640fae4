package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.DeleteQueueOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Store;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An empty partition of a queue that no other test uses, with a session on it. Times that a test
 * names are either well past or an hour away, so that only what it does makes a difference.
 */
final class TestPartition implements AutoCloseable {
  /** Keeps clocks that are moved by hand from standing on whole milliseconds all the time. */
  private static final Duration OFF_THE_MILLISECOND = Duration.ofNanos(137_000);

  /** A listing that goes on and on has to end as a failure. */
  private static final int MOST_PAGES = 1000;

  private final Store store;
  private final EngineTime time;
  private final List<Partition> partitions;
  private final TestSession session;
  private final List<TestSession> sessions = new CopyOnWriteArrayList<>();
  private final long startMillis;
  private final int manyMessages;
  private int sooner;

  TestPartition(Store store, EngineTime time, int manyMessages) {
    this.store = store;
    this.time = time;
    this.manyMessages = manyMessages;
    this.partitions = Stages.await(store.partitions("contract-" + TestSession.newId()));
    this.session = TestSession.open(partition());
    time.advance(OFF_THE_MILLISECOND);
    this.startMillis = session.nowMicros() / 1000;
  }

  Store store() {
    return store;
  }

  List<Partition> partitions() {
    return partitions;
  }

  /** The last one, so that a store of several partitions is tested away from the first. */
  Partition partition() {
    return partitions.get(partitions.size() - 1);
  }

  TestSession session() {
    return session;
  }

  TestSession newSession() {
    TestSession opened = TestSession.open(partition());
    sessions.add(opened);
    return opened;
  }

  /** Deletes the queue, so that a server which outlives the tests keeps nothing of them. */
  @Override
  public void close() {
    if (has(Capability.PURGE)) {
      for (Partition each : partitions) {
        Stages.await(each.purge(Set.of(State.values())));
      }
      DeleteQueueOutcome unused = Stages.await(store.delete(partition().queue()));
    }
    session.close();
    sessions.forEach(TestSession::close);
  }

  /** How many messages make a crowd for this store. */
  int manyMessages() {
    return manyMessages;
  }

  /** Skips the test on stores that lack one of these, and says so in the report. */
  void needs(Capability... capabilities) {
    for (Capability capability : capabilities) {
      assumeTrue(has(capability), () -> store.describe() + " has no " + capability);
    }
  }

  boolean has(Capability capability) {
    return store.capabilities().contains(capability);
  }

  void advance(Duration span) {
    time.advance(span);
  }

  /** A due time that has passed: ten minutes before the test began, and some milliseconds. */
  DueTime past(long plusMillis) {
    return new DueTime(false, startMillis - 600_000 + plusMillis);
  }

  DueTime past() {
    return past(0);
  }

  /** A due time that does not come within the test: in an hour, and some milliseconds. */
  DueTime far(long plusMillis) {
    return new DueTime(false, startMillis + 3_600_000 + plusMillis);
  }

  DueTime far() {
    return far(0);
  }

  /** A due time about three quarters of an hour away, and sooner than all that this gave before. */
  DueTime everSooner() {
    sooner++;
    return far(-900_000 - sooner * 1000L);
  }

  Optional<Entry> find(String id) {
    return Stages.await(partition().find(id));
  }

  /** The message with this id, which must be there. */
  Entry entry(String id) {
    return find(id).orElseThrow(() -> new AssertionError("No message has the id '" + id + "'"));
  }

  static String payload(Entry entry) {
    Content content = entry.content();
    assertThat(content).isNotNull();
    return content == null ? "" : new String(content.payload(), StandardCharsets.UTF_8);
  }

  PartitionCounts counts() {
    return Stages.await(partition().counts());
  }

  void expectCounts(long scheduled, long ready, long leased, long dead) {
    assertThat(counts()).isEqualTo(new PartitionCounts(scheduled, ready, leased, dead, false));
  }

  long purge(State... states) {
    return Stages.await(partition().purge(Set.of(states)));
  }

  void pause(boolean paused) {
    Stages.await(partition().pause(paused));
  }

  /** Lists all messages in a state, page by page. */
  List<Entry> browse(State state, int pageSize) {
    List<Entry> all = new ArrayList<>();
    String cursor = null;
    int pages = 0;
    do {
      assertThat(pages++).as("pages").isLessThan(MOST_PAGES);
      EntryPage page = Stages.await(partition().browse(state, cursor, pageSize));
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(pageSize);
      all.addAll(page.entries());
      cursor = page.next();
    } while (cursor != null);
    return all;
  }

  List<String> browseIds(State state, int pageSize) {
    return browse(state, pageSize).stream().map(Entry::id).toList();
  }
}
