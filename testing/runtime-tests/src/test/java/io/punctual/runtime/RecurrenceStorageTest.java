package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetters;
import io.punctual.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the recurrence of a stored message: its headers, unknown kinds, batches, takes and
 * redrives.
 */
class RecurrenceStorageTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Recurrence HOURLY = Recurrence.every(HOUR);
  private static final Recurrence LUNAR = Recurrence.of("lunar", "new moon");

  private final ManualWorld world = new ManualWorld();
  private final Instant start = world.clock.instant();

  @AfterEach
  void close() {
    world.close();
  }

  private StoredMessage<String> stored() {
    return world.queue.find("a").orElseThrow();
  }

  private Delivery<String> claim() {
    return world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
  }

  @Test
  void headers_doNotShowTheRecurrence() {
    world.queue.schedule(Message.of("x").id("a").header("tenant", "t").recurring(HOURLY));
    assertThat(stored().headers()).isEqualTo(Map.of("tenant", "t"));
    assertThat(stored().recurrence()).hasValue(HOURLY);
    Delivery<String> delivery = claim();
    assertThat(delivery.headers()).isEqualTo(Map.of("tenant", "t"));
    assertThat(delivery.recurrence()).hasValue(HOURLY);
    delivery.ack();
    assertThat(stored().headers()).isEqualTo(Map.of("tenant", "t"));
    assertThat(stored().recurrence()).hasValue(HOURLY);
  }

  @Test
  void reservedHeader_isRefused() {
    Message<String> copied = Message.of("x").header("punctual-recurrence", "1;every;;PT1H");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> world.queue.schedule(copied))
        .withMessageContaining("Message.recurring");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> world.queue.schedule(Message.of("x").header("punctual-occurrence", "1")));
  }

  @Test
  void reservedHeaderOfAnInterceptor_isRefused() {
    Interceptor copies =
        new Interceptor() {
          @Override
          public Around schedule(
              String queue, String id, Message<?> message, Map<String, String> headers) {
            headers.put("punctual-recurrence", "1;every;;PT1H");
            return Around.NOTHING;
          }
        };
    try (Punctual punctual =
        Punctual.builder().store(world.store).timer(world.clock).interceptor(copies).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      assertThatIllegalArgumentException().isThrownBy(() -> queue.schedule(Message.of("x")));
    }
  }

  @Test
  void codecWithHeaders_keepsTheRecurrenceAndDoesNotSeeIt() {
    List<Map<String, String>> decoded = new ArrayList<>();
    Codec<String> codec =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            throw new AssertionError();
          }

          @Override
          public String decode(byte[] bytes) {
            throw new AssertionError();
          }

          @Override
          public byte[] encode(String payload, Map<String, String> headers) {
            headers.put("type", payload);
            return Codec.string().encode(payload);
          }

          @Override
          public String decode(byte[] bytes, Map<String, String> headers) {
            decoded.add(new HashMap<>(headers));
            return Codec.string().decode(bytes);
          }
        };
    TimedQueue<String> queue = world.punctual.queue("coded", codec);
    queue.schedule(Message.of("x").id("a").recurring(HOURLY));
    queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR)).get(0).repeat(Due.now(), "y");
    Delivery<String> second = queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR)).get(0);
    assertThat(second.recurrence()).hasValue(HOURLY);
    assertThat(decoded).containsExactly(Map.of("type", "x"), Map.of("type", "y"));
  }

  @Test
  void unknownKind_staysInTheQueueAndKeepsItsOccurrence() {
    world.queue.schedule(Message.of("x").id("a").dueIn(HOUR).recurring(LUNAR));
    List<String> handled = new ArrayList<>();
    world.queue.work(inline().build(), delivery -> handled.add(delivery.id()));
    world.advance(HOUR.plusSeconds(35));
    assertThat(handled).isEmpty();
    assertThat(stored().state()).isEqualTo(State.SCHEDULED);
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR).plusSeconds(40));
    assertThat(stored().occurrence()).isEqualTo(start.plus(HOUR));
    assertThat(stored().attempts()).isZero();
    assertThat(stored().recurrence()).hasValue(LUNAR);
    assertThat(world.events(Event.MessageBuried.class)).isEmpty();
  }

  @Test
  void unknownKind_isNotTakenEither() {
    world.queue.schedule(Message.of("x").id("a").dueAt(start).recurring(LUNAR));
    assertThat(world.queue.take(10, Duration.ZERO)).isEmpty();
    assertThat(stored().recurrence()).hasValue(LUNAR);
    assertThat(stored().occurrence()).isEqualTo(start);
  }

  @Test
  void unknownKindWithoutDueTime_failsAtTheSchedule() {
    assertThatExceptionOfType(RecurrenceException.class)
        .isThrownBy(() -> world.queue.schedule(Message.of("x").recurring(LUNAR)))
        .withMessageContaining("lunar");
    world.queue.schedule(Message.of("x").id("a").dueIn(HOUR).recurring(LUNAR));
    assertThat(stored().recurrence()).hasValue(LUNAR);
  }

  @Test
  void take_schedulesTheNextOccurrence() {
    world.queue.schedule(Message.of("x").id("a").header("h", "1").recurring(HOURLY));
    world.advance(Duration.ofMinutes(90));
    Message<String> taken = world.queue.take(10, Duration.ZERO).get(0);
    assertThat(taken.recurrence()).hasValue(HOURLY);
    assertThat(taken.headers()).isEqualTo(Map.of("h", "1"));
    assertThat(stored().state()).isEqualTo(State.SCHEDULED);
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR.multipliedBy(2)));
    world.advance(HOUR);
    assertThat(world.queue.take(10, Duration.ZERO)).hasSize(1);
  }

  @Test
  void takeOfTheLastOccurrence_removesTheMessage() {
    Instant last = start.plus(HOUR).minusMillis(1);
    world.queue.schedule(Message.of("x").id("a").notAfter(last).recurring(HOURLY));
    assertThat(world.queue.take(10, Duration.ZERO)).hasSize(1);
    world.advance(HOUR);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void prefetchedMessage_putBackKeepsItsOccurrence() {
    world.queue.schedule(Message.of("x").id("a").recurring(HOURLY));
    claim().retry(Duration.ofMinutes(5), "later");
    world.advance(Duration.ofMinutes(5));
    TimedQueue<String> queue = world.client().queue("orders", Codec.string());
    ClaimOptions options = ClaimOptions.DEFAULT.prefetch(10);
    queue.schedule(Message.of("y").id("0").dueAt(start.minusSeconds(2)));
    queue.schedule(Message.of("z").id("1").dueAt(start.minusSeconds(1)));
    queue.async().take(1, options);
    queue.async().take(1, options);
    assertThat(world.queue.find("a")).isEmpty();
    world.advance(Duration.ofSeconds(1));
    assertThat(stored().occurrence()).isEqualTo(start);
    assertThat(stored().dueAt()).isEqualTo(start.plus(Duration.ofMinutes(5)));
    world.queue.take(10, Duration.ZERO);
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void redriveAfterDefer_withTheOldOrANewPayload_keepsTheOccurrence(boolean withNewPayload) {
    world.queue.schedule(Message.of("x").id("a").dueIn(HOUR).recurring(HOURLY.stopOnFailure()));
    world.advance(HOUR);
    claim().defer(Duration.ofMinutes(1));
    world.advance(Duration.ofMinutes(1));
    claim().bury("broken");
    world.advance(Duration.ofMinutes(1));
    DeadLetters<String> deadLetters = world.queue.deadLetters();
    assertThat(withNewPayload ? deadLetters.redrive("a", "new") : deadLetters.redrive("a"))
        .isEqualTo(DeadLetterOutcome.DONE);
    Delivery<String> redriven = claim();
    assertThat(redriven.payload()).isEqualTo(withNewPayload ? "new" : "x");
    assertThat(redriven.occurrence()).isEqualTo(start.plus(HOUR));
    redriven.ack();
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR.multipliedBy(2)));
  }

  @Test
  void batch_eachMessageComesAgainByItsOwnRecurrence() {
    world.queue.schedule(Message.of("x").id("a").recurring(HOURLY));
    world.queue.schedule(Message.of("x").id("b"));
    world.queue.schedule(Message.of("x").id("c").recurring(Recurrence.every(HOUR.dividedBy(2))));
    List<Integer> sizes = new ArrayList<>();
    world.queue.workBatches(inline().build(), batch -> sizes.add(batch.size()));
    world.advance(Duration.ZERO);
    assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(3);
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR));
    assertThat(world.queue.find("b")).isEmpty();
    assertThat(world.queue.find("c").orElseThrow().dueAt())
        .isEqualTo(start.plus(HOUR.dividedBy(2)));
  }

  @Test
  void undecodablePayload_failsEachOccurrenceAndKeepsTheRecurrence() {
    world.queue.schedule(Message.of("x").id("a").recurring(HOURLY));
    Codec<String> broken =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return new byte[0];
          }

          @Override
          public String decode(byte[] bytes) {
            throw new IllegalStateException("an old schema");
          }
        };
    world
        .punctual
        .queue("orders", broken)
        .work(inline().retryPolicy(RetryPolicy.never()).build(), delivery -> {});
    world.advance(Duration.ofMinutes(90));
    assertThat(world.events(Event.OccurrenceFailed.class)).hasSize(2);
    assertThat(stored().dueAt()).isEqualTo(start.plus(HOUR.multipliedBy(2)));
  }
}
