package io.punctual.view;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TreeTest {
  private static final Instant DUE = Instant.parse("2099-01-31T12:00:00.123Z");

  @Test
  void message_isReadWithAndWithoutItsPayload() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      queue.schedule(
          Message.of("[1]".getBytes(UTF_8))
              .id("a")
              .dueAt(DUE)
              .headers(Map.of("z", "1", "b", "2", "m", "3")));
      MessageView whole = MessageView.of(queue.find("a").orElseThrow(), Redaction.NONE);
      assertThat(whole.tree().keySet())
          .containsExactly("id", "state", "createdAt", "dueAt", "attempts", "headers", "payload");
      assertThat(whole.tree().get("headers")).hasToString("{b=2, m=3, z=1}");
      assertThat(whole.dueAt()).isEqualTo("2099-01-31T12:00:00.123Z");

      MessageQuery query = MessageQuery.of(State.SCHEDULED).withoutPayloads();
      MessageView listed =
          MessageView.withoutPayload(queue.browse(query).items().get(0), Redaction.NONE);
      assertThat(listed.tree().keySet()).containsExactly("id", "state", "dueAt", "attempts");
      assertThat(MessageView.of(queue.find("a").orElseThrow(), Redaction.CONTENTS).tree().keySet())
          .containsExactly("id", "state", "createdAt", "dueAt", "attempts");
    }
  }

  @Test
  void queue_hasItsLimitsAsAnObject() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      queue.setLimits(QueueLimits.none().rate(3, Duration.ofMillis(1500), 2));
      assertThat(QueueView.of(queue).tree().keySet())
          .containsExactly(
              "queue",
              "partitions",
              "scheduled",
              "ready",
              "overdueMillis",
              "leased",
              "dead",
              "finished",
              "paused",
              "limits");
      assertThat(QueueView.of(queue).tree().get("limits"))
          .isEqualTo(
              Map.of("rate", 3, "perMillis", new BigDecimal("1500"), "burst", 2, "concurrency", 0));
    }
  }

  @Test
  void holder_isNamedByItsClaim() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      queue.schedule(Message.of(new byte[0]).id("a").dueAt(Instant.EPOCH));
      Object unused = queue.claim(1, ClaimOptions.DEFAULT.claimant("poller-7"));
      HolderView holder =
          MessageView.of(queue.find("a").orElseThrow(), Redaction.NONE).leaseHolder();
      assertThat(holder).isNotNull();
      assertThat(holder.tree()).containsEntry("claimant", "poller-7");
    }
  }

  @Test
  void absentFields_areLeftOut_andNumbersArePlain() {
    assertThat(
            new Tree()
                .put("none", (Object) null)
                .flag("off", false)
                .put("span", Duration.ofNanos(1_234_567))
                .put("state", State.LEASED)
                .putAll("views", List.of(new ForecastView.Span("a", "b", 1)))
                .toMap())
        .hasToString("{span=1.234, state=LEASED, views=[{from=a, to=b, count=1}]}");
    assertThat(Values.millis(Duration.ofSeconds(1000)).toString()).isEqualTo("1000000");
  }
}
