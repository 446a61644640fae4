package io.punctual.view;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PayloadViewTest {
  private static Map<String, ?> tree(byte[] payload, Redaction redaction) {
    return PayloadView.of(payload, redaction).tree();
  }

  private static Map<String, ?> tree(String payload, Redaction redaction) {
    return tree(payload.getBytes(UTF_8), redaction);
  }

  @Test
  void json_isTheValue() {
    assertThat(tree("{\"a\":1}", Redaction.NONE))
        .isEqualTo(Map.of("payload", JsonText.of("{\"a\":1}").orElseThrow()));
  }

  @Test
  void otherText_isToldApartFromAJsonString() {
    assertThat(tree("hello", Redaction.NONE))
        .isEqualTo(Map.of("payload", "hello", "payloadText", true));
    assertThat(tree("", Redaction.NONE)).isEqualTo(Map.of("payload", "", "payloadText", true));
    assertThat(tree("\"hello\"", Redaction.NONE))
        .isEqualTo(Map.of("payload", JsonText.of("\"hello\"").orElseThrow()));
  }

  @Test
  void bytesThatAreNoText_areBase64() {
    assertThat(tree(new byte[] {(byte) 0xff, 0, 1}, Redaction.NONE))
        .isEqualTo(Map.of("payloadBase64", "/wAB"));
    byte[] overlong = {(byte) 0xc0, (byte) 0xaf};
    assertThat(tree(overlong, Redaction.NONE)).isEqualTo(Map.of("payloadBase64", "wK8="));
    byte[] surrogate = {(byte) 0xed, (byte) 0xa0, (byte) 0x80};
    assertThat(tree(surrogate, Redaction.NONE)).isEqualTo(Map.of("payloadBase64", "7aCA"));
  }

  @Test
  void contentsThatAreNotShown_leaveNoTrace() {
    assertThat(tree("{\"a\":1}", Redaction.CONTENTS)).isEmpty();
    assertThat(tree("hello", Redaction.CONTENTS)).isEmpty();
    assertThat(tree(new byte[] {(byte) 0xff}, Redaction.CONTENTS)).isEmpty();
    assertThat(Redaction.CONTENTS.headers(Map.of("a", "1"))).isNull();
    assertThat(Redaction.CONTENTS.failure("card 4711")).isNull();
  }

  @Test
  void fieldsByName_areRedactedAtAnyDepth() {
    Redaction redaction = Redaction.of(List.of("Authorization"), List.of("Card"));
    assertThat(
            tree("{\"n\":1,\"card\":\"4711\",\"in\":[{\"CARD\":{\"no\":4711}}]}", redaction)
                .get("payload"))
        .hasToString("{n=1, card=[redacted], in=[{CARD=[redacted]}]}");
    assertThat(tree("null", redaction)).containsKey("payload");
    assertThat(redaction.headers(Map.of("authorization", "Bearer x", "tenant", "acme")))
        .isEqualTo(Map.of("authorization", "[redacted]", "tenant", "acme"));
  }

  @Test
  void payloadsWhoseFieldsCantBeTold_areHiddenFromARedactionByFields() {
    Redaction redaction = Redaction.of(List.of(), List.of("card"));
    assertThat(tree("card=4711", redaction)).isEmpty();
    assertThat(tree(new byte[] {(byte) 0xff}, redaction)).isEmpty();
    assertThat(tree("card=4711", Redaction.of(List.of("h"), List.of()))).isNotEmpty();
  }
}
