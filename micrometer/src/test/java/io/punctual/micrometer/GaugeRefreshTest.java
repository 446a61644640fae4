package io.punctual.micrometer;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.State;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the gauges of queues and of the store. */
class GaugeRefreshTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MeteredWorld world =
      new MeteredWorld(
          PunctualMeters.builder(registry)
              .queues("orders", "orders")
              .refresh(Duration.ofSeconds(10)),
          List.of());
  private final PrintStream errors = System.err;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();

  @BeforeEach
  void capture() {
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    world.queue.schedule(Message.of("first").id("first"));
    world.queue.cancel("first");
  }

  @AfterEach
  void close() {
    System.setErr(errors);
    world.close();
  }

  private double messages(String state) {
    return registry
        .get("punctual.queue.messages")
        .tags("queue", "orders", "state", state)
        .gauge()
        .value();
  }

  private double overdueSeconds() {
    return registry.get("punctual.queue.overdue.age").tag("queue", "orders").timeGauge().value();
  }

  private double up() {
    return registry.get("punctual.store.up").gauge().value();
  }

  private double paused() {
    return registry.get("punctual.queue.paused").tag("queue", "orders").gauge().value();
  }

  private long warnings() {
    return log.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains("can't be refreshed"))
        .count();
  }

  @Test
  void messages_areCountedInEachState() {
    world.queue.schedule("later", Duration.ofHours(1));
    world.queue.schedule("now", Duration.ZERO);
    world.queue.schedule("now", Duration.ZERO);
    world.queue.schedule("now", Duration.ZERO);
    world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)));
    world
        .queue
        .claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)))
        .get(0)
        .bury("for the test");
    world.refresh.run();
    assertThat(messages("scheduled")).isEqualTo(1);
    assertThat(messages("ready")).isEqualTo(1);
    assertThat(messages("leased")).isEqualTo(1);
    assertThat(messages("dead")).isEqualTo(1);
    assertThat(paused()).isZero();
    world.queue.pause();
    world.refresh.run();
    assertThat(paused()).isEqualTo(1);
  }

  @Test
  void overdueAge_isThatOfTheOldestUnclaimedMessage_andZeroWithoutOne() {
    world.refresh.run();
    assertThat(overdueSeconds()).isZero();
    world.queue.schedule(Message.of("old").id("old"));
    world.advance(Duration.ofSeconds(40));
    world.queue.schedule("new", Duration.ZERO);
    world.advance(Duration.ofSeconds(5));
    world.refresh.run();
    assertThat(overdueSeconds()).isEqualTo(45);
    world.queue.cancel("old");
    world.refresh.run();
    assertThat(overdueSeconds()).isEqualTo(5);
    world.queue.purge(Set.of(State.READY));
    world.refresh.run();
    assertThat(overdueSeconds()).isZero();
  }

  @Test
  void overdueAge_dueInTheYear1601_isThatAge() {
    Instant due = Instant.parse("1601-01-01T00:00:00Z");
    world.queue.schedule(Message.of("old").dueAt(due));
    world.refresh.run();
    long seconds = due.until(world.clock.instant(), SECONDS);
    assertThat(overdueSeconds()).isEqualTo((double) seconds);
  }

  @Test
  void storeAway_gaugesAreNaN_andASingleWarningReportsIt_untilTheStoreAnswers() {
    world.refresh.run();
    assertThat(up()).isEqualTo(1);
    world.storeIsOff = true;
    world.refresh.run();
    world.refresh.run();
    assertThat(messages("ready")).isNaN();
    assertThat(overdueSeconds()).isNaN();
    assertThat(paused()).isNaN();
    assertThat(up()).isZero();
    assertThat(warnings()).isEqualTo(1);
    world.storeIsOff = false;
    world.refresh.run();
    assertThat(messages("ready")).isZero();
    assertThat(up()).isEqualTo(1);
    assertThat(log.toString(StandardCharsets.UTF_8)).contains("refreshed again");
    world.storeIsOff = true;
    world.refresh.run();
    assertThat(warnings()).isEqualTo(2);
  }

  @Test
  void refreshThatNoLongerRuns_leavesNoOldValues() {
    world.refresh.run();
    world.advance(Duration.ofSeconds(30));
    assertThat(messages("ready")).isZero();
    world.advance(Duration.ofSeconds(10));
    assertThat(messages("ready")).isNaN();
  }

  @Test
  void allQueues_moreThanAPage_areAllCounted() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (MeteredWorld all =
        new MeteredWorld(PunctualMeters.builder(own).queueGauges(QueueGauges.ALL), List.of())) {
      for (int i = 0; i < 250; i++) {
        all.punctual.queue("q" + i, Codec.string()).schedule("a", Duration.ofHours(1));
      }
      all.refresh.run();

      assertThat(own.find("punctual.queue.messages").tag("state", "scheduled").gauges())
          .hasSize(250)
          .allSatisfy(gauge -> assertThat(gauge.value()).isEqualTo(1));
    }
  }

  @Test
  void filterAndLimit_theFirstOtherQueuesHaveGauges() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    PunctualMeters.Builder builder =
        PunctualMeters.builder(own)
            .queueGauges(QueueGauges.ALL)
            .queueFilter(name -> !name.startsWith("q5"))
            .mostQueues(300);
    try (MeteredWorld all = new MeteredWorld(builder, List.of())) {
      for (int i = 100; i < 700; i++) {
        all.punctual.queue("q" + i, Codec.string()).schedule("a", Duration.ofHours(1));
      }
      all.refresh.run();

      assertThat(own.find("punctual.queue.messages").tag("state", "scheduled").gauges())
          .hasSize(300)
          .allSatisfy(gauge -> assertThat(gauge.value()).isEqualTo(1));
      assertThat(own.find("punctual.queue.paused").tag("queue", "q399").gauge()).isNotNull();
      assertThat(own.find("punctual.queue.paused").tag("queue", "q500").gauge()).isNull();
    }
  }

  @Test
  void queuesBetweenThoseWithGauges_doNotHideThem() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    PunctualMeters.Builder builder =
        PunctualMeters.builder(own)
            .queueGauges(QueueGauges.ALL)
            .queueFilter(name -> name.endsWith("0"));
    try (MeteredWorld all = new MeteredWorld(builder, List.of())) {
      for (int i = 100; i < 700; i++) {
        all.punctual.queue("q" + i, Codec.string()).schedule("a", Duration.ofHours(1));
      }
      all.refresh.run();

      assertThat(own.find("punctual.queue.messages").tag("state", "scheduled").gauges())
          .hasSize(60)
          .allSatisfy(gauge -> assertThat(gauge.value()).isEqualTo(1));
    }
  }

  /** A refresh of thousands of queues must not keep the store busy for ever. */
  @Test
  void slowRefresh_usesATenthOfTheTime() {
    world.refresh.run();
    assertThat(world.refresh.interval()).isEqualTo(Duration.ofSeconds(10));

    world.duringPing = () -> world.advance(Duration.ofSeconds(3));
    world.refresh.run();

    assertThat(world.refresh.interval()).isEqualTo(Duration.ofSeconds(30));
    world.advance(Duration.ofSeconds(80));
    assertThat(messages("ready")).isZero();
  }

  @Test
  void refreshThatWaitedForTheStore_isRepeatedAfterThePeriod() {
    world.duringPing =
        () -> {
          world.advance(Duration.ofMinutes(1));
          world.storeIsOff = true;
        };
    world.refresh.run();
    assertThat(warnings()).isEqualTo(1);

    assertThat(world.refresh.interval()).isEqualTo(Duration.ofSeconds(10));

    world.storeIsOff = false;
    world.duringPing = () -> world.advance(Duration.ofHours(1));
    world.refresh.run();
    assertThat(world.refresh.interval()).as("after a pause").isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void queueThatWasDeleted_losesItsGauges() {
    try (MeteredWorld all =
        new MeteredWorld(
            PunctualMeters.builder(new SimpleMeterRegistry()).queueGauges(QueueGauges.NONE),
            List.of())) {
      assertThat(all.refresh.run()).isTrue();
    }
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (MeteredWorld all =
        new MeteredWorld(PunctualMeters.builder(own).queueGauges(QueueGauges.ALL), List.of())) {
      all.punctual.queue("mails", Codec.string()).schedule("a", Duration.ofHours(1));
      all.refresh.run();
      assertThat(own.find("punctual.queue.paused").tag("queue", "mails").gauge()).isNotNull();
      all.punctual.purgeAndDeleteQueue("mails");
      all.refresh.run();
      assertThat(own.find("punctual.queue.paused").tag("queue", "mails").gauge()).isNull();
    }
  }

  @Test
  void namedQueue_isNotLookedUpBeforeItExists_soThatItsPartitionsStayOpen() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (MeteredWorld naming =
        new MeteredWorld(PunctualMeters.builder(own).queues("mails"), List.of())) {
      assertThat(naming.refresh.run()).isTrue();
      assertThat(own.find("punctual.queue.paused").gauge()).isNull();
      naming.punctual.queue("mails", Codec.string()).schedule("a", Duration.ofHours(1));
      naming.refresh.run();
      assertThat(own.find("punctual.queue.paused").tag("queue", "mails").gauge()).isNotNull();
      assertThat(own.find("punctual.queue.paused").tag("queue", "orders").gauge()).isNull();
    }
  }

  @Test
  void queuesWithWorkers_haveGaugesByDefault() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (MeteredWorld listening = new MeteredWorld(own)) {
      listening.refresh.run();
      assertThat(own.find("punctual.queue.paused").gauge()).isNull();
      listening.queue.work(MeteredWorld.inline().build(), delivery -> {});
      listening.refresh.run();
      assertThat(own.find("punctual.queue.paused").tag("queue", "orders").gauge()).isNotNull();
    }
  }

  @Test
  void clientOpenedAgain_keepsItsGauges_whenTheGaugesOfTheFirstEnd() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    MeteredWorld first = listening(own);
    first.refresh.run();
    try (MeteredWorld second = listening(own)) {
      second.refresh.run();
      assertThat(log.toString(StandardCharsets.UTF_8)).contains("PunctualMeters.Builder.tags");
      first.punctual.close(Duration.ZERO);
      assertThat(first.refresh.run()).isFalse();
      first.refresh.close();
      first.meters.close();
      second.refresh.run();
      assertThat(own.get("punctual.store.up").gauge().value()).isEqualTo(1);
      assertThat(own.get("punctual.queue.paused").gauge().value()).isZero();
      assertThat(own.get("punctual.worker.concurrency").gauge().value()).isPositive();
    }
  }

  private static MeteredWorld listening(SimpleMeterRegistry registry) {
    MeteredWorld world = new MeteredWorld(registry);
    world.queue.work(MeteredWorld.inline().build(), delivery -> {});
    return world;
  }

  @Test
  void clientsWithTags_haveGaugesOfTheirOwn() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (MeteredWorld east = tagged(own, "east");
        MeteredWorld west = tagged(own, "west")) {
      east.refresh.run();
      west.storeIsOff = true;
      west.refresh.run();
      assertThat(own.get("punctual.store.up").tag("client", "east").gauge().value()).isEqualTo(1);
      assertThat(own.get("punctual.store.up").tag("client", "west").gauge().value()).isZero();
      assertThat(own.find("punctual.lateness").tag("client", "east").timers()).hasSize(2);
    }
  }

  private static MeteredWorld tagged(SimpleMeterRegistry registry, String client) {
    MeteredWorld world =
        new MeteredWorld(
            PunctualMeters.builder(registry).tags(Tags.of("client", client)), List.of());
    world.queue.work(MeteredWorld.inline().build(), delivery -> {});
    return world;
  }

  @Test
  void closedClient_endsTheRefresh() {
    world.punctual.close(Duration.ZERO);
    assertThat(world.refresh.run()).isFalse();
    assertThat(warnings()).isZero();
  }

  @Test
  void queueThatCannotBeCounted_leavesTheGaugesOfTheOthers_andTheWarningNamesIt() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (MeteredWorld all =
        new MeteredWorld(PunctualMeters.builder(own).queueGauges(QueueGauges.ALL), List.of())) {
      all.queue.schedule("a", Duration.ofHours(1));
      all.punctual.queue("large", Codec.string()).schedule("a", Duration.ofHours(1));
      all.punctual.queue("zebra", Codec.string()).schedule("a", Duration.ofHours(1));
      all.uncountable = "large";
      all.refresh.run();
      all.refresh.run();
      assertThat(scheduled(own, "orders")).isEqualTo(1);
      assertThat(scheduled(own, "zebra")).isEqualTo(1);
      assertThat(scheduled(own, "large")).isNaN();
      assertThat(own.get("punctual.store.up").gauge().value()).isEqualTo(1);
      assertThat(warnings()).isEqualTo(1);
      assertThat(log.toString(StandardCharsets.UTF_8)).contains("[large]");
      all.uncountable = "";
      all.refresh.run();
      assertThat(scheduled(own, "large")).isEqualTo(1);
      assertThat(log.toString(StandardCharsets.UTF_8)).contains("refreshed again");
    }
  }

  private static double scheduled(SimpleMeterRegistry registry, String queue) {
    return registry
        .get("punctual.queue.messages")
        .tags("queue", queue, "state", "scheduled")
        .gauge()
        .value();
  }
}
