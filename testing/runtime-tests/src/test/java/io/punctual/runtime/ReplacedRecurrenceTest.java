package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Recurrence;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Timetable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Applications that replace their recurring messages at each start. An occurrence that became due
 * while the application was down is not lost, unless the recurrence has changed.
 */
@Timeout(300)
class ReplacedRecurrenceTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualWorld world = new ManualWorld();

  /** The first occurrence, at which the application is down. */
  private final Instant missed = world.clock.instant().truncatedTo(ChronoUnit.HOURS).plus(HOUR);

  @BeforeEach
  void leaveTheFullHour() {
    world.advance(Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    world.close();
  }

  /** Occurrences at each full hour, and this number of minutes. */
  private static Recurrence hourly(int minutes) {
    Timetable timetable =
        new Timetable() {
          @Override
          public Optional<Instant> next(Instant occurrence, Instant after) {
            Duration shift = Duration.ofMinutes(minutes);
            Instant hour = after.minus(shift).truncatedTo(ChronoUnit.HOURS);
            return Optional.of(hour.plus(HOUR).plus(shift));
          }

          @Override
          public Optional<Instant> first(Instant now) {
            return next(now, now.minusNanos(1));
          }
        };
    return Recurrence.of("hourly", "minute " + minutes, timetable);
  }

  private static Message<String> message(String payload, Recurrence recurrence) {
    return Message.of(payload).id("job").recurring(recurrence);
  }

  private Scheduled start(String payload, Recurrence recurrence) {
    return world.queue.schedule(message(payload, recurrence), IfPresent.REPLACE);
  }

  private StoredMessage<String> stored() {
    return world.queue.find("job").orElseThrow();
  }

  /** Starts an application, and stops it until after the first occurrence. */
  private void missAnOccurrence() {
    start("x", hourly(0));
    assertThat(stored().dueAt()).isEqualTo(missed);
    world.advance(Duration.between(world.clock.instant(), missed).plusMinutes(2));
  }

  @Test
  void replace_nothingChanged_keepsTheMissedOccurrence() {
    missAnOccurrence();
    Scheduled again = start("x", hourly(0));
    assertThat(again.outcome()).isEqualTo(ScheduleOutcome.KEPT);
    assertThat(again.dueAt()).isEqualTo(missed);
    assertThat(stored().state()).isEqualTo(State.READY);
  }

  @Test
  void replace_payloadChanged_bringsItToTheMissedOccurrence() {
    missAnOccurrence();
    Scheduled again = start("y", hourly(0));
    assertThat(again.outcome()).isEqualTo(ScheduleOutcome.REPLACED);
    assertThat(again.dueAt()).isEqualTo(missed);
    assertThat(stored().payload()).isEqualTo("y");
    assertThat(stored().state()).isEqualTo(State.READY);
  }

  @Test
  void replaceAll_nothingChanged_keepsTheMissedOccurrences() {
    missAnOccurrence();
    List<Scheduled> again =
        world.queue.scheduleAll(
            List.of(message("x", hourly(0)), Message.of("other").id("other")), IfPresent.REPLACE);
    assertThat(again.get(0).dueAt()).isEqualTo(missed);
    assertThat(again.get(1).outcome()).isEqualTo(ScheduleOutcome.STORED);
  }

  @Test
  void replace_recurrenceChanged_beginsAtItsNextTime() {
    missAnOccurrence();
    start("x", hourly(30));
    assertThat(stored().dueAt()).isEqualTo(missed.plus(Duration.ofMinutes(30)));
  }

  @Test
  void replace_withADueTime_hasIt() {
    missAnOccurrence();
    Instant due = missed.plus(Duration.ofMinutes(10));
    world.queue.schedule(message("x", hourly(0)).due(Due.at(due)), IfPresent.REPLACE);
    assertThat(stored().dueAt()).isEqualTo(due);
  }

  @Test
  void replace_occurrenceRuns_replacesItAsEver() {
    missAnOccurrence();
    Partition partition = world.store.partitions("orders").toCompletableFuture().join().get(0);
    partition.openSession("worker", null).toCompletableFuture().join();
    partition
        .call(new Call("worker", 1, 1, new Call.Claim(1, HOUR.toMillis())))
        .toCompletableFuture()
        .join();
    assertThat(stored().state()).isEqualTo(State.LEASED);
    start("x", hourly(0));
    assertThat(stored().dueAt()).isEqualTo(missed.plus(HOUR));
    assertThat(stored().state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void replace_noOccurrenceMissed_isDueAtTheNextTime() {
    start("x", hourly(0));
    world.queue.reschedule("job", Due.at(missed.plus(HOUR)));
    start("x", hourly(0));
    assertThat(stored().dueAt()).isEqualTo(missed);
  }

  @Test
  void copies_ofARecurrenceWithATimetable_haveIt() {
    Recurrence copy = hourly(0).catchUp().stopOnFailure();
    assertThat(copy.first(world.clock.instant())).hasValue(missed);
  }
}
