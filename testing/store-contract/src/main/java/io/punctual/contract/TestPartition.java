package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
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
import java.util.function.Function;

/**
 * An empty partition of a queue that no other test uses, with a session. Its due times are either
 * well past or most of an hour away, so the duration of a test does not affect its result.
 */
final class TestPartition implements AutoCloseable {
  /** Keeps manual clocks from always reading whole milliseconds. */
  private static final Duration OFF_THE_MILLISECOND = Duration.ofNanos(137_000);

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** The limit that turns an endless listing into a failure. */
  private static final int MOST_PAGES = 1000;

  private final Store store;
  private final StoreClock time;
  private final List<Partition> partitions;
  private final TestSession session;
  private final List<TestSession> sessions = new CopyOnWriteArrayList<>();
  private final long startMillis;
  private final int manyMessages;
  private final Function<Store, UserTransaction> transactions;
  private int sooner;

  TestPartition(
      Store store,
      StoreClock time,
      int manyMessages,
      Function<Store, UserTransaction> transactions) {
    this.transactions = transactions;
    this.store = store;
    this.time = time;
    this.manyMessages = manyMessages;
    this.partitions = StoreResults.await(store.partitions("contract-" + TestSession.newId()));
    this.session = TestSession.open(partition());
    time.advance(OFF_THE_MILLISECOND);
    this.startMillis = session.nowMicros() / 1000;
  }

  Store store() {
    return store;
  }

  /** Opens a client that waits for a slow server longer than a client of users does. */
  Punctual client() {
    return Punctual.builder().store(UnclosedStore.of(store)).blockingTimeout(PATIENCE).build();
  }

  List<Partition> partitions() {
    return partitions;
  }

  /**
   * Returns the last partition, so that tests of a store with several partitions do not run on the
   * first partition.
   */
  Partition partition() {
    return partitions.get(partitions.size() - 1);
  }

  TestSession session() {
    return session;
  }

  TestSession newSession() {
    return newSession(partition());
  }

  /** Opens a session with {@code with}, which may be a partition of another queue. */
  TestSession newSession(Partition with) {
    TestSession opened = unopenedSession(with);
    StoreResults.await(with.openSession(opened.id(), null));
    return opened;
  }

  /** Returns a session that the test opens itself. */
  TestSession unopenedSession(Partition with) {
    TestSession unopened = new TestSession(with, TestSession.newId());
    sessions.add(unopened);
    return unopened;
  }

  /**
   * Deletes the queue, if the store can purge it, and closes the sessions, so that a shared server
   * keeps no data of the tests.
   */
  @Override
  public void close() {
    if (has(Capability.PURGE)) {
      for (Partition each : partitions) {
        StoreResults.await(each.purge(Set.of(State.values())));
      }
      DeleteQueueOutcome unused = StoreResults.await(store.delete(partition().queue()));
    }
    session.close();
    sessions.forEach(TestSession::close);
  }

  /** The number of messages for tests of large partitions in this store. */
  int manyMessages() {
    return manyMessages;
  }

  /** Begins a transaction, as a user of the store does. */
  UserTransaction transaction() {
    return transactions.apply(store);
  }

  /** Skips the test if the store lacks a capability, and names the capability in the report. */
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

  /** A past due time: ten minutes before the test began, plus {@code plusMillis}. */
  DueTime past(long plusMillis) {
    return new DueTime(false, startMillis - 600_000 + plusMillis);
  }

  DueTime past() {
    return past(0);
  }

  /** A due time after the end of the test: an hour after its start, plus {@code plusMillis}. */
  DueTime far(long plusMillis) {
    return new DueTime(false, startMillis + 3_600_000 + plusMillis);
  }

  DueTime far() {
    return far(0);
  }

  /**
   * Returns a due time about 45 minutes after the test began, and a second earlier than the result
   * of the previous call.
   */
  DueTime everSooner() {
    sooner++;
    return far(-900_000 - sooner * 1000L);
  }

  Optional<Entry> find(String id) {
    return StoreResults.await(partition().find(id));
  }

  /** The message with this id, which must exist. */
  Entry entry(String id) {
    return find(id).orElseThrow(() -> new AssertionError("No message has the id '" + id + "'"));
  }

  static String payload(Entry entry) {
    Content content = entry.content();
    assertThat(content).isNotNull();
    return content == null ? "" : new String(content.payload(), StandardCharsets.UTF_8);
  }

  PartitionCounts counts() {
    return StoreResults.await(partition().counts());
  }

  void expectCounts(long scheduled, long ready, long leased, long dead) {
    expectCounts(scheduled, ready, leased, dead, 0);
  }

  void expectCounts(long scheduled, long ready, long leased, long dead, long done) {
    assertThat(counts())
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(scheduled, ready, leased, dead, done, false));
  }

  long purge(State... states) {
    return StoreResults.await(partition().purge(Set.of(states)));
  }

  void pause(boolean paused) {
    StoreResults.await(partition().pause(paused));
  }

  void pause(PauseNote note) {
    StoreResults.await(partition().pause(true, note));
  }

  void limits(QueueLimits limits) {
    StoreResults.await(partition().limits(limits));
  }

  /** Sets the limits in all partitions, as a client does. */
  void limitAll(QueueLimits limits) {
    partitions.forEach(each -> StoreResults.await(each.limits(limits)));
  }

  /** The limit of the whole queue with which each partition has a share of {@code share}. */
  int whole(int share) {
    return share * partitions.size();
  }

  /** Lists all messages in a state, page by page. */
  List<Entry> browse(State state, int pageSize) {
    return browse(state, pageSize, true);
  }

  List<Entry> browse(State state, int pageSize, boolean withContents) {
    List<Entry> all = new ArrayList<>();
    String cursor = null;
    int pages = 0;
    do {
      assertThat(pages++).as("pages").isLessThan(MOST_PAGES);
      EntryPage page =
          StoreResults.await(partition().browse(state, cursor, pageSize, withContents));
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
