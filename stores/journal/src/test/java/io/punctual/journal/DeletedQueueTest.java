package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PunctualException;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A deleted queue stays deleted after restarts and compactions, and its name leaves the disk. */
final class DeletedQueueTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(5));
  private volatile Duration ahead = Duration.ZERO;
  private OpenJournal journal = open();
  private JournalStore store = new JournalStore(journal, "simulated");

  @BeforeEach
  void keepAnotherQueue() {
    Session.of(store, "other").schedule("kept", Session.FAR);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private OpenJournal open() {
    JournalOptions options =
        new JournalOptions(
            () -> Instant.now().plus(ahead), Fsync.ALWAYS, 4096, 0, Duration.ofHours(1));
    try {
      return OpenJournal.open(new Folder(disk, () -> {}), options);
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  private void restart() {
    store.close();
    journal = open();
    store = new JournalStore(journal, "simulated");
  }

  private void compact() throws Exception {
    Compaction compaction = journal.compaction(bytes -> {});
    while (compaction.run()) {}
  }

  private DeleteQueueOutcome delete(String queue) {
    return Session.await(store.delete(queue).toCompletableFuture());
  }

  private List<String> queues() {
    return Session.await(store.queues().toCompletableFuture());
  }

  private static void fill(Session session, int messages) {
    for (int i = 0; i < messages; i++) {
      session.schedule("m" + i, Session.FAR);
    }
    for (int i = 0; i < messages; i++) {
      session.apply(new Operation.Cancel("m" + i));
    }
  }

  private boolean isOnDisk(String text) throws IOException {
    for (String name : disk.list()) {
      if (new String(disk.get(name), UTF_8).contains(text)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void delete_manyExpiredIds_answersOthersMeanwhile() throws Exception {
    Session session = Session.of(store, "gone");
    for (int call = 0; call < 12; call++) {
      Operation[] ids = new Operation[Partition.MAX_OPERATIONS];
      for (int i = 0; i < ids.length; i++) {
        long until = Instant.now().plusSeconds(600).toEpochMilli();
        ids[i] = new Operation.Remember("m" + call + "-" + i, until);
      }
      List<Outcome> unused = session.apply(ids);
    }
    ahead = Duration.ofHours(1);
    CountDownLatch begin = new CountDownLatch(1);
    CompletableFuture<Boolean> busy = journal.journal().look(() -> await(begin));
    CompletableFuture<DeleteQueueOutcome> deletion = store.delete("gone").toCompletableFuture();
    CompletableFuture<List<String>> meanwhile = store.queues().toCompletableFuture();
    begin.countDown();

    assertThat(Session.await(busy)).isTrue();
    assertThat(Session.await(meanwhile)).contains("gone");
    assertThat(Session.await(deletion)).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(queues()).containsExactly("other");
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void delete_restarts_staysDeleted() {
    fill(Session.of(store, "gone"), 3);
    assertThat(delete("gone")).isEqualTo(DeleteQueueOutcome.DELETED);
    for (int i = 0; i < 3; i++) {
      restart();
      assertThat(queues()).containsExactly("other");
      assertThat(delete("gone")).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
    }
  }

  @Test
  void delete_compactionsAndRestarts_staysDeletedAndItsNameLeavesTheDisk() throws Exception {
    fill(Session.of(store, "gone"), 200);
    assertThat(delete("gone")).isEqualTo(DeleteQueueOutcome.DELETED);
    Session other = Session.of(store, "other");
    for (int round = 0; round < 6; round++) {
      other.apply(new Operation.Cancel("kept"));
      fill(other, 100);
      compact();
      restart();
      assertThat(queues()).containsExactly("other");
      other = Session.of(store, "other");
    }
    assertThat(other.claimIds()).isEmpty();
    // The compaction of an open store may still delete files, so the store is closed before the
    // files are read.
    store.close();
    assertThat(isOnDisk("gone")).isFalse();
    restart();
    Session.of(store, "new").schedule("a", Session.PAST);
    restart();
    assertThat(queues()).containsExactly("new", "other");
    assertThat(Session.of(store, "new").claimIds()).containsExactly("a");
  }

  @Test
  void schedule_afterDeletion_recreatesTheQueueForGood() throws Exception {
    fill(Session.of(store, "q"), 100);
    Session.await(Session.of(store, "q").partition().pause(true).toCompletableFuture());
    assertThat(delete("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    Session.of(store, "q").schedule("a", Session.PAST);
    assertThat(queues()).containsExactly("other", "q");
    for (int round = 0; round < 3; round++) {
      fill(Session.of(store, "other"), 100);
      compact();
      restart();
      assertThat(queues()).containsExactly("other", "q");
    }
    assertThat(Session.of(store, "q").claimIds()).containsExactly("a");
  }

  @Test
  void pause_afterDeletion_recreatesThePausedQueue() {
    fill(Session.of(store, "q"), 1);
    assertThat(delete("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    Session.await(Session.of(store, "q").partition().pause(true).toCompletableFuture());
    restart();
    assertThat(queues()).containsExactly("other", "q");
    assertThat(
            Session.await(Session.of(store, "q").partition().counts().toCompletableFuture())
                .paused())
        .isTrue();
  }

  @Test
  void unusedQueue_emptyOrDeleted_leavesMemoryAndKeepsItsNumber() throws Exception {
    fill(Session.of(store, "empty"), 3);
    fill(Session.of(store, "gone"), 3);
    assertThat(delete("gone")).isEqualTo(DeleteQueueOutcome.DELETED);
    WeakReference<Object> empty = state("empty");
    WeakReference<Object> gone = state("gone");
    for (int i = 0; i < 100 && !(empty.refersTo(null) && gone.refersTo(null)); i++) {
      System.gc();
      // The journal's thread lets go of its last task with the next.
      assertThat(queues()).containsExactly("empty", "other");
    }
    assertThat(empty.refersTo(null)).isTrue();
    assertThat(gone.refersTo(null)).isTrue();
    assertThat(state("other").refersTo(null)).isFalse();
    compact();
    restart();
    assertThat(queues()).containsExactly("empty", "other");
    Session.of(store, "empty").schedule("again", Session.FAR);
    Session.of(store, "gone").schedule("again", Session.FAR);
    restart();
    assertThat(queues()).containsExactly("empty", "gone", "other");
    assertThat(delete("empty")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
    assertThat(delete("gone")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
  }

  /** Returns the partition of a queue as the store has it, without keeping it in memory. */
  private WeakReference<Object> state(String queue) {
    return new WeakReference<>(Session.await(store.partitions(queue).toCompletableFuture()).get(0));
  }
}
