package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports queues that Rqueue itself has written. */
final class RqueueImportTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static RedisProcess redis;

  private Punctual punctual;
  private TimedQueue<String> queue;

  /** A payload of the application. */
  public static final class Order {
    private String id = "";

    /** Called by Jackson. */
    public Order() {}

    Order(String id) {
      this.id = id;
    }

    public String getId() {
      return id;
    }

    public void setId(String id) {
      this.id = id;
    }
  }

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

  private RqueueImport<String> from(int version) {
    return RqueueImport.from(redis.url(), "orders")
        .to(queue, bytes -> new String(bytes, UTF_8))
        .dataVersion(version);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void run_messagesOfRqueue_importsDueAndScheduledOnes(int version) {
    try (RqueueApplication rqueue = new RqueueApplication(redis.port(), "orders", version)) {
      rqueue.producer().enqueueIn("orders", "later", new Order("later"), HOUR.toMillis());
      rqueue.producer().enqueue("orders", "now", new Order("now"));
      long due = rqueue.processAt("later");

      ImportReport report = from(version).run();

      assertThat(report.isClean()).isTrue();
      assertThat(report.scheduled()).isEqualTo(2);
      assertThat(queue.find("later").orElseThrow().payload()).isEqualTo("{\"id\":\"later\"}");
      assertThat(queue.find("later").orElseThrow().dueAt()).isEqualTo(Instant.ofEpochMilli(due));
      assertThat(queue.claim(10, Duration.ZERO).stream().map(Delivery::id)).containsExactly("now");
      assertThat(rqueue.all()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void run_deletedPeriodicAndTakenMessages_stayInRqueue(int version) {
    try (RqueueApplication rqueue = new RqueueApplication(redis.port(), "orders", version)) {
      rqueue.producer().enqueue("orders", "taken", new Order("taken"));
      assertThat(rqueue.take(1, HOUR)).hasSize(1);
      rqueue.producer().enqueueIn("orders", "deleted", new Order("deleted"), HOUR.toMillis());
      rqueue.producer().enqueue("orders", "deleted-now", new Order("deleted"));
      rqueue.producer().enqueuePeriodic("orders", "periodic", new Order("p"), HOUR.toMillis());
      rqueue.producer().enqueueIn("orders", "kept", new Order("kept"), HOUR.toMillis());
      rqueue.delete("deleted");
      rqueue.delete("deleted-now");

      ImportReport dry = from(version).dryRun();
      ImportReport report = from(version).run();

      assertThat(dry.found()).isEqualTo(1);
      assertThat(dry.details())
          .containsEntry("deleted", 2L)
          .containsEntry("periodic", 1L)
          .containsEntry("running", 1L);
      assertThat(report.scheduled()).isEqualTo(1);
      assertThat(report.left()).isZero();
      assertThat(queue.find("kept")).isPresent();
      assertThat(rqueue.all()).hasSize(4);
    }
  }

  @Test
  void run_withoutVersion_readsTheVersionOfRqueue() {
    Object unused = redis.ask("SET", "__rq::version", "2");
    try (RqueueApplication rqueue = new RqueueApplication(redis.port(), "orders", 2)) {
      rqueue.producer().enqueueIn("orders", "a", "text", HOUR.toMillis());

      ImportReport report =
          RqueueImport.from(redis.url(), "orders")
              .to(queue, bytes -> new String(bytes, UTF_8))
              .unwrap(false)
              .run();

      assertThat(report.scheduled()).isEqualTo(1);
      assertThat(queue.find("a").orElseThrow().payload()).contains("java.lang.String");
    }
  }

  @Test
  void run_withoutVersionAnywhere_saysSo() {
    assertThatThrownBy(() -> RqueueImport.from(redis.url(), "x").to(queue, String::new).run())
        .hasMessageContaining("__rq::version");
  }

  @Test
  void run_deletedWhileStaged_isNotScheduled() {
    try (RqueueApplication rqueue = new RqueueApplication(redis.port(), "orders", 2)) {
      rqueue.producer().enqueueIn("orders", "a", new Order("a"), HOUR.toMillis());
      punctual.close();
      assertThatThrownBy(() -> from(2).patience(Duration.ZERO).run());
      assertThat(rqueue.all()).isEmpty();
      rqueue.delete("a");

      punctual = Punctual.open("memory:");
      queue = punctual.queue("orders", Codec.string());
      ImportReport report = from(2).run();

      assertThat(report.scheduled()).isZero();
      assertThat(report.problems().get(0).reason()).contains("deleted");
      assertThat(report.details()).doesNotContainKey("staged");
      assertThat(rqueue.all()).hasSize(1);
    }
  }

  @Test
  void run_elementThatRqueueDidNotWrite_staysAndIsReported() {
    Object unused = redis.ask("RPUSH", "orders", "{\"id\":\"a\"}", "no json");

    ImportReport report = from(1).run();

    assertThat(report.left()).isEqualTo(2);
    assertThat(redis.ask("LLEN", "orders")).isEqualTo(2L);
    assertThat(List.of(report.problems().get(0).reason())).contains("It is no message of Rqueue");
  }
}
