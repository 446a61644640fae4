package io.punctual;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.collection.DelayedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitsTest {
  private final Punctual punctual = Punctual.open("memory:");
  private final TimedQueue<String> queue = punctual.queue("q", Codec.string());

  @AfterEach
  void close() {
    punctual.close();
  }

  private void refused(Message<String> message, String says) {
    assertThatThrownBy(() -> queue.schedule(message))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(says);
    assertThat(queue.counts().pending()).isZero();
    assertThatThrownBy(() -> Message.check(encoded(message)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Message<byte[]> encoded(Message<String> message) {
    Message<byte[]> encoded =
        Message.of(message.payload().getBytes(UTF_8)).due(message.due()).headers(message.headers());
    encoded = message.id().isPresent() ? encoded.id(message.id().get()) : encoded;
    return message.notAfter().isPresent() ? encoded.notAfter(message.notAfter().get()) : encoded;
  }

  @Test
  void delayOfACollection_beyondWhatADurationHolds_isRefusedOrNow() {
    DelayedQueue<String> delayed = DelayedQueue.of(queue);
    assertThatThrownBy(() -> delayed.offer("late", Long.MAX_VALUE, TimeUnit.DAYS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("shorter than 365250 days");
    assertThat(delayed.offer("soon", Long.MIN_VALUE, TimeUnit.DAYS).isStored()).isTrue();
    assertThat(queue.counts().ready()).isOne();
  }

  @Test
  void check_messageThatAQueueTakes_passes() {
    Message.check(Message.of(new byte[Limits.DEFAULT_PAYLOAD_BYTES]).id("ä").header("k", "v"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "ä", "a:b", "{a}", "a\n"})
  void queueName_beyondWhatIsAllowed_refused(String name) {
    assertThatThrownBy(() -> punctual.queue(name, Codec.string()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("letters, digits, dot, dash or underscore");
  }

  @Test
  void queueName_longestAllowed_taken() {
    assertThat(punctual.queue("q".repeat(200), Codec.string()).name()).hasSize(200);
    assertThatThrownBy(() -> punctual.queue("q".repeat(201), Codec.string()))
        .hasMessageContaining("200");
  }

  @Test
  void id_emptyTooLongOrNoText_refused() {
    refused(Message.of("x").id(""), "1 to 256 bytes");
    refused(Message.of("x").id("a".repeat(257)), "had 257");
    refused(Message.of("x").id("ä".repeat(129)), "had 258");
    refused(Message.of("x").id("\ud800"), "lone surrogate");
  }

  @Test
  void payload_largerThanTheLimit_refused() {
    refused(Message.of("x".repeat((1 << 20) + 1)), "payloadLimit");
  }

  @Test
  void headers_tooManyOrTooLarge_refused() {
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 65; i++) {
      many.put("h" + i, "v");
    }
    refused(Message.of("x").headers(many), "64 headers");
    refused(Message.of("x").header("h", "v".repeat(1 << 14)), "16384 bytes");
  }

  @Test
  void due_beyondTheRange_refused() {
    refused(Message.of("x").dueIn(Duration.ofDays(365_250)), "shorter than 365250 days");
    refused(Message.of("x").dueIn(Duration.ofSeconds(Long.MAX_VALUE)), "365250 days");
    refused(Message.of("x").dueAt(Instant.MAX), "365250 days");
    refused(Message.of("x").dueAt(Instant.MIN), "365250 days");
    refused(Message.of("x").notAfter(Instant.MAX), "365250 days");
  }

  @Test
  void due_negativeDelay_meansNow() {
    queue.schedule("x", Duration.ofSeconds(Long.MIN_VALUE));
    assertThat(queue.claim(1, Duration.ZERO)).hasSize(1);
  }

  @Test
  void claim_outOfRange_refused() {
    assertThatThrownBy(() -> queue.claim(0, Duration.ZERO)).hasMessageContaining("max");
    assertThatThrownBy(() -> queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ZERO)))
        .hasMessageContaining("lease");
  }

  @Test
  void open_unknownSchemeOrOption_namesTheKnownOnes() {
    assertThatThrownBy(() -> Punctual.open("nosuch:thing")).hasMessageContaining("[memory]");
    assertThatThrownBy(() -> Punctual.open("memory:?lnaes=2")).hasMessageContaining("partitions");
    assertThatThrownBy(() -> Punctual.open("memory")).hasMessageContaining("scheme");
    assertThatThrownBy(() -> Punctual.builder().build()).hasMessageContaining("url");
  }

  /**
   * A time-out below a millisecond was accepted, although the message of its check says otherwise.
   */
  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1, 999_999})
  void timeout_belowAMillisecond_refused(long nanos) {
    Duration time = Duration.ofNanos(nanos);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> queue.withTimeout(time),
            () -> Punctual.builder().blockingTimeout(time),
            () -> Message.of("x").rememberFor(time),
            () -> WorkerOptions.builder().handlerTimeout(time))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at least a millisecond");
    }
  }

  @Test
  void timeout_ofAMillisecond_taken() {
    assertThat(WorkerOptions.builder().handlerTimeout(Duration.ofMillis(1)).build())
        .extracting(options -> options.handlerTimeout().orElseThrow())
        .isEqualTo(Duration.ofMillis(1));
  }
}
