package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.webhook.WebhookSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that wait for their turn. */
final class PaceTest {
  private static final Duration PER = Duration.ofSeconds(10);

  private final Fixture fixture = Fixture.manual();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Returns the seconds at which calls begin that are made now. */
  private List<Long> begins(Pace pace, int calls) {
    List<Long> begins = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      pace.run(() -> begins.add(Duration.ofNanos(fixture.timer().nanoTime()).toSeconds()));
    }
    fixture.advance(PER.multipliedBy(calls));
    assertThat(begins).hasSize(calls);
    return begins;
  }

  @Test
  void calls_beginInEvenDistances_alsoAfterATimeWithoutCalls() {
    Pace pace = new Pace(fixture.timer(), Runnable::run, 2, PER);
    assertThat(begins(pace, 3)).containsExactly(0L, 5L, 10L);
    assertThat(begins(pace, 3)).containsExactly(30L, 35L, 40L);
  }

  @Test
  void noRate_callsBeginAtOnce() {
    Pace pace = new Pace(fixture.timer(), Runnable::run, 0, PER);
    assertThat(begins(pace, 2)).containsExactly(0L, 0L);
  }

  @Test
  void noThreadForACall_callBeginsOnTheTimer_andTheNextInItsTurn() {
    AtomicInteger errors = new AtomicInteger(1);
    Pace pace =
        new Pace(
            fixture.timer(),
            task -> {
              if (errors.getAndDecrement() > 0) {
                throw new InternalError("no thread (of the test)");
              }
              task.run();
            },
            2,
            PER);
    assertThat(begins(pace, 3)).containsExactly(0L, 5L, 10L);
  }

  @Test
  void callThatCanNotBeginAtItsTurn_failsItsMessage_whichIsSentAgain() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    AtomicBoolean fails = new AtomicBoolean();
    WebhookSpec spec =
        new WebhookSpec(
            "crm",
            "orders",
            false,
            receiver.url(),
            List.of(),
            10,
            1,
            PER,
            Duration.ofMinutes(5),
            List.of(PER));
    try (WebhookService service =
        WebhookService.builder(fixture.punctual, fixture.timer())
            .clock(
                () -> {
                  if (fails.get()) {
                    throw new IllegalStateException("injected");
                  }
                  return fixture.clock.instant();
                })
            .rules(fixture.rules())
            .start()) {
      fixture.put(service, spec);
      fixture.schedule("orders", "order-1");
      receiver.awaitRequests(1);
      fixture.schedule("orders", "order-2");
      Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() == 1);
      fails.set(true);
      fixture.advance(PER);
      Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() == 0);
      assertThat(fixture.queue("orders").counts().scheduled()).isOne();
      fails.set(false);
      fixture.advanceUntil(PER, () -> receiver.requests().size() == 2);
    }
  }
}
