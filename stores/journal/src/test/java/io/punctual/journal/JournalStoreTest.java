package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PauseNote;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the state of a journal after it was closed and opened again, opens that are refused, and
 * the URL of a journal.
 */
final class JournalStoreTest {
  @TempDir Path folder;

  private JournalStore open() {
    return JournalStore.builder(folder).segmentBytes(4096).open();
  }

  @Test
  void reopen_messagesInEveryState_comeBackAsTheyWere() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("dead", Session.PAST);
      long token = session.claim(1).token();
      session.apply(new Operation.Bury("dead", token, "why".getBytes(UTF_8)));
      session.schedule("retried", Session.PAST);
      token = session.claim(1).token();
      session.apply(new Operation.Retry("retried", token, Session.FAR, "once".getBytes(UTF_8)));
      session.schedule("acked", Session.PAST);
      token = session.claim(1).token();
      session.apply(new Operation.Ack("acked", token));
      session.schedule("cancelled", Session.FAR);
      session.apply(new Operation.Cancel("cancelled"));
      session.schedule("replaced", Session.FAR);
      session.schedule("replaced", Session.FAR);
      session.schedule("leased", Session.PAST);
      session.claim(1);
    }
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      assertThat(Session.await(session.partition().counts().toCompletableFuture()))
          .usingRecursiveComparison()
          .ignoringFields("overdueMillis")
          .isEqualTo(new PartitionCounts(2, 1, 0, 1, 0, false));
      Entry dead = find(session, "dead");
      assertThat(dead.state()).isEqualTo(State.DEAD);
      assertThat(dead.history()).asString().isEqualTo("why");
      assertThat(dead.dueMillis()).isZero();
      assertThat(dead.diedAtMillis()).isPositive();
      Entry retried = find(session, "retried");
      assertThat(retried.attempts()).isEqualTo(1);
      assertThat(retried.history()).asString().isEqualTo("once");
      assertThat(retried.dueMillis()).isEqualTo(Session.FAR.millis());
      Reply.Leased leased = session.claim(10).messages().get(0);
      assertThat(leased.id()).isEqualTo("leased");
      assertThat(leased.attempt()).isEqualTo(2);
      assertThat(leased.content().payload()).asString().isEqualTo("payload of leased");
    }
  }

  private static Entry find(Session session, String id) {
    return Session.await(session.partition().find(id).toCompletableFuture()).orElseThrow();
  }

  @Test
  void reopen_cancelledWhileLeased_doesNotComeBack() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      session.claim(1);
      session.apply(new Operation.Cancel("a"));
    }
    try (JournalStore store = open()) {
      assertThat(Session.of(store, "q").claimIds()).isEmpty();
    }
  }

  @Test
  void reopen_pausedQueue_isStillPausedAndListed() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      PauseNote note = new PauseNote("r".repeat(256), "b".repeat(256));
      Session.await(session.partition().pause(true, note).toCompletableFuture());
      session.schedule("a", Session.PAST);
    }
    open().close();
    try (JournalStore store = open()) {
      assertThat(Session.await(store.queues().toCompletableFuture())).containsExactly("q");
      Session session = Session.of(store, "q");
      assertThat(Session.await(session.partition().counts().toCompletableFuture()).pauseNote())
          .isEqualTo(new PauseNote("r".repeat(256), "b".repeat(256)));
      assertThat(session.claimIds()).isEmpty();
      Session.await(session.partition().pause(false).toCompletableFuture());
      assertThat(session.claimIds()).containsExactly("a");
    }
  }

  @Test
  void reopen_token_isGreaterThanAllBefore() {
    long token = 0;
    for (int run = 0; run < 5; run++) {
      try (JournalStore store = open()) {
        Session session = Session.of(store, "q");
        session.schedule("m" + run, Session.PAST);
        Reply.Claimed claimed = session.claim(1);
        assertThat(claimed.token()).isGreaterThan(token);
        token = claimed.token();
      }
    }
  }

  @Test
  void reopen_manySegments_everyMessageOnce() throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 200; i++) {
        session.schedule("m" + i, Session.PAST);
      }
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(file -> file.toString().endsWith(".log"))).hasSizeGreaterThan(3);
    }
    try (JournalStore store = open()) {
      assertThat(Session.of(store, "q").claimIds()).hasSize(200).doesNotHaveDuplicates();
    }
  }

  @Test
  void open_again_isRefusedAndNamesTheOwner() {
    try (JournalStore first = open()) {
      assertThatThrownBy(this::open)
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("pid " + ProcessHandle.current().pid());
      assertThat(first.describe()).isEqualTo("journal:" + folder);
    }
    open().close();
  }

  @Test
  void open_manifestIsGone_isRefused() throws IOException {
    try (JournalStore store = open()) {
      Session.of(store, "q").schedule("a", Session.PAST);
    }
    Files.delete(folder.resolve("manifest"));
    assertThatThrownBy(this::open)
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining("manifest");
  }

  @Test
  void open_newerVersion_isRefusedByName() throws IOException {
    open().close();
    Path manifest = folder.resolve("manifest");
    Files.write(manifest, DamageTest.newerManifest(Files.readAllBytes(manifest)));
    assertThatThrownBy(this::open)
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("manifest has the format version 2");
  }

  @Test
  void open_ownedByAnotherClassLoader_isRefused() throws IOException {
    open().close();
    try (FileChannel channel =
            FileChannel.open(folder.resolve("owner.lock"), StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThatThrownBy(this::open)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("another class loader");
    }
  }

  @Test
  void close_threadIsInterrupted_isCleanAndKeepsTheInterrupt() throws IOException {
    JournalStore store = open();
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    session.claim(1);
    Thread.currentThread().interrupt();
    store.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(JournalTool.stats(folder).closed()).isTrue();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).noneMatch(file -> file.toString().contains("attempts"));
    }
  }

  /** Tokens must increase even if the clock was set back between two runs. */
  @Test
  void reopen_clockSetBack_tokensRiseAndWhatIsDueWaitsForTheClock() throws IOException {
    Instant noon = Instant.parse("2030-01-01T12:00:00Z");
    long token;
    try (JournalStore store = openAt(noon)) {
      Session session = Session.of(store, "q");
      session.schedule("a", new DueTime(false, noon.toEpochMilli()));
      session.schedule("b", new DueTime(false, noon.toEpochMilli()));
      token = session.claim(1).token();
    }
    try (JournalStore store = openAt(noon.minus(Duration.ofHours(3)))) {
      Session session = Session.of(store, "q");
      assertThat(session.claim(10).messages()).isEmpty();
      session.schedule("c", new DueTime(true, 0));
      Reply.Claimed claimed = session.claim(10);
      assertThat(claimed.messages()).extracting(Reply.Leased::id).containsExactly("c");
      assertThat(claimed.token()).isGreaterThan(token);
      token = claimed.token();
    }
    try (JournalStore store = openAt(noon)) {
      Reply.Claimed claimed = Session.of(store, "q").claim(10);
      assertThat(claimed.messages())
          .extracting(Reply.Leased::id)
          .containsExactlyInAnyOrder("a", "b", "c");
      assertThat(claimed.token()).isGreaterThan(token);
    }
  }

  private JournalStore openAt(Instant instant) {
    return JournalStore.builder(folder).clock(InstantSource.fixed(instant)).open();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?fsync=always", "?fsync=os", "?fsync=20ms"})
  void provider_everyFsync_storesAndFinds(String options) {
    StoreUrl url = StoreUrl.parse("journal:" + folder + options);
    assertThat(new JournalStoreProvider().schemes()).isEqualTo(Set.of("journal"));
    for (int run = 0; run < 2; run++) {
      try (var store = new JournalStoreProvider().open(url, null)) {
        Session session = Session.of(store, "q");
        session.schedule("m" + run, Session.PAST);
        assertThat(session.claimIds()).hasSize(run + 1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"journal:", "journal:x?fsync=never", "journal:x?partitions=2"})
  void provider_whatItDoesNotKnow_isRefused(String url) {
    assertThatThrownBy(() -> new JournalStoreProvider().open(StoreUrl.parse(url), null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void purge_reopened_staysGone() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (String id : List.of("a", "b", "c")) {
        session.schedule(id, Session.FAR);
      }
      Set<State> all = Set.of(State.SCHEDULED);
      assertThat(Session.await(session.partition().purge(all).toCompletableFuture())).isEqualTo(3);
    }
    try (JournalStore store = open()) {
      assertThat(Session.await(Session.of(store, "q").partition().counts().toCompletableFuture()))
          .isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
    }
  }
}
