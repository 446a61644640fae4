package io.punctual.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CodecHeadersTest {
  /**
   * Writes the text backwards and adds a header. Reads the text backwards only if the message has
   * this header.
   */
  private static final class Reversing implements Codec<String> {
    @Override
    public byte[] encode(String payload) {
      return payload.getBytes(UTF_8);
    }

    @Override
    public String decode(byte[] bytes) {
      return new String(bytes, UTF_8);
    }

    @Override
    public byte[] encode(String payload, Map<String, String> headers) {
      headers.put("form", "reversed");
      return encode(new StringBuilder(payload).reverse().toString());
    }

    @Override
    public String decode(byte[] bytes, Map<String, String> headers) {
      String text = decode(bytes);
      return "reversed".equals(headers.get("form"))
          ? new StringBuilder(text).reverse().toString()
          : text;
    }
  }

  @Test
  void codec_addsAHeader_seesItInEveryReader() {
    try (ManualWorld world = new ManualWorld()) {
      TimedQueue<String> queue = world.punctual.queue("orders", new Reversing());
      queue.schedule(Message.of("abc").id("a").header("tenant", "t"));
      queue.scheduleAll(List.of(Message.of("def").id("b")));
      assertThat(queue.find("a").orElseThrow().payload()).isEqualTo("abc");
      assertThat(world.queue.find("a").orElseThrow().payload()).isEqualTo("cba");
      assertThat(queue.find("a").orElseThrow().headers())
          .isEqualTo(Map.of("tenant", "t", "form", "reversed"));
      Delivery<String> claimed =
          queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
      assertThat(claimed.payload()).isEqualTo("abc");
      List<String> handled = new ArrayList<>();
      queue.work(ManualWorld.inline().build(), delivery -> handled.add(delivery.payload()));
      world.advance(Duration.ofSeconds(1));
      assertThat(handled).containsExactly("def");
    }
  }

  @Test
  void codec_messageOfAnotherProducer_decodesWithoutTheHeader() {
    try (ManualWorld world = new ManualWorld()) {
      world.queue.schedule(Message.of("abc").id("a"));
      TimedQueue<String> queue = world.punctual.queue("orders", new Reversing());
      assertThat(queue.find("a").orElseThrow().payload()).isEqualTo("abc");
    }
  }

  @Test
  void codec_addsTooManyHeaders_scheduleIsRefused() {
    Codec<String> codec =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return new byte[0];
          }

          @Override
          public String decode(byte[] bytes) {
            return "";
          }

          @Override
          public byte[] encode(String payload, Map<String, String> headers) {
            for (int i = 0; i <= Limits.HEADERS; i++) {
              headers.put("h" + i, "");
            }
            return encode(payload);
          }
        };
    try (ManualWorld world = new ManualWorld()) {
      assertThatThrownBy(() -> world.punctual.queue("orders", codec).schedule("a", Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("headers");
      assertThat(world.queue.counts().ready()).isZero();
    }
  }
}
