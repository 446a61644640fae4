package io.punctual.benchmarks.redis;

import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The costs of Punctual for a Redis server. Each trial starts its own servers. */
public final class RedisSubject implements Subject {
  private final Effort effort;
  private final List<Trial> trials = new ArrayList<>();
  private final String version;
  private final List<String> advice;

  /** Creates the subject for {@code effort}. */
  public RedisSubject(Effort effort) {
    this.effort = effort;
    try (RedisProcess redis = RedisServer.start()) {
      version = RedisServer.describe(redis);
      advice = RedisServer.advice(redis);
    }
    addMessageCosts();
    addWaitingCosts();
    addTenants();
    addManyClients();
    addServerTime();
  }

  private void addMessageCosts() {
    int rounds = effort.choose(2, 15);
    for (int pending : effort.choose(new int[] {10_000}, new int[] {10_000, 1_000_000})) {
      int seconds = 5 + rounds + pending / 20_000;
      String workload = "server time of a message, pending";
      add(workload, pending, "Punctual", seconds, () -> MessageCosts.ofScripts(pending, rounds));
      add(
          workload,
          pending,
          "bare commands",
          seconds,
          () -> MessageCosts.ofBareCommands(pending, rounds));
    }
  }

  private void addWaitingCosts() {
    int seconds = effort.choose(3, 20);
    int workers = effort.choose(3, 20);
    int kills = effort.choose(1, 5);
    add(
        "idle workers, 10 messages a second",
        workers,
        "Punctual",
        seconds + 15 + 2 * kills,
        () -> WaitingCosts.idleWorkers(workers, seconds, kills));
    for (int clients : effort.choose(new int[] {0, 10}, new int[] {0, 100, 300, 1000})) {
      add(
          "hint of a schedule, waiting clients",
          clients,
          "Punctual",
          5 + clients / 50,
          () -> WaitingCosts.hints(clients));
    }
    int queues = effort.choose(10, 100);
    int processes = effort.choose(2, 5);
    add(
        String.format(Locale.ROOT, "queues without traffic, %d processes", processes),
        queues,
        "Punctual",
        seconds + 8,
        () -> WaitingCosts.idleQueues(queues, processes, seconds));
  }

  private void addTenants() {
    int queues = effort.choose(50, 1000);
    int seconds = effort.choose(3, 20);
    add(
        "queues on one pool of workers, idle",
        queues,
        "Punctual",
        seconds + 15,
        () -> WaitingCosts.tenants(queues, seconds));
  }

  private void addManyClients() {
    int clients = effort.choose(20, 1000);
    int queues = effort.choose(2, 10);
    int seconds = effort.choose(3, 60);
    int wait = 60 + clients / 5;
    String workload = String.format(Locale.ROOT, "clients at rest, %d queues each", queues);
    for (Servers.Kind kind : List.of(Servers.Kind.SINGLE, Servers.Kind.CLUSTER_OF_THREE)) {
      add(
          workload,
          clients,
          kind.title(),
          seconds + wait,
          () -> ManyClients.atRest(kind, clients, queues, seconds));
    }
    add("clients go on", clients, "after a restart", wait, () -> ManyClients.restart(clients));
    add("clients go on", clients, "after a fail-over", wait, () -> ManyClients.failOver(clients));
  }

  private void addServerTime() {
    int herd = effort.choose(5_000, 200_000);
    add("all due at once", herd, "Punctual", 20 + herd / 10_000, () -> Herd.measure(herd));
    int messages = effort.choose(3_000, 100_000);
    addServers("all due at once, concurrency 64", new ServerTime(messages, 64, 0));
    if (effort == Effort.FULL) {
      addServers("all due at once, concurrency 1,024", new ServerTime(messages, 1024, 0));
      addServers("1,000 due a second", new ServerTime(messages / 5, 64, 1000));
    }
  }

  private void addServers(String workload, ServerTime work) {
    int spread = work.perSecond() == 0 ? 0 : 2 * work.messages() / work.perSecond();
    int seconds = 12 + work.messages() / 10_000 + spread;
    for (Servers.Kind kind : Servers.Kind.values()) {
      add(workload, work.messages(), kind.title(), seconds, () -> work.measure(kind));
    }
  }

  private void add(
      String workload, long size, String contender, int seconds, Trial.Measurement measurement) {
    trials.add(new Trial(workload, size, contender, Duration.ofSeconds(seconds), measurement));
  }

  @Override
  public List<Trial> trials() {
    return trials;
  }

  @Override
  public List<String> leftOut() {
    return advice;
  }

  @Override
  public List<String> versions() {
    return List.of(version, "JDK " + Runtime.version());
  }

  @Override
  public void close() {
    // Nothing remains to be closed, because each trial has its own server.
  }
}
