package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.event.Event;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests an {@link Error} between a claim and the handler or caller, such as a lack of memory: no
 * permit and no message is lost. A timer whose clock throws once causes the error.
 */
class DeliveryRulesFailureTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryStore store = MemoryStore.builder().clock(clock).build();
  private final FailingTimer timer = new FailingTimer();
  private final List<Event> events = new ArrayList<>();
  private final Punctual punctual =
      Punctual.builder().store(store).timer(timer).observer(this::observe).build();
  private final TimedQueue<String> queue = punctual.queue("orders", Codec.string());

  /** A timer whose clock throws once, when the runtime decides whether to deliver a message. */
  private final class FailingTimer implements DueTimer {
    private boolean fails;

    /** The beginning of the name of the method of the rules that fails. */
    private String method = "";

    @Override
    public long nanoTime() {
      if (fails && StackWalker.getInstance().walk(this::isChosen)) {
        fails = false;
        throw new OutOfMemoryError("of the test");
      }
      return clock.nanoTime();
    }

    private boolean isChosen(Stream<StackWalker.StackFrame> frames) {
      return frames
          .filter(frame -> frame.getClassName().endsWith(".DeliveryRules"))
          .findFirst()
          .filter(frame -> frame.getMethodName().startsWith(method))
          .isPresent();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      return clock.schedule(delayNanos, task);
    }
  }

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
    store.close();
  }

  @Test
  void worker_continuesAndTheMessagesComeBackAfterTheirLease() {
    List<String> handled = new ArrayList<>();
    Worker worker =
        queue.work(
            ManualWorld.inline().concurrency(1).lease(Duration.ofSeconds(10)).build(),
            delivery -> handled.add(delivery.payload()));
    timer.fails = true;
    queue.schedule("first", Duration.ZERO);
    assertThat(timer.fails).isFalse();
    assertThat(worker.running()).isZero();
    queue.schedule("second", Duration.ZERO);
    assertThat(handled).containsExactly("second");
    clock.advance(Duration.ofSeconds(20));
    assertThat(handled).containsExactly("second", "first");
  }

  @Test
  void take_failsAndTheMessagesGoBackToTheQueue() {
    queue.schedule("first", Duration.ZERO);
    timer.fails = true;
    assertThat(catchThrowable(() -> queue.take(10, Duration.ofSeconds(5))))
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("can't be given to the caller")
        .hasCauseInstanceOf(OutOfMemoryError.class);
    queue.schedule("second", Duration.ZERO);
    assertThat(queue.counts().ready()).isEqualTo(2);
    assertThat(queue.take(10, Duration.ZERO)).hasSize(2);
  }

  @Test
  void claim_failsAndTheMessagesGoBackToTheQueue() {
    queue.schedule("first", Duration.ZERO);
    timer.fails = true;
    assertThat(
            catchThrowable(
                () ->
                    queue.claim(
                        10,
                        ClaimOptions.DEFAULT
                            .lease(Duration.ofMinutes(1))
                            .maxWait(Duration.ofSeconds(5)))))
        .isInstanceOf(PunctualException.class)
        .hasCauseInstanceOf(OutOfMemoryError.class);
    List<Delivery<String>> again =
        queue.claim(10, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)));
    assertThat(again).extracting(Delivery::payload).containsExactly("first");
    assertThat(queue.find(again.get(0).id()).orElseThrow().state()).isEqualTo(State.LEASED);
  }

  /** The first message is settled before the failure, so a release would report a lost lease. */
  @Test
  void claim_failsAfterASettlement_onlyTheUnsettledMessagesAreReleased() {
    timer.method = "admit";
    List.of("bad", "second", "third").forEach(id -> queue.schedule(Message.of(id).id(id)));
    TimedQueue<String> strict = punctual.queue("orders", new StrictCodec());
    assertThat(
            catchThrowable(
                () ->
                    strict.claim(
                        10,
                        ClaimOptions.DEFAULT
                            .lease(Duration.ofMinutes(1))
                            .policy(RetryPolicy.fixed(Duration.ofSeconds(1)))
                            .maxWait(Duration.ofSeconds(5)))))
        .hasCauseInstanceOf(OutOfMemoryError.class);
    assertThat(queue.counts().ready()).isEqualTo(2);
    assertThat(queue.find("bad").orElseThrow().state()).isEqualTo(State.SCHEDULED);
    assertThat(events).noneMatch(Event.LeaseLost.class::isInstance);
  }

  /** Lets the rules fail after its settlement of a message. */
  private void observe(Event event) {
    events.add(event);
    timer.fails |= event instanceof Event.MessageRetried;
  }

  /** A codec that can't decode "bad". */
  private static final class StrictCodec implements Codec<String> {
    @Override
    public byte[] encode(String payload) {
      return Codec.string().encode(payload);
    }

    @Override
    public String decode(byte[] payload) {
      String text = Codec.string().decode(payload);
      if (text.equals("bad")) {
        throw new IllegalArgumentException("bad");
      }
      return text;
    }
  }
}
