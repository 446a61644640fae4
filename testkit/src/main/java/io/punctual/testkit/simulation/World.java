package io.punctual.testkit.simulation;

import io.punctual.State;
import io.punctual.spi.Entry;
import io.punctual.testkit.history.History;
import io.punctual.testkit.history.HistoryEvent;
import io.punctual.testkit.simulation.Engine.LaneId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A run: an engine, processes with clients, and trouble for a while; then fair weather, in which
 * everything must come to its end. Not thread-safe.
 */
final class World {
  private static final long STEP = 50 * Chance.MILLI;
  private static final long FAIR_WORK = 2 * Chance.SECOND;
  private static final long SETTLING = 3 * Chance.SECOND;
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final SplittableRandom seeds;
  private final Mix mix;
  private final Scheduler scheduler;
  private final Weather weather = new Weather();
  private final List<String> complaints = new ArrayList<>();
  private final ProtocolJudge judge = new ProtocolJudge(complaints);
  private final Engine engine;
  private final Administrator administrator;
  private final List<String> queues = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final Map<LaneId, Long> claimableSince = new HashMap<>();
  private boolean quiet;

  World(SplittableRandom seeds, Mix mix) {
    this.seeds = seeds;
    this.mix = mix;
    scheduler = new Scheduler(seeds.split());
    engine = new Engine(new EngineClock(scheduler), mix, judge);
    administrator = new Administrator(this);
    for (int i = 0; i < mix.queues(); i++) {
      queues.add("queue-" + i);
    }
  }

  Chance newChance() {
    return new Chance(seeds.split());
  }

  Mix mix() {
    return mix;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Weather weather() {
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

  /** Returns whether users have nothing more to ask. */
  boolean isQuiet() {
    return quiet;
  }

  List<Node> running() {
    return nodes.stream().filter(Node::isRunning).toList();
  }

  /** Runs it to its end; returns what is to complain about, history aside. */
  List<String> run() {
    Chance chance = newChance();
    for (int i = 0; i < mix.clients(); i++) {
      startNode(chance);
    }
    new Troublemaker(this).start();
    scheduler.run(mix.seconds() * Chance.SECOND);
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
              new Handling(this, node).start(queue);
            }
          });
    }
  }

  /** From here on one process, perhaps the only one left, handles everything at once. */
  private void clearWeather(Chance chance) {
    weather.clear();
    boolean alone = chance.of(0.5);
    for (Node node : nodes) {
      node.process().thaw();
      node.transport().connect();
      if (alone) {
        node.kill();
      }
    }
    Node last = new Node(this, "process-" + nodes.size());
    nodes.add(last);
    for (String name : queues) {
      administrator.pause(name, false);
      last.withQueue(
          name,
          queue -> {
            new User(this, last, queue).start();
            last.workers().add(new Handling(this, last).startReliable(queue));
          });
    }
  }

  private void drain() {
    scheduler.run(SETTLING);
    watch(FAIR_WORK);
    quiet = true;
    watch(nanosOfWaiting() + SETTLING);
    for (LaneId lane : lanes()) {
      for (Entry entry : waiting(lane)) {
        complaints.add("never came to its end: " + entry.id() + " in " + lane + ": " + entry);
      }
    }
  }

  /** Runs for a time and sees to it that what can be claimed is claimed soon. */
  private void watch(long nanos) {
    for (long left = nanos; left > 0; left -= STEP) {
      scheduler.run(STEP);
      for (LaneId lane : lanes()) {
        watch(lane);
      }
    }
  }

  private void watch(LaneId lane) {
    if (!engine.isClaimable(lane)) {
      claimableSince.remove(lane);
      return;
    }
    long now = scheduler.nanoTime();
    long since = claimableSince.computeIfAbsent(lane, key -> now);
    long patience = mix.hasOnlyHints() ? Chance.SECOND / 2 : 2 * Chance.SECOND;
    if (now - since > patience) {
      complaints.add("nobody claims from " + lane + " what could be claimed for " + patience);
      claimableSince.put(lane, Long.MAX_VALUE);
    }
  }

  private List<LaneId> lanes() {
    return queues.stream().flatMap(queue -> engine.lanes(queue).stream()).toList();
  }

  private List<Entry> waiting(LaneId lane) {
    List<Entry> entries = new ArrayList<>(administrator.entries(lane, State.SCHEDULED));
    entries.addAll(administrator.entries(lane, State.READY));
    entries.addAll(administrator.entries(lane, State.LEASED));
    return entries;
  }

  private long nanosOfWaiting() {
    long now = engine.clock().instant().toEpochMilli();
    long last = now;
    for (LaneId lane : lanes()) {
      for (Entry entry : waiting(lane)) {
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
