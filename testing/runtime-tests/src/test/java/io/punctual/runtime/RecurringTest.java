package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Handler;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Recurrence;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests recurring messages: the times of their occurrences, and the effect of each settlement. */
class RecurringTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Recurrence HOURLY = Recurrence.every(HOUR);
  private static final RetryPolicy TWICE = RetryPolicy.fixed(Duration.ofMinutes(20)).maxAttempts(2);

  private final ManualWorld world = new ManualWorld();
  private final Instant start = world.clock.instant();
  private final List<String> seen = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private void schedule(Recurrence recurrence) {
    world.queue.schedule(Message.of("x").id("a").dueIn(HOUR).recurring(recurrence));
  }

  private void work(Handler<String> handler) {
    world.queue.work(inline().retryPolicy(TWICE).build(), handler);
  }

  private void note(Delivery<String> delivery) {
    seen.add(minutes(delivery.occurrence()) + "#" + delivery.attempt());
  }

  private long minutes(Instant time) {
    return Duration.between(start, time).toMinutes();
  }

  private StoredMessage<String> stored() {
    return world.queue.find("a").orElseThrow();
  }

  private Delivery<String> claim() {
    return world.queue.claim(1, ClaimOptions.DEFAULT.lease(MINUTE)).get(0);
  }

  @Test
  void handlerThatReturns_theNextOccurrenceCountsFromTheDueTime() {
    schedule(HOURLY);
    work(this::note);
    world.advance(HOUR.multipliedBy(3).plusMinutes(5));
    assertThat(seen).containsExactly("60#1", "120#1", "180#1");
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR.multipliedBy(4)));
    assertThat(world.events(Event.MessageRepeated.class)).hasSize(3);
  }

  @Test
  void lateRun_skipsMissedOccurrencesAndKeepsTheRhythm() {
    schedule(HOURLY);
    world.advance(Duration.ofMinutes(60 * 5 + 30));
    work(this::note);
    world.advance(HOUR);
    assertThat(seen).containsExactly("60#1", "360#1");
  }

  @Test
  void lateRun_catchesUpIfAsked() {
    schedule(HOURLY.catchUp());
    world.advance(Duration.ofMinutes(60 * 3 + 30));
    work(this::note);
    world.advance(HOUR);
    assertThat(seen).containsExactly("60#1", "120#1", "180#1", "240#1");
  }

  @Test
  void handlerLongerThanTheInterval_skipsTheOccurrencesMeanwhile() {
    world.queue.schedule(Message.of("x").id("a").recurring(Recurrence.every(MINUTE)));
    Delivery<String> first = claim();
    world.advance(Duration.ofSeconds(50));
    first.extend(HOUR);
    world.advance(Duration.ofMinutes(10));
    assertThat(first.ack()).isEqualTo(SettleOutcome.DONE);
    assertThat(minutes(stored().dueAt())).isEqualTo(11);
  }

  @Test
  void occurrenceAtThisMoment_isNotMissed() {
    schedule(HOURLY);
    world.advance(HOUR);
    Delivery<String> first = claim();
    first.extend(HOUR.multipliedBy(2));
    world.advance(HOUR);
    first.ack();
    assertThat(minutes(stored().dueAt())).isEqualTo(120);
    assertThat(minutes(claim().occurrence())).isEqualTo(120);
  }

  @Test
  void dueFarInThePast_skippedInOneStep() {
    Recurrence millisecond = Recurrence.every(Duration.ofMillis(1));
    Instant past = Instant.parse("1001-01-01T00:00:00Z");
    world.queue.schedule(Message.of("x").id("a").dueAt(past).recurring(millisecond));
    claim().ack();
    assertThat(stored().dueAt()).isEqualTo(start);
  }

  @Test
  void largestDate_endsTheRecurrence() {
    Recurrence longest = Recurrence.every(Duration.ofDays(365_249));
    world.queue.schedule(Message.of("x").id("a").recurring(longest));
    assertThat(claim().ack()).isEqualTo(SettleOutcome.DONE);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void retry_keepsTheOccurrence() {
    schedule(HOURLY);
    work(
        delivery -> {
          note(delivery);
          if (delivery.attempt() == 1) {
            throw new IllegalStateException("down");
          }
        });
    world.advance(Duration.ofMinutes(125));
    assertThat(seen).containsExactly("60#1", "60#2", "120#1");
  }

  @Test
  void defer_keepsTheOccurrenceAndCountsNoAttempt() {
    schedule(HOURLY);
    List<Duration> deferrals = new ArrayList<>(List.of(MINUTE, Duration.ofMinutes(2)));
    work(
        delivery -> {
          note(delivery);
          if (!deferrals.isEmpty()) {
            delivery.async().defer(deferrals.remove(0));
          }
        });
    world.advance(Duration.ofMinutes(121));
    assertThat(seen).containsExactly("60#1", "60#1", "60#1", "120#1");
    assertThat(world.events(Event.MessageReleased.class)).hasSize(2);
    assertThat(stored().headers()).isEmpty();
  }

  @Test
  void deferAfterRetry_keepsTheOccurrenceAndTheFailures() {
    schedule(HOURLY);
    world.advance(HOUR);
    claim().retry(MINUTE, "first");
    world.advance(MINUTE);
    claim().defer(MINUTE);
    world.advance(MINUTE);
    Delivery<String> third = claim();
    assertThat(minutes(third.occurrence())).isEqualTo(60);
    assertThat(third.failures()).hasSize(1);
    assertThat(minutes(stored().occurrence())).isEqualTo(60);
  }

  @Test
  void retryAfterDefer_keepsTheOccurrence() {
    schedule(HOURLY);
    world.advance(HOUR);
    claim().defer(MINUTE);
    world.advance(MINUTE);
    claim().retry(MINUTE, "first");
    world.advance(MINUTE);
    Delivery<String> third = claim();
    assertThat(minutes(third.occurrence())).isEqualTo(60);
    third.ack();
    assertThat(minutes(stored().occurrence())).isEqualTo(120);
    assertThat(stored().dueAt()).isEqualTo(stored().occurrence());
  }

  @Test
  void expiredLease_keepsTheOccurrence() {
    schedule(HOURLY);
    world.advance(HOUR);
    claim();
    world.advance(Duration.ofMinutes(2));
    Delivery<String> second = claim();
    assertThat(second.attempt()).isEqualTo(2);
    second.ack();
    assertThat(minutes(stored().dueAt())).isEqualTo(120);
    assertThat(stored().attempts()).isZero();
  }

  @Test
  void exhaustedAttempts_areReportedAndTheNextOccurrenceComes() {
    schedule(HOURLY);
    work(
        delivery -> {
          note(delivery);
          throw new IllegalStateException("down");
        });
    world.advance(Duration.ofMinutes(145));
    assertThat(seen).containsExactly("60#1", "60#2", "120#1", "120#2");
    assertThat(world.events(Event.MessageBuried.class)).isEmpty();
    Event.OccurrenceFailed failed = world.events(Event.OccurrenceFailed.class).get(0);
    assertThat(failed.reason()).isEqualTo(DeadReason.FAILED);
    assertThat(minutes(failed.occurrence())).isEqualTo(60);
    assertThat(minutes(failed.next())).isEqualTo(120);
    assertThat(failed.failure()).hasMessage("down");
    assertThat(stored().state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void exhaustedAttempts_stopIfAsked() {
    schedule(HOURLY.stopOnFailure());
    work(
        delivery -> {
          throw new IllegalStateException("down");
        });
    world.advance(Duration.ofMinutes(145));
    assertThat(stored().state()).isEqualTo(State.DEAD);
    assertThat(stored().recurrence()).hasValue(HOURLY.stopOnFailure());
  }

  @Test
  void redrive_continuesTheRecurrenceFromTheRedrive() {
    schedule(HOURLY.stopOnFailure());
    world.advance(HOUR);
    claim().bury("broken");
    world.advance(HOUR.multipliedBy(3));
    world.queue.deadLetters().redrive("a");
    claim().ack();
    assertThat(minutes(stored().dueAt())).isEqualTo(300);
  }

  @Test
  void deadHandler_isCalledBeforeTheNextOccurrence() {
    schedule(HOURLY);
    world
        .queue
        .withDeadHandler((delivery, reason, failure) -> seen.add(reason + " " + delivery.id()))
        .work(
            inline().retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              throw new IllegalStateException("down");
            });
    world.advance(Duration.ofMinutes(130));
    assertThat(seen).containsExactly("FAILED a", "FAILED a");
    assertThat(minutes(stored().dueAt())).isEqualTo(180);
  }

  @Test
  void deadHandlerThatBuries_endsTheRecurrence() {
    schedule(HOURLY);
    world
        .queue
        .withDeadHandler((delivery, reason, failure) -> delivery.async().bury("give up"))
        .work(
            inline().retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              throw new IllegalStateException("down");
            });
    world.advance(HOUR);
    assertThat(stored().state()).isEqualTo(State.DEAD);
  }

  @Test
  void leasesThatRunOut_endTheOccurrenceAndNotTheRecurrence() {
    schedule(HOURLY);
    world.advance(HOUR);
    for (int attempt = 1; attempt <= 2; attempt++) {
      claim();
      world.advance(Duration.ofMinutes(2));
    }
    work(this::note);
    assertThat(seen).isEmpty();
    assertThat(world.events(Event.OccurrenceFailed.class))
        .extracting(Event.OccurrenceFailed::reason)
        .containsExactly(DeadReason.WORKERS_DIED);
    assertThat(minutes(stored().dueAt())).isEqualTo(120);
  }

  @Test
  void cancelWhileRunning_endsTheRecurrence() {
    schedule(HOURLY);
    world.advance(HOUR);
    Delivery<String> running = claim();
    world.queue.cancel("a");
    assertThat(running.ack()).isEqualTo(SettleOutcome.DISCARDED);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void cancelWhileFailing_endsTheRecurrence() {
    schedule(HOURLY);
    world.queue.work(
        inline().retryPolicy(RetryPolicy.never()).build(),
        delivery -> {
          world.queue.async().cancel("a");
          throw new IllegalStateException("down");
        });
    world.advance(HOUR);
    assertThat(world.queue.find("a")).isEmpty();
    assertThat(world.events(Event.OccurrenceFailed.class)).isEmpty();
  }

  @Test
  void endRecurrence_removesTheMessage() {
    schedule(HOURLY);
    work(delivery -> delivery.async().endRecurrence());
    world.advance(HOUR);
    assertThat(world.queue.find("a")).isEmpty();
    assertThat(world.events(Event.MessageAcked.class)).hasSize(1);
  }

  @Test
  void explicitAck_schedulesTheNextOccurrence() {
    schedule(HOURLY);
    work(delivery -> delivery.async().ack());
    world.advance(HOUR);
    assertThat(minutes(stored().dueAt())).isEqualTo(120);
  }

  @Test
  void explicitRepeat_movesTheRhythm() {
    schedule(HOURLY);
    world.advance(HOUR);
    claim().repeat(Due.after(Duration.ofMinutes(7)), "y");
    assertThat(stored().recurrence()).hasValue(HOURLY);
    assertThat(stored().payload()).isEqualTo("y");
    world.advance(Duration.ofMinutes(7));
    claim().ack();
    assertThat(minutes(stored().dueAt())).isEqualTo(127);
  }

  @Test
  void rescheduleAndRunNow_moveTheRhythmAndKeepTheRecurrence() {
    schedule(HOURLY);
    world.queue.reschedule("a", Due.after(Duration.ofMinutes(10)));
    world.advance(Duration.ofMinutes(10));
    claim().ack();
    assertThat(minutes(stored().dueAt())).isEqualTo(70);
    world.queue.runNow("a");
    claim().ack();
    assertThat(minutes(stored().dueAt())).isEqualTo(70);
    assertThat(stored().recurrence()).hasValue(HOURLY);
  }

  @Test
  void replaceWhileRunning_changesTheRecurrenceUnderTheSameId() {
    schedule(HOURLY);
    world.advance(HOUR);
    Delivery<String> old = claim();
    Recurrence daily = Recurrence.every(Duration.ofDays(1));
    world.queue.schedule(Message.of("x").id("a").dueIn(MINUTE).recurring(daily), IfPresent.REPLACE);
    assertThat(old.ack()).isEqualTo(SettleOutcome.LEASE_LOST);
    assertThat(stored().recurrence()).hasValue(daily);
    assertThat(minutes(stored().dueAt())).isEqualTo(61);
  }

  @Test
  void notAfter_isTheEndOfTheRecurrence() {
    world.queue.schedule(
        Message.of("x")
            .id("a")
            .dueIn(HOUR)
            .notAfter(start.plus(Duration.ofMinutes(121)))
            .recurring(HOURLY));
    work(this::note);
    world.advance(Duration.ofHours(5));
    assertThat(seen).containsExactly("60#1", "120#1");
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void lastOccurrenceThatFails_isADeadLetter() {
    world.queue.schedule(Message.of("x").id("a").notAfter(start.plus(MINUTE)).recurring(HOURLY));
    work(
        delivery -> {
          throw new IllegalStateException("down");
        });
    world.advance(HOUR);
    assertThat(stored().state()).isEqualTo(State.DEAD);
  }
}
