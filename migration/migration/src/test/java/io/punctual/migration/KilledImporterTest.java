package io.punctual.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.RoleProcess;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.sql.OldSqlQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests importers that follow an old queue and are killed at random, while a producer and a
 * consumer use the old queue. Checks that each entry is received once, by the old consumer or by
 * Punctual, and not before it is due. The system property {@code punctual.kills} is the number of
 * kills for each layout, {@code punctual.seed} repeats their times, {@code punctual.layouts}
 * selects layouts, and {@code punctual.entries} is the number of entries before the first kill.
 */
@Tag("extended")
final class KilledImporterTest {
  private static final int ENTRIES = Integer.getInteger("punctual.entries", 150);
  private static final int KILLS = 3;

  /**
   * With at least this many kills, some of the kills must leave entries between the old queue and
   * the new queue.
   */
  private static final int MANY = 20;

  private static final int LONGEST_LIFE_MILLIS = 600;

  /** The pause of the producer between two entries. The consumer is slower. */
  private static final int PRODUCER_MILLIS = 20;

  private static final int CONSUMER_MILLIS = 50;
  private static final int LATEST_DUE_MILLIS = 4000;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  private static final String OLD = "the old consumer";
  private static final String NEW = "the worker";

  @TempDir private Path folder;

  private KillPlan plan;
  private final Map<String, Long> dues = new ConcurrentHashMap<>();
  private final Map<String, List<String>> received = new ConcurrentHashMap<>();
  private final Map<String, Long> receivedAt = new ConcurrentHashMap<>();
  private final AtomicInteger postponed = new AtomicInteger();
  private final Set<String> removed = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @ValueSource(
      strings = {"JOBS", "WAIT_AND_ACTIVE", "DELAY_TABLE", "RQUEUE", "DB_SCHEDULER", "QUARTZ"})
  void run_killedAtRandom_deliversEachEntryOnceAndNotEarly(String layout) throws Exception {
    org.junit.jupiter.api.Assumptions.assumeTrue(
        System.getProperty("punctual.layouts", layout).contains(layout));
    plan = KillPlan.ofKills(layout, KILLS);
    try (RedisProcess redis = RedisProcess.start();
        KillRun run = new KillRun(folder, redis.url() + "?connectTimeout=60s", plan.seed());
        OldQueue old =
            layout.equals("DB_SCHEDULER") || layout.equals("QUARTZ")
                ? OldSqlQueue.of(layout, folder)
                : OldRedisQueue.of(layout, redis);
        Punctual punctual = Punctual.open(redis.url())) {
      fill(old);
      TimedQueue<byte[]> queue = punctual.queue("orders", Codec.bytes());
      Worker worker = queue.work(delivery -> receive(NEW, delivery.id()));
      Repeated taker =
          Repeated.start(CONSUMER_MILLIS, () -> old.take().forEach(id -> receive(OLD, id)));
      Repeated producer =
          Repeated.start(
              PRODUCER_MILLIS,
              () -> {
                add(old, dueSoon());
                change(old);
              });
      Hits hits = new Hits();
      for (int i = 0; i < plan.kills(); i++) {
        RoleProcess importer = run.start(new ImportRole(layout, old.url(), true)).awaitReady();
        run.killAfter(Duration.ofMillis(plan.below(LONGEST_LIFE_MILLIS)), importer);
        hits.note(old.staged() > 0, old.marked() > 0);
      }
      producer.end();
      complete(run, layout, old);
      await();
      taker.end();
      worker.close();

      List<String> lost = missing();
      List<String> early =
          receivedAt.keySet().stream()
              .filter(id -> receivedAt.get(id) < dues.getOrDefault(id, Long.MAX_VALUE))
              .toList();
      List<String> removedAndReceived = removed.stream().filter(received::containsKey).toList();
      List<String> twice =
          received.keySet().stream().filter(id -> received.get(id).size() > 1).toList();
      System.out.printf(
          "%s: %d kills, %s; %d entries, %d to the old consumer, %d to the worker, %d lost,"
              + " %d twice, %d early; %d postponed, %d removed, %d of these received; seed %d%n",
          layout,
          plan.kills(),
          hits,
          dues.size(),
          count(OLD),
          count(NEW),
          lost.size(),
          twice.size(),
          early.size(),
          postponed.get(),
          removed.size(),
          removedAndReceived.size(),
          plan.seed());
      assertThat(lost).as(message(layout)).isEmpty();
      assertThat(twice).as(message(layout)).isEmpty();
      assertThat(early).as(message(layout)).isEmpty();
      assertThat(removedAndReceived).as(message(layout)).isEmpty();
      assertThat(received.size() + removed.size()).as(message(layout)).isEqualTo(dues.size());
      assertThat(queue.counts().scheduled() + queue.counts().ready()).isZero();
      assertThat(old.size()).isZero();
      assertThat(count(OLD)).as(message(layout)).isPositive();
      assertThat(count(NEW)).as(message(layout)).isPositive();
      if (plan.kills() >= MANY) {
        assertThat(hits.staged).as("kills that left staged entries, %s", layout).isPositive();
        assertThat(hits.marked).as("kills that left marked entries, %s", layout).isPositive();
      }
    }
  }

  /** The kills that left entries between the old queue and the new queue. */
  private static final class Hits {
    private int staged;
    private int marked;
    private int either;

    void note(boolean isStaged, boolean isMarked) {
      staged += isStaged ? 1 : 0;
      marked += isMarked ? 1 : 0;
      either += isStaged || isMarked ? 1 : 0;
    }

    @Override
    public String toString() {
      return either + " left entries: " + staged + " staged, " + marked + " marked";
    }
  }

  private long count(String side) {
    return received.values().stream().filter(sides -> sides.contains(side)).count();
  }

  private String message(String layout) {
    return layout + ", -Dpunctual.seed=" + plan.seed();
  }

  /** Adds entries. A third of them is due, and the others become due while the importers run. */
  private void fill(OldQueue old) throws Exception {
    long now = System.currentTimeMillis();
    Random random = new Random(plan.seed());
    for (int i = 0; i < ENTRIES; i++) {
      add(old, i % 3 == 0 ? now - 5000 : now + 1000 + random.nextInt(1000 * (plan.kills() + 2)));
    }
  }

  private static long dueSoon() {
    return System.currentTimeMillis()
        + ThreadLocalRandom.current().nextLong(1000, LATEST_DUE_MILLIS);
  }

  private void add(OldQueue old, long due) throws Exception {
    String id = "order-" + dues.size();
    dues.put(id, due);
    old.add(id, due);
  }

  /**
   * Changes every tenth entry soon after it was added, and removes every fortieth. An accepted
   * change must be obeyed, whoever has the entry.
   */
  private void change(OldQueue old) throws Exception {
    int count = dues.size();
    String id = "order-" + (count - 6);
    if (count % 40 == 3) {
      if (old.remove(id)) {
        removed.add(id);
      }
    } else if (count % 10 == 9) {
      long later = dues.get(id) + LATEST_DUE_MILLIS;
      if (old.postpone(id, later)) {
        dues.put(id, later);
        postponed.incrementAndGet();
      }
    }
  }

  private void receive(String side, String id) {
    receivedAt.putIfAbsent(id, System.currentTimeMillis());
    received.computeIfAbsent(id, key -> new CopyOnWriteArrayList<>()).add(side);
  }

  /** A step that a thread repeats with pauses, until the test ends it. */
  private static final class Repeated {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean ending;

    /** A step, which may fail. */
    interface Step {
      void run() throws Exception;
    }

    static Repeated start(int pauseMillis, Step step) {
      Repeated repeated = new Repeated();
      new Thread(
              () -> {
                try {
                  while (!repeated.ending) {
                    step.run();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
                  }
                  repeated.ended.complete(null);
                } catch (Throwable e) {
                  repeated.ended.completeExceptionally(e);
                }
              })
          .start();
      return repeated;
    }

    /** Ends the thread. Fails if a step failed. */
    void end() {
      ending = true;
      ended.join();
    }
  }

  /** Runs importers until the old queue is empty. */
  private static void complete(KillRun run, String layout, OldQueue old) throws Exception {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (old.size() > 0 && System.nanoTime() < deadline) {
      run.start(new ImportRole(layout, old.url(), false)).awaitEnd();
    }
  }

  private void await() {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (received.size() + removed.size() < dues.size() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private List<String> missing() {
    return dues.keySet().stream()
        .filter(id -> !received.containsKey(id) && !removed.contains(id))
        .toList();
  }
}
