package io.punctual.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

class JacksonCodecTest {
  record Order(String id, BigDecimal total, Instant placedAt) {}

  private static final Order ORDER =
      new Order(
          "ord\u00e9r-\ud83c\udf0d", new BigDecimal("1.10"), Instant.parse("2026-01-02T03:04:05Z"));

  private static byte[] utf8(String json) {
    return json.getBytes(UTF_8);
  }

  @Test
  void encode_record_isReadableJson() {
    assertThat(new String(JacksonCodec.of(Order.class).encode(ORDER), UTF_8))
        .isEqualTo(
            "{\"id\":\"ord\u00e9r-\ud83c\udf0d\",\"total\":1.10,\"placedAt\":\"2026-01-02T03:04:05Z\"}");
  }

  @Test
  void decode_whatWasEncoded_isEqual() {
    Codec<Order> codec = JacksonCodec.of(Order.class);
    assertThat(codec.decode(codec.encode(ORDER))).isEqualTo(ORDER);
  }

  @Test
  void decode_genericType_keepsItsElements() {
    Codec<Map<String, List<Order>>> codec = JacksonCodec.of(new TypeReference<>() {});
    Map<String, List<Order>> payload = Map.of("a", List.of(ORDER, ORDER));
    assertThat(codec.decode(codec.encode(payload))).isEqualTo(payload);
  }

  @Test
  void decode_typeKnownAtRunTime_keepsItsElements() {
    JavaType type =
        JsonMapper.shared().getTypeFactory().constructCollectionType(List.class, Order.class);
    Codec<List<Order>> codec = JacksonCodec.of(type);
    assertThat(codec.decode(codec.encode(List.of(ORDER)))).containsExactly(ORDER);
  }

  @Test
  void encode_ownMapper_isObeyed() {
    JsonMapper snakes =
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
    Codec<Order> codec = JacksonCodec.of(Order.class, snakes);
    assertThat(new String(codec.encode(ORDER), UTF_8)).contains("\"placed_at\":");
    assertThat(codec.decode(codec.encode(ORDER))).isEqualTo(ORDER);
  }

  @Test
  void decode_renamedFieldOfAStrictCodec_isRefused() {
    JacksonCodec<Order> strict = JacksonCodec.of(Order.class).refuseUnknownFields();

    assertThat(strict.decode(strict.encode(ORDER))).isEqualTo(ORDER);
    assertThatThrownBy(() -> strict.decode(utf8("{\"orderId\":\"1\"}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasStackTraceContaining("orderId");
  }

  @Test
  void decode_unknownProperty_isIgnored() {
    assertThat(JacksonCodec.of(Order.class).decode(utf8("{\"id\":\"1\",\"added\":\"later\"}")).id())
        .isEqualTo("1");
  }

  @Test
  void decode_notJson_saysWhichTypeAndWhy() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(Order.class).decode(utf8("{\"id\":")))
        .withMessageContaining("Order")
        .withCauseInstanceOf(JacksonException.class);
  }

  @Test
  void decode_otherType_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(Order.class).decode(utf8("[1, 2]")));
  }

  @Test
  void decode_moreThanOneValue_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(Integer.class).decode(utf8("1 2")));
  }

  @Test
  void decode_nothing_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(Order.class).decode(new byte[0]));
  }

  @Test
  void decode_jsonNull_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(Order.class).decode(utf8("null")))
        .withMessageContaining("null");
  }

  @Test
  void encode_null_isRefused() {
    assertThatNullPointerException()
        .isThrownBy(() -> JacksonCodec.of(Order.class).encode(null))
        .withMessage("payload");
  }

  @Test
  void encode_unwritable_saysWhichTypeAndWhy() {
    List<Object> itself = new java.util.ArrayList<>();
    itself.add(itself);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(new TypeReference<List<Object>>() {}).encode(itself))
        .withMessageContaining("List")
        .withCauseInstanceOf(JacksonException.class);
  }

  @Test
  void toString_namesTheType() {
    assertThat(JacksonCodec.of(Order.class))
        .hasToString("JacksonCodec[" + Order.class.getName() + "]");
  }

  @Test
  void decode_typeThatJacksonCannotConstruct_doesNotBlameTheJson() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(Runnable.class).decode(utf8("{}")))
        .withMessageContaining("cannot read the payload as a java.lang.Runnable")
        .havingCause()
        .withMessageContaining("Cannot construct instance");
  }
}
