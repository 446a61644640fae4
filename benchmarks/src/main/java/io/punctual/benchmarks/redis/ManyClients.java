package io.punctual.benchmarks.redis;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Many clients with workers on queues of their own: what they cost the servers while no message is
 * due, and how long they take to go on after a fail-over. Thread-safe.
 */
final class ManyClients implements AutoCloseable {
  private static final int PROCESSES = 4;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final List<String> JVM = List.of("-Xmx2g", "-XX:+UseSerialGC");

  /** By then, each client has announced its workers twice, and knows how many clients there are. */
  private static final Duration SETTLE = Duration.ofSeconds(25);

  private static final Duration LEAD = Duration.ofSeconds(10);

  private final int clients;
  private final List<Child> children = new ArrayList<>();
  private final Set<String> delivered = new HashSet<>();

  private ManyClients(String url, int clients, int queues) throws IOException {
    this.clients = clients;
    int each = Math.max(1, clients / PROCESSES);
    for (int first = 0; first < clients; first += each) {
      children.add(
          Child.start(
              ClientsChild.class,
              JVM,
              url,
              Integer.toString(first),
              Integer.toString(Math.min(each, clients - first)),
              Integer.toString(queues)));
    }
    for (Child child : children) {
      String ready = child.expect();
      if (!ready.equals(ClientsChild.READY)) {
        throw new IllegalStateException("A process said " + ready);
      }
      Thread reader = new Thread(() -> read(child), "deliveries");
      reader.setDaemon(true);
      reader.start();
    }
  }

  private void read(Child child) {
    for (String line = child.answer(); line != null; line = child.answer()) {
      delivered(line);
    }
  }

  private synchronized void delivered(String queue) {
    delivered.add(queue);
    notifyAll();
  }

  /** Measures the servers while no message is due. */
  static TrialOutcome atRest(Servers.Kind kind, int clients, int queues, int seconds)
      throws Exception {
    try (Servers servers = kind.start();
        ManyClients unused = new ManyClients(servers.url(), clients, queues)) {
      Thread.sleep(SETTLE.plusSeconds(clients / 20).toMillis());
      CommandStats stats = servers.stats();
      stats.reset();
      double before = servers.cpuSeconds();
      long start = System.nanoTime();
      Thread.sleep(seconds * 1000L);
      double passed = (System.nanoTime() - start) / 1e9;
      double others = stats.calls("ping", "subscribe", "ssubscribe");
      double cpu = servers.cpuSeconds() - before;
      return TrialOutcome.of(
          Sample.cost("processor time of the servers", "% of a core", 100 * cpu / passed),
          Sample.cost("scripts", "calls/s", stats.scripts() / passed),
          Sample.cost("other calls of clients", "calls/s", others / passed));
    }
  }

  /** Restarts a server that keeps its data, and measures until each client has a message. */
  static TrialOutcome restart(int clients) throws Exception {
    try (RedisProcess redis = RedisProcess.builder().installed().appendOnly("everysec").start();
        ManyClients waiting = new ManyClients(redis.url(), clients, 1)) {
      Instant due = waiting.schedule(redis.url());
      redis.stop();
      redis.restart();
      return waiting.recovery(due);
    }
  }

  /** Kills a primary, and measures until each client has a message. */
  static TrialOutcome failOver(int clients) throws Exception {
    try (RedisCluster cluster = RedisCluster.start(3, 1, RedisProcess.builder().installed());
        ManyClients waiting = new ManyClients(cluster.url(), clients, 1)) {
      Instant due = waiting.schedule(cluster.url());
      RedisProcess killed = cluster.primaryOf("any");
      killed.kill();
      RedisProcess unused = cluster.awaitPrimaryOtherThan(killed, "any");
      return waiting.recovery(due);
    }
  }

  private Instant schedule(String url) {
    Instant due = Instant.now().plus(LEAD);
    try (Punctual punctual = Punctual.open(url)) {
      List<CompletionStage<?>> scheduled = new ArrayList<>();
      for (int client = 0; client < clients; client++) {
        scheduled.add(
            punctual
                .queue(ClientsChild.queue(client, 0), Codec.string())
                .async()
                .schedule(Message.of("go on").dueAt(due)));
      }
      scheduled.forEach(each -> each.toCompletableFuture().join());
    }
    if (!Instant.now().isBefore(due)) {
      throw new IllegalStateException("The messages were due before all were scheduled");
    }
    return due;
  }

  /** Measures from the moment when the messages are due, and the servers answer. */
  private TrialOutcome recovery(Instant due) throws InterruptedException {
    Thread.sleep(Math.max(0, Duration.between(Instant.now(), due).toMillis()));
    long up = System.nanoTime();
    awaitDelivered((int) Math.ceil(clients * 0.99));
    double most = (System.nanoTime() - up) / 1e6;
    awaitDelivered(clients);
    double all = (System.nanoTime() - up) / 1e6;
    return TrialOutcome.of(
        Sample.cost("99 % of the clients have their message after", "ms", most),
        Sample.cost("all clients", "ms", all));
  }

  private synchronized void awaitDelivered(int count) throws InterruptedException {
    long start = System.nanoTime();
    while (delivered.size() < count) {
      long left = PATIENCE_NANOS - (System.nanoTime() - start);
      if (left <= 0) {
        throw new IllegalStateException(
            delivered.size() + " of " + count + " clients had their message in time");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  @Override
  public void close() {
    children.forEach(Child::kill);
  }
}
