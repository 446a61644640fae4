package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Takes a store and its model through the same steps, and compares them after each step. */
final class ModelRun {
  private static final int REMEMBERED_STEPS = 12;

  private final TestPartition partition;
  private final TestSession session;
  private final Random random;
  private final RandomOperations operations;
  private final PartitionModel model = new PartitionModel();
  private final Deque<String> steps = new ArrayDeque<>();
  private boolean paused;

  ModelRun(TestPartition partition, long seed) {
    this.partition = partition;
    this.session = partition.session();
    this.random = new Random(seed);
    this.operations = new RandomOperations(partition, random, "model", true, true);
  }

  void step() {
    try {
      if (paused && random.nextInt(4) == 0) {
        pause(false);
      }
      switch (random.nextInt(20)) {
        case 0 -> pause(true);
        case 1 -> purge();
        case 2, 3 -> advance();
        case 4, 5, 6, 7, 8 -> claim();
        default -> apply();
      }
      compare();
    } catch (AssertionError differs) {
      throw new AssertionError(
          "Differs from the model after\n" + String.join("\n", steps), differs);
    }
  }

  private void note(String step) {
    steps.add(step);
    if (steps.size() > REMEMBERED_STEPS) {
      steps.remove();
    }
  }

  private void apply() {
    List<Operation> asked = operations.some(3);
    note(asked.toString());
    Reply.Applied applied = session.apply(asked);
    List<Outcome> expected =
        asked.stream().map(one -> model.apply(one, applied.engineMicros())).toList();
    assertThat(applied.outcomes()).isEqualTo(expected);
  }

  /**
   * Claims a random number of messages, or all messages if the lease of a cancelled message can
   * expire: stores may remove expired cancelled messages in any order.
   */
  private void claim() {
    int limit = model.anyMarked() ? 1000 : List.of(0, 1, 2, 1000).get(random.nextInt(4));
    Call.Claim asked = new Call.Claim(limit, operations.leaseMillis(), random.nextInt(4) == 0);
    note(asked.toString());
    Reply.Claimed claimed = session.claim(asked);
    note(claimed.toString());
    model.expectClaimed(asked, claimed);
    claimed
        .messages()
        .forEach(
            message -> operations.hold(ClaimedMessage.of(message, claimed, asked.leaseMillis())));
  }

  private void pause(boolean pause) {
    if (partition.has(Capability.PAUSE)) {
      note(pause ? "paused" : "resumed");
      paused = pause;
      partition.pause(pause);
      model.pause(pause);
    }
  }

  private void purge() {
    Set<State> places =
        List.of(Set.of(State.SCHEDULED, State.READY), Set.of(State.LEASED), Set.of(State.DEAD))
            .get(random.nextInt(3));
    if (partition.has(Capability.PURGE) && random.nextInt(3) == 0) {
      note("purge " + places);
      assertThat(StoreResults.await(partition.partition().purge(places)))
          .isEqualTo(model.purge(places));
    }
  }

  private void advance() {
    note("advance");
    partition.advance(Duration.ofNanos(random.nextInt(3_000) * 1000L));
  }

  private void compare() {
    long before = session.nowMicros() / 1000;
    PartitionCounts counts = partition.counts();
    PartitionCounts expected = model.countsAt(before);
    long after = session.nowMicros() / 1000;
    if (expected.equals(model.countsAt(after))) {
      assertThat(counts)
          .usingRecursiveComparison()
          .ignoringFields("overdueMillis")
          .isEqualTo(expected);
      assertThat(counts.overdueMillis())
          .isBetween(model.overdueMillis(before), model.overdueMillis(after));
    }
    if (partition.has(Capability.BROWSE)) {
      String id = RandomOperations.id(random.nextInt(RandomOperations.IDS));
      compare(id, session.nowMicros() / 1000, partition.find(id));
    }
  }

  private void compare(String id, long before, Optional<Entry> found) {
    PartitionModel.Row row = model.row(id, before);
    PartitionModel.Row later = model.row(id, session.nowMicros() / 1000);
    if (row != later) {
      return; // The id was forgotten meanwhile.
    }
    assertThat(found.isPresent()).as("%s exists", id).isEqualTo(row != null);
    if (row != null && found.isPresent()) {
      Entry entry = found.get();
      assertThat(entry.state() == State.READY ? State.SCHEDULED : entry.state())
          .isEqualTo(row.place);
      assertThat(entry.content())
          .usingRecursiveComparison()
          .ignoringFields("createdMillis")
          .isEqualTo(row.place == State.FINISHED ? null : row.content);
      assertThat(entry.dueMillis()).isEqualTo(row.due);
      assertThat(entry.attempts()).isEqualTo(row.attempts);
      assertThat(entry.history()).isEqualTo(row.history);
      assertThat(entry.cancelled()).isEqualTo(row.cancelled);
      assertThat(entry.leasedUntilMillis())
          .isEqualTo(row.place == State.LEASED ? row.leasedUntil : 0);
    }
  }
}
