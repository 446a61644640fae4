package io.punctual.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.event.Event;
import io.punctual.spi.Partition;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class StoreHealthTest {
  private final Throwable moved =
      new Partition.NotSentException("the connection has been closed", null);
  private final Throwable away = new Partition.NotSentException("connection refused", null);

  private final StepTimer timer = new StepTimer();
  private final List<Event> events = new ArrayList<>();
  private final Environment env =
      TestEnvironment.of(timer, () -> Instant.EPOCH, Duration.ofMinutes(1), events::add);
  private final StoreHealth health = new StoreHealth("test:", env);

  private void failsAndAnswersAfterMillis(Object partition, long millis) {
    health.failed(partition, "q", moved);
    timer.advanceMillis(millis);
    health.failed(partition, "q", moved);
    health.answered(partition, "q");
  }

  @Test
  void failed_partitionsMoveOneAfterTheOther_noOutageIsReported() {
    for (int partition = 0; partition < 100; partition++) {
      health.failed(partition, "q", moved);
      timer.advanceMillis(70);
      health.failed(partition + 1, "q", moved);
      health.answered(partition, "q");
    }
    health.answered(100, "q");
    timer.advanceMillis(10_000);
    assertThat(events).isEmpty();
  }

  @Test
  void answered_manyPartitionsInALongOutage_areNotKept() {
    health.failed("never answers", "q", away);
    List<WeakReference<Object>> answered = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Object partition = new Object();
      failsAndAnswersAfterMillis(partition, 20_000);
      health.failed("never answers", "q", away);
      answered.add(new WeakReference<>(partition));
    }
    Awaitility.await()
        .until(
            () -> {
              System.gc();
              return answered.stream().filter(each -> each.get() != null).count() <= 2;
            });
  }

  private List<Event.StoreTrouble> troubles() {
    return events.stream()
        .filter(Event.StoreTrouble.class::isInstance)
        .map(Event.StoreTrouble.class::cast)
        .toList();
  }

  @Test
  void failed_answersWithinASecondAgainAndAgain_noOutageIsReported() {
    for (int i = 0; i < 100; i++) {
      failsAndAnswersAfterMillis("a", 75);
      failsAndAnswersAfterMillis("b", 999);
    }
    timer.advanceMillis(10_000);
    assertThat(events).isEmpty();
  }

  @Test
  void failed_noAnswerForASecond_onceReportedWithTheLatestFailure() {
    health.failed("a", "q", moved);
    timer.advanceMillis(500);
    health.failed("a", "q", away);
    health.failed("b", "q", away);
    assertThat(events).isEmpty();
    timer.advanceMillis(500);
    assertThat(troubles())
        .singleElement()
        .satisfies(
            trouble ->
                assertThat(trouble.failure())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("connection refused"));
    timer.advanceMillis(60_000);
    health.failed("b", "q", away);
    health.answered("a", "q");
    assertThat(events).hasSize(1);
    health.answered("b", "q");
    assertThat(events.get(1)).isEqualTo(new Event.StoreRecovered("q", Duration.ofSeconds(61)));
  }

  @Test
  void failed_refusal_isReportedAtOnceEvenDuringAnOutage() {
    health.failed("a", "q", away);
    timer.advanceMillis(1000);
    health.failed("a", "q", new Partition.PartitionException("WRONGPASS", null));
    health.failed("a", "q", new Partition.PartitionException("WRONGPASS", null));
    assertThat(troubles()).hasSize(2);
    assertThat(troubles().get(1).failure()).isInstanceOf(StoreRefusedException.class);
  }

  private void goesOnFailingForSeconds(Object partition, int seconds) {
    for (int i = 0; i < seconds; i++) {
      health.failed(partition, "q", away);
      timer.advanceMillis(1000);
    }
  }

  @Test
  void failed_partitionWithoutFurtherCalls_hidesNoLaterOutage() {
    health.failed("idle", "q", away);
    goesOnFailingForSeconds("a", 5);
    health.answered("a", "q");
    assertThat(events).hasSize(1);
    timer.advanceMillis(300_000);
    assertThat(events).hasSize(2).last().isInstanceOf(Event.StoreRecovered.class);
    goesOnFailingForSeconds("a", 5);
    assertThat(troubles()).hasSize(2);
  }

  @Test
  void failed_allPartitionsWithoutFurtherCalls_nothingSaysThatItAnswers() {
    health.failed("idle", "q", away);
    timer.advanceMillis(300_000);
    assertThat(events).hasSize(1);
    goesOnFailingForSeconds("a", 5);
    assertThat(troubles()).hasSize(2);
  }

  @Test
  void failed_allPartitionsWithoutFurtherCalls_unreachableUntilAnAnswer() {
    health.failed("idle", "q", away);
    timer.advanceMillis(1000);
    Instant since = health.status().since();
    timer.advanceMillis(300_000);
    assertThat(health.status().reachable()).isFalse();
    health.failed("idle", "q", away);
    timer.advanceMillis(300_000);
    assertThat(health.status().reachable()).isFalse();
    assertThat(health.status().since()).isEqualTo(since);
    assertThat(health.isTroubled("other")).isTrue();
    health.answered("other", "p");
    assertThat(health.status().reachable()).isTrue();
    assertThat(health.isTroubled("other")).isFalse();
    assertThat(events).last().isEqualTo(new Event.StoreRecovered("p", Duration.ofSeconds(601)));
  }

  @Test
  void failed_onceAndAnsweredAfterAnIdleOutage_isReachable() {
    health.failed("idle", "q", away);
    timer.advanceMillis(300_000);
    failsAndAnswersAfterMillis("a", 10);
    assertThat(health.status().reachable()).isTrue();
    assertThat(events).hasSize(2).last().isInstanceOf(Event.StoreRecovered.class);
  }

  @Test
  void unopened_noFurtherAttempt_unreachableUntilTheStoreIsOpen() {
    health.unopened("store", new StoreRefusedException("WRONGPASS", null));
    timer.advanceMillis(300_000);
    assertThat(health.status().reachable()).isFalse();
    health.opened();
    assertThat(health.status().reachable()).isTrue();
    assertThat(events).hasSize(2).last().isInstanceOf(Event.StoreRecovered.class);
  }

  @Test
  void failed_partitionThatAnsweredFailsAgain_nothingSaysThatItAnswers() {
    health.failed("idle", "q", away);
    goesOnFailingForSeconds("a", 5);
    health.answered("a", "q");
    goesOnFailingForSeconds("a", 5);
    timer.advanceMillis(600_000);
    assertThat(events).singleElement().isInstanceOf(Event.StoreTrouble.class);
  }

  @Test
  void lastFailure_partitionAnswersOrHasNoFurtherCalls_isNoLongerNamed() {
    Throwable refused = new Partition.PartitionException("no right", null);
    health.failed("idle", "q", away);
    health.failed("answers", "q", refused);
    assertThat(env.lastFailure().get()).isSameAs(refused);
    health.answered("answers", "q");
    assertThat(env.lastFailure().get()).isSameAs(away);
    timer.advanceMillis(10 * 60_000);
    assertThat(env.lastFailure().get()).isNull();
  }

  @Test
  void recovering_failsAgainAndAgain_isOneOutage() {
    goesOnFailingForSeconds("a", 5);
    for (int i = 0; i < 20; i++) {
      health.recovering("a", "q");
      timer.advanceMillis(4_000);
      health.failed("a", "q", away);
    }
    assertThat(events).singleElement().isInstanceOf(Event.StoreTrouble.class);
    health.recovering("a", "q");
    timer.advanceMillis(10_000);
    assertThat(events).hasSize(2).last().isInstanceOf(Event.StoreRecovered.class);
    assertThat(health.status().reachable()).isTrue();
  }

  /** For example a call of an idle producer that waited for room on a disk. */
  @Test
  void recovering_afterAnIdleOutage_isReachable() {
    health.failed("idle", "q", away);
    timer.advanceMillis(300_000);
    assertThat(health.isTroubled("idle")).isTrue();
    health.recovering("idle", "q");
    timer.advanceMillis(9_000);
    assertThat(health.status().reachable()).isFalse();
    timer.advanceMillis(1_000);
    assertThat(health.status().reachable()).isTrue();
    assertThat(events).hasSize(2).last().isInstanceOf(Event.StoreRecovered.class);
  }

  @Test
  void recovering_afterAnIdleOutageButFailsAgain_isNotReachable() {
    health.failed("idle", "q", away);
    timer.advanceMillis(300_000);
    health.recovering("idle", "q");
    timer.advanceMillis(5_000);
    health.failed("idle", "q", away);
    timer.advanceMillis(60_000);
    assertThat(health.status().reachable()).isFalse();
  }

  @Test
  void failed_longOutage_isReportedOnce() {
    goesOnFailingForSeconds("a", 600);
    assertThat(events).hasSize(1);
  }
}
