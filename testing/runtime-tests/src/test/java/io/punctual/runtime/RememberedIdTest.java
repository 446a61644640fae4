package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Counts;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The id of a finished message is remembered for the time that the message sets. During this time,
 * a schedule with this id stores nothing, unless it replaces the remembered id.
 */
@Timeout(300)
class RememberedIdTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final ManualWorld world = new ManualWorld();
  private final List<String> handled = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private static Message<String> message(String payload) {
    return Message.of(payload).id("order-1").rememberFor(DAY);
  }

  private void work() {
    world.queue.work(ManualWorld.inline().build(), delivery -> handled.add(delivery.payload()));
  }

  private void settleDown() {
    world.advance(Duration.ofSeconds(1));
  }

  @Test
  void schedule_sameIdAfterTheAck_isKeptUntilTheTimeIsOver() {
    work();
    world.queue.schedule(message("first"));
    settleDown();
    Scheduled second = world.queue.schedule(message("second"));
    assertThat(second.outcome()).isEqualTo(ScheduleOutcome.KEPT);
    assertThat(second.previous()).contains(State.FINISHED);
    assertThat(second.isStored()).isFalse();
    world.advance(DAY.minusSeconds(10));
    assertThat(world.queue.schedule(message("third")).previous()).contains(State.FINISHED);
    world.advance(Duration.ofSeconds(10));
    assertThat(world.queue.schedule(message("fourth")).outcome()).isEqualTo(ScheduleOutcome.STORED);
    settleDown();
    assertThat(handled).containsExactly("first", "fourth");
  }

  @Test
  void find_rememberedId_hasNoPayload() {
    work();
    world.queue.schedule(message("first").header("tenant", "a"));
    settleDown();
    StoredMessage<String> found = world.queue.find("order-1").orElseThrow();
    assertThat(found.state()).isEqualTo(State.FINISHED);
    assertThat(found.rememberedUntil()).contains(found.dueAt());
    assertThat(found.headers()).isEmpty();
    assertThat(found.payloadBytes()).isEmpty();
    assertThatThrownBy(found::payload)
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("finished");
    assertOnlyRemembered();
    assertThat(world.queue.purge(Set.of(State.FINISHED))).isEqualTo(1);
    assertThat(world.queue.find("order-1")).isEmpty();
  }

  private void assertOnlyRemembered() {
    Counts counts = world.queue.counts();
    assertThat(counts.finished()).isEqualTo(1);
    assertThat(counts.pending()).isZero();
    assertThat(counts.dead()).isZero();
  }

  @Test
  void schedule_replace_runsARememberedIdAgain() {
    work();
    world.queue.schedule(message("first"));
    settleDown();
    assertThat(world.queue.schedule(message("second"), IfPresent.REPLACE).outcome())
        .isEqualTo(ScheduleOutcome.REPLACED);
    settleDown();
    assertThat(handled).containsExactly("first", "second");
    assertThat(world.queue.counts().finished()).isEqualTo(1);
  }

  @Test
  void retry_beforeTheAck_keepsTheTime() {
    WorkerOptions options =
        ManualWorld.inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1))).build();
    world.queue.work(
        options,
        delivery -> {
          if (delivery.attempt() < 3) {
            throw new IllegalStateException("not yet");
          }
        });
    world.queue.schedule(message("first"));
    world.advance(Duration.ofSeconds(20));
    assertOnlyRemembered();
  }

  @Test
  void repeat_withNewPayload_keepsTheTimeForTheLastRun() {
    world.queue.work(
        ManualWorld.inline().build(),
        delivery -> {
          handled.add(delivery.payload());
          if (handled.size() == 1) {
            delivery.repeat(Due.after(Duration.ofSeconds(5)), "again");
          }
        });
    world.queue.schedule(message("first"));
    settleDown();
    assertThat(world.queue.counts().finished()).isZero();
    world.advance(Duration.ofSeconds(10));
    assertThat(handled).containsExactly("first", "again");
    assertThat(world.queue.counts().finished()).isEqualTo(1);
  }

  @Test
  void end_withoutAnAck_isNotRemembered() {
    world.queue.schedule(message("cancelled"));
    world.queue.cancel("order-1");
    assertThat(world.queue.counts().finished()).isZero();
    world.queue.schedule(message("buried"));
    Delivery<String> delivery =
        world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
    delivery.bury("why");
    assertThat(world.queue.counts().finished()).isZero();
    assertThat(world.queue.schedule(message("replaces")).outcome())
        .isEqualTo(ScheduleOutcome.REPLACED);
  }

  @Test
  void take_rememberedMessage_isRememberedAfterTheAck() {
    world.queue.schedule(message("taken"));
    Message<String> taken = world.queue.take(1, Duration.ZERO).get(0);
    assertThat(taken.rememberedFor()).contains(DAY);
    assertThat(taken.headers()).isEmpty();
    settleDown();
    assertThat(world.queue.counts().finished()).isEqualTo(1);
  }

  @Test
  void rememberFor_outOfRange_isRefused() {
    Message<String> message = Message.of("payload");
    for (Duration wrong :
        List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(Limits.DAYS))) {
      assertThatThrownBy(() -> message.rememberFor(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(
            () -> world.queue.schedule(message.headers(Map.of("punctual-remember", "5"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rememberFor");
  }
}
