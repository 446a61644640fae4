package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportProblem;
import io.punctual.migration.ImportReport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Disturbs imports of sorted sets: by a second importer, an interrupt, and changes of messages. */
final class ZsetImportFaultsTest {
  private static final String OWNER = "punctual_zset_import_owner:{delay}";
  private static final String MARKED = "punctual_zset_import_marked:{delay}";

  private static RedisProcess redis;

  private final long due = Instant.now().plus(Duration.ofHours(1)).toEpochMilli();
  private Punctual punctual;
  private TimedQueue<String> queue;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    Object unused = redis.ask("FLUSHALL");
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.string());
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  private ZsetImport<String> from(String key) {
    return from(key, queue);
  }

  private ZsetImport<String> from(String key, TimedQueue<String> target) {
    return ZsetImport.from(redis.url(), key, ScoreUnit.MILLISECONDS)
        .to(target, bytes -> new String(bytes, UTF_8));
  }

  private void ask(String... command) {
    Object unused = redis.ask(command);
  }

  /** Returns a queue that runs the action before the first call of the method with this name. */
  private TimedQueue<String> before(String name, Runnable action) {
    TimedQueue<String> plain = queue;
    AtomicBoolean done = new AtomicBoolean();
    @SuppressWarnings("unchecked")
    TimedQueue<String> wrapped =
        (TimedQueue<String>)
            Proxy.newProxyInstance(
                TimedQueue.class.getClassLoader(),
                new Class<?>[] {TimedQueue.class},
                (proxy, method, args) -> {
                  if (method.getName().equals(name) && done.compareAndSet(false, true)) {
                    action.run();
                  }
                  return method.invoke(plain, args);
                });
    return wrapped;
  }

  @Test
  void run_followedWithoutEntries_renewsItsLease() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    ZsetImport<String> running = from("delay").follow(true).progress(report -> started.countDown());
    CompletableFuture<ImportReport> report = CompletableFuture.supplyAsync(running::run);
    started.await();

    ask("DEL", OWNER);
    await().until(() -> redis.ask("EXISTS", OWNER).equals(1L));

    running.stop();
    assertThat(report.join().found()).isZero();
  }

  @Test
  void run_followedAndInterrupted_ends() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    FutureTask<ImportReport> running =
        new FutureTask<>(
            () -> from("delay").follow(true).progress(counts -> started.countDown()).run());
    Thread thread = new Thread(running, "importer");
    thread.setDaemon(true);
    thread.start();
    started.await();

    thread.interrupt();

    assertThat(running.get(60, TimeUnit.SECONDS).complete()).isFalse();
  }

  @Test
  void run_interruptedWhileItWaitsForTheStore_throwsAndIsContinuedLater() {
    ask("ZADD", "delay", Long.toString(due), "a");
    try (RedisProcess store = RedisProcess.start();
        Punctual remote = Punctual.open(store.url())) {
      TimedQueue<String> target = remote.queue("orders", Codec.string());
      assertThat(target.counts().scheduled()).isZero();
      AtomicBoolean first = new AtomicBoolean(true);
      ZsetImport<String> interrupted =
          ZsetImport.from(redis.url(), "delay", ScoreUnit.MILLISECONDS)
              .to(
                  target,
                  bytes -> {
                    if (first.compareAndSet(true, false)) {
                      store.freeze();
                      Thread.currentThread().interrupt();
                    }
                    return "a";
                  });

      Throwable thrown = catchThrowable(interrupted::run);
      boolean wasInterrupted = Thread.interrupted();
      store.thaw();

      assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
      assertThat(wasInterrupted).isTrue();
      assertThat(from("delay", target).run().scheduled()).isEqualTo(1);
    }
  }

  @Test
  void run_frozenWhileASecondRunImportsItsEntry_deliversTheEntryOnce() {
    ask("ZADD", "delay", Long.toString(Instant.now().minusSeconds(60).toEpochMilli()), "a");
    List<Message<String>> taken = new ArrayList<>();
    TimedQueue<String> frozen =
        before(
            "scheduleAll",
            () -> {
              ask("DEL", OWNER);
              assertThat(from("delay").run().scheduled()).isEqualTo(1);
              taken.addAll(queue.take(10, Duration.ZERO));
            });

    ImportReport report = from("delay", frozen).run();

    assertThat(taken).hasSize(1);
    assertThat(queue.take(10, Duration.ZERO)).isEmpty();
    assertThat(queue.counts().scheduled()).isZero();
    assertThat(report.details()).containsEntry("gone", 1L);
  }

  @Test
  void run_frozenWhileASecondRunTakesOver_leavesNoHeldMessage() throws Exception {
    ask("ZADD", "delay", Long.toString(Instant.now().minusSeconds(60).toEpochMilli()), "a");
    ZsetImport<String> second = from("delay").follow(true);
    FutureTask<ImportReport> running = new FutureTask<>(second::run);
    TimedQueue<String> frozen =
        before(
            "scheduleAll",
            () -> {
              ask("DEL", OWNER);
              Thread thread = new Thread(running, "second");
              thread.setDaemon(true);
              thread.start();
              await().until(() -> !queue.take(1, Duration.ZERO).isEmpty());
              await().until(() -> redis.ask("EXISTS", MARKED).equals(0L));
            });

    assertThatThrownBy(() -> from("delay", frozen).run())
        .hasMessageContaining("one importer at a time");

    assertThat(queue.counts().scheduled()).isZero();
    second.stop();
    assertThat(running.get(60, TimeUnit.SECONDS).scheduled()).isEqualTo(1);
  }

  @Test
  void run_messageOfTheQueueThatCannotBeRead_leavesItsEntryAndImportsTheOthers() {
    TimedQueue<byte[]> raw = punctual.queue("orders", Codec.bytes());
    raw.schedule(Message.of(new byte[] {(byte) 0xFF}).id("a").dueAt(Instant.ofEpochMilli(due)));
    ask("ZADD", "delay", Long.toString(due), "a", Long.toString(due), "b");

    ImportReport report = from("delay").id(IdSource.member()).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.problems())
        .containsExactly(new ImportProblem("a", "The queue has a different message with this id"));
  }

  @Test
  void run_patienceWithoutEnd_outlivesAFailure() {
    ask("ZADD", "delay", Long.toString(due), "a");
    TimedQueue<String> away =
        before(
            "scheduleAll",
            () -> {
              throw new StoreUnavailableException("The store is away", null);
            });

    ImportReport report = from("delay", away).patience(ChronoUnit.FOREVER.getDuration()).run();

    assertThat(report.scheduled()).isEqualTo(1);
  }

  @Test
  void run_messageCancelledBeforeItsRelease_isCounted() {
    ask("ZADD", "delay", Long.toString(due), "a");
    TimedQueue<String> cancelling =
        before("async", () -> assertThat(queue.cancel("a")).isEqualTo(CancelOutcome.CANCELLED));

    ImportReport report = from("delay", cancelling).id(IdSource.member()).run();

    assertThat(report.scheduled()).isZero();
    assertThat(report.details()).containsEntry("cancelled", 1L);
    assertThat(redis.ask("KEYS", "*")).isEqualTo(List.of());
  }

  @Test
  void run_entryThatStaysInTheStaging_isLogged() {
    queue.schedule(Message.of("other").id("a").dueAt(Instant.ofEpochMilli(due)));
    ask("ZADD", "delay", Long.toString(due), "a", Long.toString(due - 1), "returned");
    ZsetImport<String> importer =
        ZsetImport.from(redis.url(), "delay", ScoreUnit.MILLISECONDS)
            .to(queue, bytes -> bytes.length > 1 ? "x".repeat(2 << 20) : "a")
            .id(IdSource.member());

    PrintStream before = System.err;
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    System.setErr(new PrintStream(logged, true, UTF_8));
    try {
      assertThat(importer.run().details()).containsEntry("staged", 1L);
    } finally {
      System.setErr(before);
    }
    assertThat(logged.toString(UTF_8)).contains("1 entries stay in the staging", "'a'");
  }
}
