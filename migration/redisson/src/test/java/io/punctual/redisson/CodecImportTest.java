package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.jackson.JacksonCodec;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.redisson.codec.JsonJacksonCodec;
import org.redisson.codec.Kryo5Codec;
import org.redisson.codec.TypedJsonJacksonCodec;

/** Imports payloads that codecs of Redisson have written. */
final class CodecImportTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  private static RedisProcess source;
  private static Punctual punctual;
  private String name;

  /** A payload with fields that Redisson's JSON codec marks with the names of classes. */
  record Order(String id, BigDecimal price, List<String> lines, Map<String, Object> notes) {}

  /** The fields of {@link Order}, in a class that Redisson's codecs can create. */
  static final class OrderBean {
    public String id = "order-1";
    public BigDecimal price = new BigDecimal("12.50");
    public List<String> lines = new java.util.ArrayList<>(List.of("tea", "milk"));
    public Map<String, Object> notes = new java.util.HashMap<>(Map.of("weight", 5_000_000_000L));
  }

  @BeforeAll
  static void start() {
    source = RedisProcess.start();
    punctual = Punctual.open("memory:");
  }

  @AfterAll
  static void stop() {
    punctual.close();
    source.close();
  }

  @BeforeEach
  void setName(TestInfo test) {
    name = test.getTestMethod().orElseThrow().getName();
  }

  @Test
  void jsonJacksonCodec_isImportedWithoutTheNamesOfClasses() {
    try (DelayedQueues<Object> redisson =
        new DelayedQueues<>(source.url(), name, new JsonJacksonCodec())) {
      redisson.offer(new OrderBean(), HOUR);
    }
    TimedQueue<Order> orders = punctual.queue(name, JacksonCodec.of(Order.class));

    ImportReport report =
        RedissonImport.from(source.url())
            .queue(name)
            .to(orders, RedissonPayloads.untypedJson(JacksonCodec.of(Order.class)))
            .run();

    assertThat(report.problems()).isEmpty();
    Order order = orders.browse(State.SCHEDULED, 1).items().get(0).payload();
    assertThat(order.id()).isEqualTo("order-1");
    assertThat(order.price()).isEqualByComparingTo("12.50");
    assertThat(order.lines()).containsExactly("tea", "milk");
    assertThat(order.notes()).containsEntry("weight", 5_000_000_000L);
  }

  @Test
  void typedJsonJacksonCodec_isImportedAsItIs() {
    try (DelayedQueues<OrderBean> redisson =
        new DelayedQueues<>(source.url(), name, new TypedJsonJacksonCodec(OrderBean.class))) {
      redisson.offer(new OrderBean(), HOUR);
    }
    TimedQueue<Order> orders = punctual.queue(name, JacksonCodec.of(Order.class));

    ImportReport report =
        RedissonImport.from(source.url())
            .queue(name)
            .to(orders, RedissonPayloads.json(JacksonCodec.of(Order.class)))
            .run();

    assertThat(report.problems()).isEmpty();
    assertThat(orders.browse(State.SCHEDULED, 1).items().get(0).payload().lines())
        .containsExactly("tea", "milk");
  }

  @Test
  void kryoCodec_isReadByTheAdaptedCodec() {
    io.punctual.Codec<String> adapted = RedissonCodecs.of(new Kryo5Codec(), String.class);
    try (DelayedQueues<String> redisson =
        new DelayedQueues<>(source.url(), name, new Kryo5Codec())) {
      redisson.offer("kept by kryo", HOUR);
    }
    TimedQueue<byte[]> bytes = punctual.queue(name, Codec.bytes());

    ImportReport report = RedissonImport.from(source.url()).queue(name).to(bytes).run();

    assertThat(report.isClean()).isTrue();
    assertThat(punctual.queue(name, adapted).browse(State.SCHEDULED, 1).items().get(0).payload())
        .isEqualTo("kept by kryo");
  }
}
