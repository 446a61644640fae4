package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CodecTest {
  @Test
  void string_anyText_comesBackUnaltered() {
    String text = "a\u0000ä\n\ud83d\ude00";
    assertThat(Codec.string().decode(Codec.string().encode(text))).isEqualTo(text);
  }

  @Test
  void string_whatIsNoText_refusedRatherThanAltered() {
    assertThatThrownBy(() -> Codec.string().encode("\udc00")).hasMessageContaining("surrogate");
    assertThatThrownBy(() -> Codec.string().decode(new byte[] {(byte) 0xc0, 0}))
        .hasMessageContaining("UTF-8");
  }

  @Test
  void bytes_encode_keepsACopy() {
    byte[] payload = {1, 2};
    byte[] encoded = Codec.bytes().encode(payload);
    payload[0] = 9;
    assertThat(encoded).containsExactly(1, 2);
  }
}
