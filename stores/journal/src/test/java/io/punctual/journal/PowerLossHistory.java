package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.IfPresent;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A random history of a client whose journal loses power several times. A life is the time between
 * two losses of power. A model has the states that the journal may have after each loss. If the
 * journal forces before it confirms, it must have all confirmed changes, and may have the first
 * operations of the call in flight. Otherwise it may have any state of the last life, but no
 * mixture of two states.
 */
final class PowerLossHistory {
  private static final int IDS = 8;

  private final Random random;
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.ofEpochSecond(1_800_000_000));
  private final InstantSource clock = now::get;
  private final Fsync fsync;
  private final int lives;
  private Map<String, Row> model = new TreeMap<>();

  /**
   * The states that the journal may have after the loss of power: all states of this life, or only
   * those of the last call if the journal forces before it confirms.
   */
  private final List<Map<String, Row>> past = new ArrayList<>();

  /**
   * The ids that were cancelled in this life. The model does not know which of them a leased
   * message still uses, so they are not restored.
   */
  private final Set<String> cancelled = new HashSet<>();

  private SimulatedDisk disk;
  private int versions;

  /**
   * The expected state of a message: its payload, its due time, whether it is dead, and its fencing
   * token, 0 if it is not leased.
   */
  private record Row(String payload, long dueMillis, boolean isDead, long token) {}

  PowerLossHistory(Random random, SimulatedDisk disk, Fsync fsync, int lives) {
    this.random = random;
    this.disk = disk;
    this.fsync = fsync;
    this.lives = lives;
  }

  /**
   * Runs the history. Throws an AssertionError if the journal has a state that it must not have.
   */
  void run() {
    for (int life = 0; life < lives; life++) {
      live();
      disk = disk.afterPowerLoss();
    }
    JournalStore last = open(disk);
    last.close();
  }

  private JournalStore open(Disk on) {
    JournalOptions options = new JournalOptions(clock, fsync, 4096, 0, Duration.ofMillis(1));
    try {
      return new JournalStore(OpenJournal.open(new Folder(on, () -> {}), options), "simulated");
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  private void live() {
    disk.losePowerAfter(random.nextInt(120));
    cancelled.clear();
    List<Map<String, Row>> possible = List.of(model);
    past.clear();
    JournalStore store;
    try {
      store = open(disk);
    } catch (PunctualException e) {
      if (disk.hasLostPower()) {
        return;
      }
      throw new AssertionError("Did not open: " + e.getMessage(), e);
    }
    try {
      Session session = Session.of(store, "q");
      compare(session);
      while (true) {
        now.updateAndGet(before -> before.plus(Duration.ofMillis(random.nextInt(50))));
        possible = step(session);
        if (fsync.mode() != Fsync.Mode.ALWAYS) {
          past.add(model);
          past.addAll(possible);
        }
        model = possible.get(possible.size() - 1);
        possible = List.of(model);
      }
    } catch (Unconfirmed e) {
      possible = e.possible;
    } catch (PunctualException e) {
      if (!disk.hasLostPower()) {
        throw new AssertionError("Failed with the power on: " + e.getMessage(), e);
      }
    } finally {
      store.close();
    }
    past.addAll(possible);
    settle(List.copyOf(past));
  }

  /**
   * Thrown if a call failed. The journal may have any of the {@code possible} states afterwards.
   */
  private static final class Unconfirmed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final transient List<Map<String, Row>> possible;

    Unconfirmed(List<Map<String, Row>> possible) {
      this.possible = possible;
    }
  }

  /** Finds the state that the disk has after the loss of power, by opening a copy of the disk. */
  private void settle(List<Map<String, Row>> possible) {
    disk = disk.afterPowerLoss();
    JournalStore store;
    try {
      store = open(disk.afterKill());
    } catch (PunctualException e) {
      throw new AssertionError("Did not open: " + e.getMessage(), e);
    }
    try {
      Session session = Session.of(store, "q");
      Map<String, Row> found = found(session);
      for (Map<String, Row> one : possible) {
        if (untimed(one).equals(found)) {
          model = untimed(one);
          return;
        }
      }
      throw new AssertionError("Found " + found + ", which is none of " + possible);
    } finally {
      store.close();
    }
  }

  private void compare(Session session) {
    Map<String, Row> found = found(session);
    if (!untimed(model).equals(found)) {
      throw new AssertionError("Found " + found + " instead of " + model);
    }
  }

  private static Map<String, Row> untimed(Map<String, Row> rows) {
    Map<String, Row> plain = new TreeMap<>();
    rows.forEach((id, row) -> plain.put(id, new Row(row.payload, row.dueMillis, row.isDead, 0)));
    return plain;
  }

  private static Map<String, Row> found(Session session) {
    Map<String, Row> found = new TreeMap<>();
    for (int i = 0; i < IDS; i++) {
      String id = "m" + i;
      Optional<Entry> entry = Session.await(session.partition().find(id).toCompletableFuture());
      entry.ifPresent(
          one ->
              found.put(id, new Row(payload(one), one.dueMillis(), one.state() == State.DEAD, 0)));
    }
    return found;
  }

  private static String payload(Entry entry) {
    Content content = entry.content();
    if (content == null) {
      throw new AssertionError("The payload of " + entry.id() + " can't be read");
    }
    return new String(content.payload(), UTF_8);
  }

  private List<Map<String, Row>> step(Session session) {
    if (random.nextInt(3) == 0) {
      claim(session);
      return List.of(model);
    }
    List<Operation> operations = new ArrayList<>();
    List<Map<String, Row>> states = new ArrayList<>(List.of(model));
    for (int i = random.nextInt(4); i >= 0; i--) {
      Map<String, Row> after = new TreeMap<>(states.get(states.size() - 1));
      operations.add(operation("m" + random.nextInt(IDS), after));
      states.add(after);
    }
    CompletableFuture<Reply> reply = session.send(new Call.Apply(operations, null));
    try {
      Session.await(reply);
    } catch (PunctualException e) {
      throw new Unconfirmed(states);
    }
    return states;
  }

  private Operation operation(String id, Map<String, Row> rows) {
    Row row = rows.get(id);
    if (row != null && row.token != 0 && random.nextBoolean()) {
      return settlement(id, row, rows);
    }
    return switch (random.nextInt(5)) {
      case 0 -> {
        if (row != null && !row.isDead) {
          rows.remove(id);
          cancelled.add(id);
        }
        yield new Operation.Cancel(id);
      }
      case 1 -> {
        long due = due();
        if (row != null && row.token == 0 && !row.isDead) {
          rows.put(id, new Row(row.payload, due, false, 0));
        }
        yield new Operation.Reschedule(id, new DueTime(false, due));
      }
      case 2 -> cancelled.contains(id) ? schedule(id, rows) : restore(id, row == null, rows);
      default -> schedule(id, rows);
    };
  }

  private Operation schedule(String id, Map<String, Row> rows) {
    String payload = "v" + ++versions + "x".repeat(random.nextInt(200));
    long due = due();
    rows.put(id, new Row(payload, due, false, 0));
    return new Operation.Schedule(
        id, new DueTime(false, due), IfPresent.REPLACE, Content.of(payload.getBytes(UTF_8)));
  }

  /** Restores a message with attempts, or a dead letter. Each of them takes two records. */
  private Operation restore(String id, boolean isAbsent, Map<String, Row> rows) {
    String payload = "v" + ++versions + "x".repeat(random.nextInt(200));
    boolean isDead = random.nextBoolean();
    long due = due();
    if (isAbsent) {
      rows.put(id, new Row(payload, due, isDead, 0));
    }
    return new Operation.Restore(
        id, due, 3, new byte[] {3}, isDead ? due + 1 : 0, Content.of(payload.getBytes(UTF_8)));
  }

  private Operation settlement(String id, Row row, Map<String, Row> rows) {
    switch (random.nextInt(3)) {
      case 0 -> {
        rows.remove(id);
        return new Operation.Ack(id, row.token);
      }
      case 1 -> {
        long due = due();
        rows.put(id, new Row(row.payload, due, false, 0));
        return new Operation.Retry(id, row.token, new DueTime(false, due), new byte[] {1});
      }
      default -> {
        rows.put(id, new Row(row.payload, row.dueMillis, true, 0));
        return new Operation.Bury(id, row.token, new byte[] {2});
      }
    }
  }

  private long due() {
    return now.get().toEpochMilli() + random.nextInt(200) - 100;
  }

  private void claim(Session session) {
    Reply.Claimed claimed = session.claim(1 + random.nextInt(3));
    for (Reply.Leased leased : claimed.messages()) {
      Row row = model.get(leased.id());
      if (row == null || row.isDead || row.token != 0) {
        throw new AssertionError(leased.id() + " was claimed, but is " + row);
      }
      if (!row.payload.equals(new String(leased.content().payload(), UTF_8))
          || leased.dueMillis() > now.get().toEpochMilli()) {
        throw new AssertionError(leased + " was claimed, but is " + row);
      }
      model = new TreeMap<>(model);
      model.put(leased.id(), new Row(row.payload, row.dueMillis, false, claimed.token()));
    }
  }
}
