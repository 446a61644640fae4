package io.punctual.kit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.kit.history.HistoryEvent.ClaimAnswered;
import io.punctual.kit.history.HistoryEvent.ClaimInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.ProcessBegan;
import io.punctual.kit.history.HistoryEvent.SentAgain;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingTest {
  private final List<HistoryEvent> events = new ArrayList<>();
  private long now;
  private Partition partition;

  @BeforeEach
  void openSession() {
    Recording recording = new Recording("one", () -> now++, events::add);
    Store store = recording.store(MemoryStore.builder().clock(new ManualClock()).build());
    partition = store.partitions("q").toCompletableFuture().join().get(0);
    partition.openSession("s", null).toCompletableFuture().join();
  }

  private Reply call(long number, Call.Body body) {
    return partition.call(new Call("s", number, number, body)).toCompletableFuture().join();
  }

  @Test
  void store_claimAndSettlement_areRecorded() {
    call(
        1,
        apply(new Operation.Schedule("a", DueTime.NOW, IfPresent.KEEP, Content.of(new byte[0]))));
    Reply.Claimed claimed = (Reply.Claimed) call(2, new Call.Claim(5, 1000));
    call(3, apply(new Operation.Ack("a", claimed.token())));
    assertThat(events)
        .extracting(event -> (Object) event.getClass())
        .containsExactly(
            ProcessBegan.class,
            ClaimInvoked.class,
            Claimed.class,
            ClaimAnswered.class,
            SettlementInvoked.class,
            SettlementAnswered.class);
    Claimed lease = (Claimed) events.get(2);
    assertThat(lease.leasedUntilMillis()).isEqualTo((lease.engineMicros() + 999) / 1000 + 1000);
    assertThat(lease.token()).isEqualTo(claimed.token());
  }

  @Test
  void store_callSentAgain_isRecordedUnderOneNumber() {
    call(2, new Call.Claim(5, 1000));
    call(1, new Call.Claim(5, 1000));
    partition.call(new Call("s", 2, 2, new Call.Claim(5, 1000))).toCompletableFuture().join();
    assertThat(events).filteredOn(Failed.class::isInstance).hasSize(1);
    assertThat(events).filteredOn(SentAgain.class::isInstance).hasSize(1);
    assertThat(events).filteredOn(ClaimAnswered.class::isInstance).hasSize(2);
    assertThat(History.of(List.of(events)).check().unknown()).isZero();
  }

  @Test
  void store_callGivenUpAndSentWithoutItsOperations_isAnsweredAllTheSame() {
    call(2, apply(new Operation.Ack("a", 7)));
    call(1, new Call.Claim(5, 1000));
    assertThat(call(2, new Call.Apply(List.of(), null))).isInstanceOf(Reply.Applied.class);
    assertThat(events).filteredOn(SettlementInvoked.class::isInstance).hasSize(1);
    assertThat(events).filteredOn(SettlementAnswered.class::isInstance).isEmpty();
  }

  private static Call.Apply apply(Operation operation) {
    return new Call.Apply(List.of(operation), null);
  }

  @Test
  void file_ofAKilledProcess_isReadUpToItsLastWholeLine(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("one.history");
    try (Recording recording = Recording.to(file, "größe")) {
      recording.record(new ClaimInvoked(1, 1, "q", 5, 1000, false));
      recording.record(new ClaimAnswered(2, 1, 3));
      Files.writeString(file, "ClaimInvoked 3 2 'q 5 10", StandardOpenOption.APPEND);
      HistoryReport report = History.read(List.of(file)).check();
      assertThat(report.isClean()).isTrue();
      assertThat(report.unknown()).isZero();
    }
    assertThat(Files.readAllLines(file)).hasSize(4);
  }

  @Test
  void report_printed_isATable() {
    HistoryReport report = History.of(List.of(events)).check();
    assertThat(report.toString()).contains("scheduled and confirmed").contains("longest silence");
  }
}
