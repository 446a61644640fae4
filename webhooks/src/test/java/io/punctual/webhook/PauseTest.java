package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.http.webhook.WebhookState;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Steps of the wall clock during and after a pause that a target asks for. */
final class PauseTest {
  private static final Duration WAIT = Duration.ofSeconds(7);

  private final Fixture fixture = Fixture.manual();
  private final Receiver receiver =
      fixture.receiver(Receiver.answering(429, "Retry-After", "" + WAIT.toSeconds()));
  private final WebhookService service = fixture.start();

  @BeforeEach
  void pause() {
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "order-1");
    Fixture.patiently().until(() -> fixture.queue("orders").counts().scheduled() == 1);
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.PAUSED);
    receiver.answer(Receiver.answering(200));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void wallClockSetBackDuringPause_doesNotMakeItLonger() {
    fixture.manual.step(Duration.ofHours(-1));
    fixture.schedule("orders", "order-2");
    assertThat(service.find("crm").orElseThrow().nextTry())
        .isEqualTo(fixture.clock.instant().plus(WAIT));
    fixture.advance(WAIT.minusMillis(1));
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.PAUSED);
    assertThat(receiver.requests()).hasSize(1);
    fixture.advance(Duration.ofMillis(1));
    receiver.awaitRequests(2);
    assertThat(receiver.requests().get(1).header("webhook-id")).isEqualTo("order-2");
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.ON);
  }

  @Test
  void wallClockSetBackAfterPause_doesNotBringItBack() {
    fixture.advance(WAIT);
    receiver.awaitRequests(2);
    fixture.manual.step(WAIT.negated());
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.ON);
    fixture.schedule("orders", "order-2");
    receiver.awaitRequests(3);
  }

  @Test
  void laterPause_outlastsEarlierOne_andEnablingEndsIt() {
    Pause pause = new Pause(fixture.timer(), () -> {});
    pause.begin(Duration.ofSeconds(10));
    pause.begin(Duration.ofSeconds(5));
    fixture.advance(Duration.ofSeconds(5));
    assertThat(pause.rest()).contains(Duration.ofSeconds(5));
    pause.begin(Duration.ofSeconds(20));
    fixture.advance(Duration.ofSeconds(5));
    assertThat(pause.rest()).contains(Duration.ofSeconds(15));
    pause.clear();
    assertThat(pause.isOn()).isFalse();
    pause.begin(Duration.ofSeconds(30));
    fixture.advance(Duration.ofSeconds(15));
    assertThat(pause.isOn()).isTrue();
    pause.begin(Duration.ZERO);
    fixture.advance(Duration.ofSeconds(15));
    assertThat(pause.isOn()).isFalse();
  }

  @Test
  void pauseWhoseEndCanNotBePlanned_isNone() {
    DueTimer failing =
        new DueTimer() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public Timeout schedule(long delayNanos, Runnable task) {
            throw new OutOfMemoryError("injected");
          }
        };
    Pause pause = new Pause(failing, () -> {});
    assertThatThrownBy(() -> pause.begin(WAIT)).isInstanceOf(OutOfMemoryError.class);
    assertThat(pause.isOn()).isFalse();
  }
}
