package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.UndecodableException;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.Id;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The disk can't read a part of a file. Only the message in this part fails, and the journal
 * continues.
 */
@Timeout(300)
final class UnreadablePlaceTest {
  private static final String SEGMENT = "segment-00000002.log";

  private final SimulatedDisk disk = new SimulatedDisk(new Random(11));
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

  /** The ways in which a disk loses the bytes of a record. */
  private enum Loss {
    /** The disk reports an error. */
    ERROR,
    /** The file seems to end within the record. */
    END,
    /** A bit of the id has flipped. */
    FLIPPED
  }

  private JournalStore open() throws IOException {
    JournalOptions options =
        new JournalOptions(now::get, Fsync.ALWAYS, 1 << 20, 0, Duration.ofDays(1));
    return new JournalStore(OpenJournal.open(new Folder(disk, () -> {}), options), "simulated");
  }

  /**
   * Makes the record of a message unreadable. With {@link Loss#END} it must be the last record of
   * the file.
   */
  private void lose(String id, Loss loss) {
    byte[] bytes = disk.get(SEGMENT);
    // The content follows the id. Its first byte has the version of the format, 1, and the flag for
    // a time of creation, 4.
    String record = id + (char) 0x14;
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(record);
    assertThat(at).isPositive();
    switch (loss) {
      case ERROR -> disk.badPlaces().fail(SEGMENT, at, at + 4);
      case END -> disk.badPlaces().cut(SEGMENT, at);
      case FLIPPED -> {
        bytes[at] ^= 1;
        disk.overwrite(SEGMENT, bytes);
      }
    }
  }

  private static Punctual client(JournalStore store) {
    return Punctual.builder().store(store).operationTimeout(Duration.ofMinutes(10)).build();
  }

  /** The place of the payload can't be read, but the id can. */
  @Test
  void find_payloadIsLost_saysSoInsteadOfAnEmptyPayload() throws IOException {
    try (JournalStore store = open();
        Punctual punctual = client(store)) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule(Message.of("payload").id("m1").dueIn(Duration.ofDays(1)));
      byte[] bytes = disk.get(SEGMENT);
      bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("payload")] ^= 1;
      disk.overwrite(SEGMENT, bytes);

      StoredMessage<String> found = queue.find("m1").orElseThrow();
      assertThatThrownBy(found::payloadBytes)
          .isInstanceOf(UndecodableException.class)
          .hasMessageContainingAll("'m1'", "'q'", "damaged");
      assertThatThrownBy(found::payload).isInstanceOf(UndecodableException.class);
      assertThat(found.headers()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void apply_oneMessageIsLost_onlyItsOperationFails(Loss loss) throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("m1", Session.FAR);
      session.schedule("m2", Session.FAR);
      lose("m2", loss);

      List<Outcome> outcomes =
          session.apply(
              Session.scheduling("m3", Session.FAR),
              new Operation.Cancel("m2"),
              new Operation.Cancel("m1"));

      assertThat(outcomes.get(0)).isInstanceOf(Outcome.OfSchedule.class);
      assertThat(outcomes.get(1))
          .isInstanceOfSatisfying(
              Outcome.Failed.class,
              failed -> assertThat(failed.why()).contains("'m2'", "'q'", SEGMENT, "at byte"));
      assertThat(outcomes.get(2)).isEqualTo(new Outcome.OfCancel(CancelOutcome.CANCELLED));
      assertThat(counts(session)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void claim_oneMessageIsLost_theOthersAreDeliveredAndItWhenItCanBeRead(Loss loss)
      throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (int i = 1; i <= 9; i++) {
        session.schedule("m" + i, Session.PAST);
      }
      byte[] whole = disk.get(SEGMENT);
      lose(loss == Loss.END ? "m9" : "m1", loss);

      assertThat(session.claimIds()).hasSize(8);
      assertThat(session.claimIds()).isEmpty();

      disk.badPlaces().mend();
      disk.overwrite(SEGMENT, whole);
      now.set(now.get().plus(Duration.ofMinutes(11)));
      Reply.Claimed later = session.claim(10);
      assertThat(later.messages())
          .extracting(Reply.Leased::id)
          .containsExactly(loss == Loss.END ? "m9" : "m1");
      assertThat(later.messages().get(0).attempt()).isEqualTo(1);
    }
  }

  /** The first error may pass at once, so the first postponement is short; the next are longer. */
  @Test
  void claim_errorPasses_messageIsDeliveredASecondLater() throws IOException {
    now.set(now.get().truncatedTo(ChronoUnit.MILLIS));
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("m1", Session.PAST);
      for (int seconds = 1; seconds <= 4; seconds *= 2) {
        lose("m1", Loss.ERROR);
        assertThat(session.claimIds()).isEmpty();
        disk.badPlaces().mend();
        now.set(now.get().plus(Duration.ofSeconds(seconds)).minusMillis(1));
        assertThat(session.claimIds()).isEmpty();
        now.set(now.get().plusMillis(1));
      }
      assertThat(session.claimIds()).containsExactly("m1");
    }
  }

  @Test
  void claim_manyLostInFrontAndALimitOfOne_findsTheOneBehind() throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (int i = 1; i <= 9; i++) {
        session.schedule("m" + i, Session.PAST);
      }
      for (int i = 1; i <= 8; i++) {
        lose("m" + i, Loss.ERROR);
      }
      assertThat(session.claim(1).messages()).extracting(Reply.Leased::id).containsExactly("m9");
    }
  }

  /**
   * The message was leased before, so the claim takes the id from the expired lease, not from the
   * record.
   */
  @Test
  void claim_leaseHasRunOutAndItsMessageIsLost_isUnreadableAndCanBeBuried() throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("m1", Session.PAST);
      Session.await(session.send(new Call.Claim(1, 1000)));
      lose("m1", Loss.ERROR);
      now.set(now.get().plusSeconds(2));

      Reply.Claimed claimed = session.claim(10);

      assertThat(claimed.messages()).isEmpty();
      assertThat(claimed.unreadable()).hasSize(1);
      assertThat(claimed.unreadable().get(0).why()).contains(SEGMENT, "Input/output error");
      session.apply(new Operation.Bury("m1", claimed.token(), "why".getBytes(UTF_8)));
      disk.badPlaces().mend();
      assertThat(page(session, State.DEAD)).extracting(Entry::id).containsExactly("m1");
    }
  }

  @Test
  void browse_oneMessageIsLost_listsTheOthers() throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("m1", Session.FAR);
      session.schedule("m2", Session.FAR);
      session.schedule("m3", Session.FAR);
      lose("m2", Loss.ERROR);
      assertThat(page(session, State.SCHEDULED)).extracting(Entry::id).containsExactly("m1", "m3");
      assertThatThrownBy(() -> Session.await(session.partition().find("m2").toCompletableFuture()))
          .isInstanceOf(JournalDamagedException.class)
          .hasMessageContaining(SEGMENT);
    }
  }

  /** A page of unreadable messages is empty, but has a cursor that leads to the next page. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void browse_manyMessagesAreLost_pagesEndAndListTheOthers(boolean haveEqualTimes)
      throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (int i = 1; i <= 9; i++) {
        long later = haveEqualTimes ? 0 : i;
        session.schedule("m" + i, new DueTime(false, Session.FAR.millis() + later));
      }
      for (int i = 3; i <= 7; i++) {
        lose("m" + i, Loss.ERROR);
      }
      for (int limit = 1; limit <= 6; limit++) {
        assertThat(pages(session, limit)).containsExactlyInAnyOrder("m1", "m2", "m8", "m9");
      }
    }
  }

  private static List<String> pages(Session session, int limit) {
    List<String> ids = new ArrayList<>();
    String cursor = null;
    int pages = 0;
    do {
      EntryPage page =
          Session.await(
              session.partition().browse(State.SCHEDULED, cursor, limit).toCompletableFuture());
      page.entries().forEach(entry -> ids.add(entry.id()));
      cursor = page.next();
      assertThat(++pages).isLessThan(20);
    } while (cursor != null);
    return ids;
  }

  private static List<Entry> page(Session session, State state) {
    EntryPage page =
        Session.await(session.partition().browse(state, null, 10).toCompletableFuture());
    return page.entries();
  }

  private static long counts(Session session) {
    return Session.await(session.partition().counts().toCompletableFuture()).scheduled();
  }

  @Test
  void punctual_oneMessageIsLost_callerHearsItAndEverythingElseGoesOnAfterARestartToo()
      throws IOException {
    try (Punctual punctual = client(open())) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      for (int i = 1; i <= 3; i++) {
        queue.schedule(Message.of("payload of m" + i).id("m" + i).dueIn(Duration.ofMillis(1)));
      }
      now.set(now.get().plusSeconds(1));
      lose("m2", Loss.ERROR);

      assertThatThrownBy(() -> queue.cancel("m2"))
          .isInstanceOf(PunctualException.class)
          .isNotInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("Nothing was changed")
          .hasMessageContaining("'m2'")
          .hasMessageContaining(SEGMENT);
      List<Delivery<String>> deliveries = queue.claim(10, Duration.ZERO);
      assertThat(deliveries).extracting(Delivery::id).containsExactly("m1", "m3");
      deliveries.forEach(delivery -> delivery.ack());
      queue.schedule("another", Duration.ofDays(1));
    }
    disk.badPlaces().mend();
    try (Punctual punctual = client(open())) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      assertThat(queue.cancel("m2")).isEqualTo(CancelOutcome.CANCELLED);
      assertThat(queue.counts().scheduled()).isEqualTo(1);
    }
  }

  @Test
  void schedule_idsWithEqualHashes_areTwoMessagesUnlessThePlaceOfTheFirstIsLost()
      throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      List<String> equal = idsWithEqualHashes(Manifest.read(disk).hashSeed());
      String first = equal.get(0);
      String second = equal.get(1);
      session.schedule(first, Session.FAR);

      lose(first, Loss.ERROR);
      assertThat(session.schedule(second, Session.FAR)).isInstanceOf(Outcome.Failed.class);
      disk.badPlaces().mend();
      assertThat(session.schedule(second, Session.FAR)).isInstanceOf(Outcome.OfSchedule.class);

      assertThat(counts(session)).isEqualTo(2);
      lose(first, Loss.ERROR);
      assertThat(session.apply(new Operation.Cancel(second)))
          .containsExactly(new Outcome.OfCancel(CancelOutcome.CANCELLED));
      disk.badPlaces().mend();
      assertThat(page(session, State.SCHEDULED)).extracting(Entry::id).containsExactly(first);
    }
  }

  /**
   * Returns two ids with equal hashes. A search among some hundred thousand ids finds them, because
   * a hash has only 32 bits.
   */
  private static List<String> idsWithEqualHashes(long seed) {
    Map<Integer, String> seen = new HashMap<>();
    for (int i = 10_000_000; true; i++) {
      String id = Integer.toString(i);
      String other = seen.put(Id.of(id, seed).hash(), id);
      if (other != null) {
        return new ArrayList<>(List.of(other, id));
      }
    }
  }

  /**
   * With a hint, a start reads the damaged state record only when it counts the attempts of the
   * dead process.
   */
  @Test
  void open_stateOfAMessageThatWasLeasedIsDamaged_opensAndTheMessageIsUnreadable()
      throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("m1", Session.PAST);
      session.schedule("m2", Session.PAST);
      long token = session.claim(1).token();
      session.apply(
          new Operation.Retry("m1", token, Session.PAST, "history of m1".getBytes(UTF_8)));
    }
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      assertThat(store).isNotNull();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> disk.list().stream().anyMatch(name -> name.endsWith(".hint")));
    }
    Map<String, byte[]> found;
    try (JournalStore store = open()) {
      assertThat(Session.of(store, "q").claimIds()).hasSize(2);
      found = DamageTest.files(disk.afterKill());
    }
    SimulatedDisk damaged = new SimulatedDisk(new Random(1));
    found.forEach(damaged::put);
    for (String name : damaged.list()) {
      byte[] bytes = damaged.get(name);
      int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("history of m1");
      if (FileNames.isSegment(name) && at > 0) {
        bytes[at] ^= 1;
        damaged.put(name, bytes);
      }
    }
    try (JournalStore store = FailedForceHistory.open(damaged)) {
      Reply.Claimed claimed = Session.of(store, "q").claim(10);
      assertThat(claimed.messages()).extracting(Reply.Leased::id).containsExactly("m2");
      assertThat(claimed.unreadable()).extracting(Reply.Unreadable::id).containsExactly("m1");
    }
  }
}
