package io.punctual.kit.simulation;

import io.punctual.State;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryEvent;
import io.punctual.kit.simulation.Engine.PartitionId;
import io.punctual.spi.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A run: an engine, and processes with clients. The run injects faults for some seconds, ends all
 * faults, and complains if a message is not settled in time. Not thread-safe.
 */
final class SimulationRun {
  private static final long STEP = 50 * Chance.MILLI;
  private static final long FAIR_WORK = 2 * Chance.SECOND;
  private static final long SETTLING = 5 * Chance.SECOND;
  private static final int RACES = 10;

  /** The additional time that queues with limits may take, in seconds. */
  private static final int LIMITED_SECONDS = 100;

  private static final Duration GRACE = Duration.ofSeconds(3);

  private final SplittableRandom seeds;
  private final RunParameters parameters;
  private final Scheduler scheduler;
  private final FaultSchedule weather = new FaultSchedule();
  private final List<String> complaints = new ArrayList<>();
  private final ProtocolJudge judge = new ProtocolJudge(complaints);
  private final LimitsJudge limits;
  private final Engine engine;
  private final Administrator administrator;
  private final List<String> queues = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<User> lastUsers = new ArrayList<>();
  private final Map<PartitionId, Long> claimableSince = new HashMap<>();
  private @Nullable Instant quietSince;

  SimulationRun(SplittableRandom seeds, RunParameters parameters) {
    this.seeds = seeds;
    this.parameters = parameters;
    scheduler = new Scheduler(seeds.split());
    limits = new LimitsJudge(complaints);
    engine = new Engine(new EngineClock(scheduler), parameters, judge, limits);
    administrator = new Administrator(this);
    for (int i = 0; i < parameters.queues(); i++) {
      queues.add("queue-" + i);
    }
  }

  Chance newChance() {
    return new Chance(seeds.split());
  }

  RunParameters parameters() {
    return parameters;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  FaultSchedule weather() {
    return weather;
  }

  Engine engine() {
    return engine;
  }

  ProtocolJudge judge() {
    return judge;
  }

  Administrator administrator() {
    return administrator;
  }

  String anyQueue(Chance chance) {
    return chance.of(queues);
  }

  /** Returns whether users make no more calls. */
  boolean isQuiet() {
    return quietSince != null;
  }

  /** Returns whether users made no more calls at this time of the engine's clock. */
  boolean wasQuiet(Instant then) {
    return quietSince != null && then.isAfter(quietSince);
  }

  List<Node> running() {
    return nodes.stream().filter(Node::isRunning).toList();
  }

  /** Runs the simulation to its end; returns the violations that the history does not show. */
  List<String> run() {
    Chance chance = newChance();
    if (parameters.limited()) {
      queues.forEach(administrator::limit);
    }
    for (int i = 0; i < parameters.clients(); i++) {
      startNode(chance);
    }
    new FaultInjector(this).start();
    scheduler.run(parameters.seconds() * Chance.SECOND);
    clearWeather(chance);
    drain();
    closeAll();
    queues.forEach(administrator::takeInventory);
    return complaints;
  }

  History history() {
    List<List<HistoryEvent>> processes = new ArrayList<>();
    nodes.forEach(node -> processes.add(node.events()));
    processes.add(administrator.events());
    return History.of(processes);
  }

  void complain(String complaint) {
    complaints.add(complaint);
  }

  void replaceNode() {
    if (!weather.isFair()) {
      startNode(newChance());
    }
  }

  private void startNode(Chance chance) {
    Node node = new Node(this, "process-" + nodes.size());
    nodes.add(node);
    int workers = chance.between(0, 2);
    for (String name : queues) {
      node.withQueue(
          name,
          queue -> {
            new User(this, node, queue).start();
            for (int i = 0; i < workers; i++) {
              new SimulatedWorkers(this, node).start(queue);
            }
          });
    }
  }

  /**
   * Ends all faults; from now on, handlers succeed. By chance, all existing processes, a single
   * running process or no process survives. A new process starts workers for each queue, except for
   * queues on which the single survivor still has a worker.
   */
  private void clearWeather(Chance chance) {
    weather.clear();
    if (parameters.limited() && parameters.rollbacks() > 0) {
      // A roll-back may have lost the limits of some partitions.
      queues.forEach(administrator::limit);
    }
    List<Node> kept = survivors(chance);
    for (Node node : nodes) {
      node.process().thaw();
      node.transport().connect();
      if (!kept.contains(node)) {
        node.kill();
      }
    }
    Node last = new Node(this, "process-" + nodes.size());
    nodes.add(last);
    for (String name : queues) {
      administrator.pause(name, false);
      boolean worked = kept.size() == 1 && kept.get(0).worksOn(name);
      last.withQueue(
          name,
          queue -> {
            User user = new User(this, last, queue);
            lastUsers.add(user);
            user.start();
            if (!worked) {
              new SimulatedWorkers(this, last).startReliable(queue);
            }
          });
    }
  }

  private List<Node> survivors(Chance chance) {
    List<Node> running = running();
    return switch (chance.between(0, 2)) {
      case 0 -> List.of();
      case 1 -> List.copyOf(nodes);
      default -> running.isEmpty() ? List.of() : List.of(chance.of(running));
    };
  }

  private void drain() {
    scheduler.run(SETTLING);
    watch(FAIR_WORK);
    quietSince = engine.clock().instant();
    watch(nanosOfWaiting() + SETTLING);
    for (int i = 0; parameters.limited() && i < LIMITED_SECONDS && areMessagesWaiting(); i++) {
      watch(Chance.SECOND);
    }
    if (parameters.hasOnlyHints()) {
      raceWithHints();
    }
    for (PartitionId partition : partitions()) {
      for (Entry entry : waiting(partition)) {
        complaints.add("never settled: " + entry.id() + " in " + partition + ": " + entry);
      }
    }
  }

  /**
   * Schedules pairs of messages while nothing else happens. A message whose hint is ignored then
   * remains unclaimed, and {@link #watch} complains.
   */
  private void raceWithHints() {
    for (int i = 0; i < RACES; i++) {
      lastUsers.forEach(User::scheduleTwo);
      watch(Chance.SECOND);
    }
  }

  /**
   * Runs for {@code nanos} and checks that claimable messages are claimed soon. In a limited queue,
   * the time counts from the last claim, because a claim can make the next message claimable.
   */
  private void watch(long nanos) {
    for (long left = nanos; left > 0; left -= STEP) {
      scheduler.run(STEP);
      for (PartitionId partition : partitions()) {
        watch(partition);
      }
    }
  }

  private void watch(PartitionId partition) {
    if (!engine.isClaimable(partition)) {
      claimableSince.remove(partition);
      return;
    }
    long now = scheduler.nanoTime();
    long since =
        Math.max(
            claimableSince.computeIfAbsent(partition, key -> now), limits.lastClaim(partition));
    long patience = parameters.hasOnlyHints() ? Chance.SECOND / 2 : 2 * Chance.SECOND;
    if (now - since > patience) {
      complaints.add(
          "a ready message in " + partition + " was not claimed for " + patience + " ns");
      claimableSince.put(partition, Long.MAX_VALUE);
    }
  }

  private List<PartitionId> partitions() {
    return queues.stream().flatMap(queue -> engine.partitions(queue).stream()).toList();
  }

  private boolean areMessagesWaiting() {
    return partitions().stream().anyMatch(partition -> !waiting(partition).isEmpty());
  }

  private List<Entry> waiting(PartitionId partition) {
    List<Entry> entries = new ArrayList<>(administrator.entries(partition, State.SCHEDULED));
    entries.addAll(administrator.entries(partition, State.READY));
    entries.addAll(administrator.entries(partition, State.LEASED));
    return entries;
  }

  private long nanosOfWaiting() {
    long now = engine.clock().instant().toEpochMilli();
    long last = now;
    for (PartitionId partition : partitions()) {
      for (Entry entry : waiting(partition)) {
        last = Math.max(last, Math.max(entry.dueMillis(), entry.leasedUntilMillis()));
      }
    }
    return (last - now) * Chance.MILLI;
  }

  private void closeAll() {
    List<Node> closing = running();
    closing.forEach(node -> node.close(GRACE));
    scheduler.run(40 * Chance.SECOND);
    for (Node node : nodes) {
      if (!node.process().isDead() && !node.isClosed()) {
        complaints.add("never closed: " + node);
      } else if (!node.process().isDead() && node.unanswered() > 0) {
        complaints.add(node.unanswered() + " calls of " + node + " were never answered");
      }
    }
  }
}
