package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.IfPresent;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Chooses random operations on a few ids, including settlements of current and former leases. */
final class RandomOperations {
  static final int IDS = 8;

  private static final List<IfPresent> MODES = List.of(IfPresent.values());

  private final TestPartition partition;
  private final Random random;
  private final String name;
  private final List<ClaimedMessage> held = new ArrayList<>();
  private final List<Integer> changes = new ArrayList<>(List.of(0, 1, 2, 3));
  private final boolean remembers;
  private int payloads;

  /**
   * Creates a generator. All of its payloads differ, and begin with {@code name}.
   *
   * @param cancels whether cancels are among the operations, if the store supports them
   * @param models whether the test has a model of each message, and so can predict the outcomes of
   *     restores and of remembered ids
   */
  RandomOperations(
      TestPartition partition, Random random, String name, boolean cancels, boolean models) {
    this.partition = partition;
    this.random = random;
    this.name = name;
    if (cancels && partition.has(Capability.CANCEL)) {
      changes.add(4);
    }
    remembers = models && partition.has(Capability.REMEMBER);
    if (models) {
      changes.add(9);
    }
    if (remembers) {
      changes.add(10);
    }
    if (partition.has(Capability.RESCHEDULE)) {
      changes.addAll(List.of(5, 6, 11));
    }
    if (partition.has(Capability.DEAD_LETTERS)) {
      changes.addAll(List.of(7, 8));
    }
  }

  static String id(int index) {
    return "id-" + index;
  }

  /** Returns operations that replace the messages of all ids by messages that are due. */
  static List<Operation> replaceAll(TestPartition partition) {
    return IntStream.range(0, IDS)
        .<Operation>mapToObj(
            i -> TestSession.scheduling(id(i), partition.past(), IfPresent.REPLACE, "last of " + i))
        .toList();
  }

  /**
   * Records a lease. Random operations settle recorded leases, and settle them again with an
   * outdated token.
   */
  void hold(ClaimedMessage lease) {
    held.add(lease);
    if (held.size() > 2 * IDS) {
      held.remove(0);
    }
  }

  List<Operation> some(int most) {
    List<Operation> operations = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i >= 0; i--) {
      operations.add(held.isEmpty() || random.nextInt(5) < 3 ? change() : settlement());
    }
    return operations;
  }

  private Operation change() {
    String id = id(random.nextInt(IDS));
    return switch (changes.get(random.nextInt(changes.size()))) {
      case 4 -> new Operation.Cancel(id);
      case 5 -> new Operation.Reschedule(id, due());
      case 6 -> new Operation.RunNow(id);
      case 7 -> new Operation.Redrive(id, random.nextBoolean() ? content() : null);
      case 8 -> new Operation.DeleteDead(id);
      case 9 -> restore(id);
      case 11 -> new Operation.ChangeWaiting(id, listedDue(), random.nextBoolean() ? due() : null);
      case 10 -> new Operation.Remember(id, random.nextBoolean() ? forgotten() : remembered());
      default -> new Operation.Schedule(id, due(), mode(), content());
    };
  }

  /** Returns a restore of a waiting message without or with attempts, or of a dead letter. */
  private Operation restore(String id) {
    long due = partition.past(random.nextInt(3)).millis();
    byte[] history = ("restored " + payloads).getBytes(UTF_8);
    return switch (partition.has(Capability.DEAD_LETTERS) ? random.nextInt(3) : random.nextInt(2)) {
      case 0 -> new Operation.Restore(id, due, 0, new byte[0], 0, content());
      case 1 -> new Operation.Restore(id, due, 1 + random.nextInt(3), history, 0, content());
      default -> new Operation.Restore(id, due, 1 + random.nextInt(3), history, due, content());
    };
  }

  private long forgotten() {
    return partition.past(random.nextInt(3)).millis();
  }

  private long remembered() {
    return partition.far(random.nextInt(3)).millis();
  }

  private IfPresent mode() {
    return MODES.get(random.nextInt(MODES.size()));
  }

  private Content content() {
    payloads++;
    return Content.of((name + "-" + payloads).getBytes(UTF_8));
  }

  /** Returns a due time: mostly in the past or soon, and often equal to an earlier due time. */
  private DueTime due() {
    return switch (random.nextInt(6)) {
      case 0 -> DueTime.NOW;
      case 1 -> new DueTime(true, random.nextInt(4));
      case 2 -> partition.far(random.nextInt(3));
      default -> partition.past(random.nextInt(3));
    };
  }

  /** Returns a due time that a message may have. */
  private long listedDue() {
    int distance = random.nextInt(3);
    DueTime due = random.nextInt(4) == 0 ? partition.far(distance) : partition.past(distance);
    return due.millis();
  }

  private Operation.Settlement settlement() {
    ClaimedMessage lease = held.get(random.nextInt(held.size()));
    byte[] history = ("history " + payloads).getBytes(UTF_8);
    return switch (random.nextInt(9)) {
      case 0, 1 -> new Operation.Ack(lease.id(), lease.token(), rememberMillis());
      case 2 -> new Operation.Retry(lease.id(), lease.token(), due(), history);
      case 3 -> new Operation.Bury(lease.id(), lease.token(), history);
      case 4 -> new Operation.Extend(lease.id(), lease.token(), leaseMillis());
      case 5 -> new Operation.Release(lease.id(), lease.token(), due());
      case 6 -> new Operation.Repeat(lease.id(), lease.token(), due(), null);
      case 7 -> new Operation.Repeat(lease.id(), lease.token(), due(), content());
      default -> new Operation.Release(lease.id(), lease.token(), null);
    };
  }

  /** Returns for how long an id is remembered: not at all, a few milliseconds, or an hour. */
  private long rememberMillis() {
    if (!remembers || random.nextInt(3) == 0) {
      return 0;
    }
    return random.nextInt(3) == 0 ? 3_600_000 : 1 + random.nextInt(4);
  }

  /** Returns the duration of a lease, in milliseconds: 1 to 4, or an hour. */
  long leaseMillis() {
    return random.nextInt(3) == 0 ? 3_600_000 : 1 + random.nextInt(4);
  }
}
