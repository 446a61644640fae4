package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.CreateFailedException;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.OpenFailedException;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a journal that compacts while operations of the disk fail for a reason that may pass. The
 * journal goes on afterwards, and no message is lost or comes back.
 */
@Timeout(300)
final class RunFailureTest {
  private static final String SEEDED = "seeded failure";

  private final SimulatedDisk simulated = new SimulatedDisk(new Random(7));
  private final RefusingDisk disk = new RefusingDisk(simulated);
  private final Random random = new Random(11);

  /** One of this number of operations fails. */
  private volatile int portion = 3;

  private final AtomicInteger operations = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final Set<String> waiting = new TreeSet<>();

  private enum Failing {
    READ,
    WRITE,
    CREATE,
    RENAME,
    DELETE
  }

  private void failSometimes(Failing failing) {
    switch (failing) {
      case READ -> disk.beforeRead(() -> failSometimes(new OpenFailedException(seeded())));
      case WRITE -> disk.beforeWrite(() -> failSometimes(seeded()));
      case CREATE -> disk.beforeCreate(name -> failSometimes(new CreateFailedException(seeded())));
      case RENAME -> disk.beforeRename(name -> failSometimes(seeded()));
      case DELETE -> disk.beforeDelete(name -> failSometimes(seeded()));
    }
  }

  private static IOException seeded() {
    return new IOException(SEEDED);
  }

  private void failSometimes(IOException failure) throws IOException {
    if (operations.incrementAndGet() % portion == 0) {
      failures.incrementAndGet();
      throw failure;
    }
  }

  private void heal() {
    disk.beforeRead(() -> {});
    disk.beforeWrite(() -> {});
    disk.beforeCreate(name -> {});
    disk.beforeRename(name -> {});
    disk.beforeDelete(name -> {});
  }

  private static boolean isDone(Outcome outcome) {
    return !(outcome instanceof Outcome.Full) && !(outcome instanceof Outcome.Failed);
  }

  private void change(Session session, int step) {
    String id = "m" + step;
    if (isDone(session.schedule(id, Session.PAST))) {
      waiting.add(id);
    }
    String old = "m" + random.nextInt(step + 1);
    if (waiting.contains(old) && isDone(session.apply(new Operation.Cancel(old)).get(0))) {
      waiting.remove(old);
    }
    if (step % 4 == 0) {
      claimAndAck(session);
    }
  }

  private void claimAndAck(Session session) {
    Reply.Claimed claimed;
    try {
      claimed = session.claim(3);
    } catch (Partition.PartitionException e) {
      assertThat(e).hasMessageContaining(SEEDED);
      return;
    }
    assertThat(claimed.unreadable()).isEmpty();
    List<Operation> acks = new ArrayList<>();
    claimed.messages().forEach(each -> acks.add(new Operation.Ack(each.id(), claimed.token())));
    if (!acks.isEmpty()) {
      List<Outcome> outcomes = session.apply(acks.toArray(Operation[]::new));
      for (int i = 0; i < acks.size(); i++) {
        if (isDone(outcomes.get(i))) {
          waiting.remove(acks.get(i).id());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void run_operationsFailSometimes_goesOnAndLosesNothing(Failing failing) throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      Session session = Session.of(store, "q");
      // Each failed write is tried again after a pause.
      portion = failing == Failing.WRITE ? 40 : 3;
      failSometimes(failing);
      for (int step = 0; step < 400; step++) {
        change(session, step);
      }
      heal();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> session.schedule("last", Session.PAST) instanceof Outcome.OfSchedule);
      waiting.add("last");
    }
    assertThat(failures.get()).isPositive();
    assertThat(JournalTool.verify(simulated).damage()).isEmpty();
    try (JournalStore store = FailedForceHistory.open(simulated)) {
      assertThat(new TreeSet<>(Session.of(store, "q").claimIds())).isEqualTo(waiting);
    }
    assertThat(simulated.list()).noneMatch(name -> name.endsWith(".tmp"));
    assertThat(simulated.list()).filteredOn(FileNames::isAttempts).isEmpty();
  }
}
