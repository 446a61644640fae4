package io.punctual.migration.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.RunSettings;
import io.punctual.redis.client.deployment.Deployment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Stops an import before and after each of its main calls to Redis and to the store. The tests then
 * take all due messages, and repeat or abort the import. If the import scheduled a message again, a
 * test would receive the message twice.
 */
final class ImportCrashTest {
  private static final Set<String> STEPS =
      Set.of("stage", "staged", "marked", "mark", "remove", "scheduleAll", "async", "findAll");
  private static final int ENTRIES = 9;
  private static final int BATCH = 4;

  private static RedisProcess redis;
  private static Punctual punctual;
  private static Deployment deployment;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    punctual = Punctual.open(redis.url());
    deployment = RedisStaging.open(redis.url());
  }

  @AfterAll
  static void stop() {
    deployment.close();
    punctual.close();
    redis.close();
  }

  /** Thrown to end the importer as if its process had died. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Counts the steps of a run, and ends the run at one of them. */
  private static final class Steps {
    private final int crashAt;
    private int done;

    Steps(int crashAt) {
      this.crashAt = crashAt;
    }

    <S> S around(Class<S> type, S target) {
      InvocationHandler counted =
          (proxy, method, args) -> {
            boolean counts = STEPS.contains(method.getName());
            if (counts && done++ == crashAt) {
              throw new Crash();
            }
            Object result;
            try {
              result = method.invoke(target, args);
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
            if (counts && done++ == crashAt) {
              throw new Crash();
            }
            return result;
          };
      return type.cast(
          Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, counted));
    }
  }

  @Test
  void crashAtAnyStep_andARepetitionAfterTheDeliveries_deliversEachEntryOnce() {
    int crashes = 0;
    boolean ended = false;
    for (int at = 0; !ended; at++) {
      ended = deliversOnce(at);
      crashes += ended ? 0 : 1;
    }
    assertThat(crashes).isGreaterThan(30);
  }

  @Test
  @Tag("extended")
  void abortAfterACrashAtAnyStep_leavesEachEntryOnOneSide() {
    boolean ended = false;
    for (int at = 0; !ended; at++) {
      ended = abortsCleanly(at);
    }
  }

  private boolean deliversOnce(int crashAt) {
    String name = "crash-" + crashAt;
    TimedQueue<String> queue = offered(name);
    boolean ended = run(name, queue, new Steps(crashAt));
    List<String> delivered = new ArrayList<>(takeAll(queue));
    boolean again = run(name, queue, new Steps(-1));
    delivered.addAll(takeAll(queue));

    assertThat(again).isTrue();
    assertThat(delivered).as("after a crash at step %d", crashAt).hasSize(ENTRIES + 1);
    assertThat(delivered).doesNotHaveDuplicates();
    await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
    assertThat(new RedissonLayout(redis, name).keys("punctual_import*{" + name)).isEmpty();
    return ended;
  }

  private boolean abortsCleanly(int crashAt) {
    String name = "abort-" + crashAt;
    TimedQueue<String> queue = offered(name);
    boolean ended = run(name, queue, new Steps(crashAt));
    List<String> delivered = takeAll(queue);
    RedissonImport.from(redis.url())
        .queue(name)
        .to(queue, RedissonPayloads.string())
        .lease(Duration.ofMillis(1))
        .abort();
    long released = takeAll(queue).size();
    RedissonLayout layout = new RedissonLayout(redis, name);

    assertThat(delivered.size() + released + layout.size("redisson_delay_queue_timeout"))
        .as("after a crash at step %d", crashAt)
        .isEqualTo(ENTRIES + 1);
    await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
    return ended;
  }

  private static TimedQueue<String> offered(String name) {
    RedissonLayout layout = new RedissonLayout(redis, name);
    for (int i = 0; i < ENTRIES - 1; i++) {
      layout.offer("random" + (10 + i), "payload-" + i, 1_000_000 + i);
    }
    layout.offerOld(0.25, "old", 1_000_000);
    layout.offerOrphan("orphan00", "orphan", 1_000_000);
    return punctual.queue(name, Codec.string());
  }

  /** Runs an import, and returns whether it reached its end. */
  private static boolean run(String name, TimedQueue<String> queue, Steps steps) {
    RedissonKeys keys = new RedissonKeys(name);
    ImportTally tally = new ImportTally(false);
    RunSettings settings =
        new RunSettings(false, BATCH, 10, Duration.ZERO, report -> {}, reason -> {}, () -> false);
    ImportContext context =
        new ImportContext(queue, new EntryCheck(RedissonPayloads.string()), settings, tally);
    try (RedisStaging staging =
        new RedisStaging(deployment, keys.staging(), Duration.ofMillis(1))) {
      staging.acquire(ImportTarget.of(queue, ""));
      RedissonSource source =
          new RedissonSource(
              staging, keys, Orphans.IMPORT, ReadyList.LEAVE, Duration.ZERO, context);
      @SuppressWarnings("unchecked")
      TimedQueue<String> counted = steps.around(TimedQueue.class, queue);
      return new ImportRun<>(
              steps.around(ImportSource.class, source),
              counted,
              RedissonPayloads.string(),
              settings,
              tally)
          .run();
    } catch (Crash crash) {
      return false;
    }
  }

  private static List<String> takeAll(TimedQueue<String> queue) {
    List<String> all = new ArrayList<>();
    for (List<Message<String>> some = queue.take(1000, Duration.ZERO);
        !some.isEmpty();
        some = queue.take(1000, Duration.ZERO)) {
      some.forEach(message -> all.add(message.payload()));
    }
    return all;
  }
}
