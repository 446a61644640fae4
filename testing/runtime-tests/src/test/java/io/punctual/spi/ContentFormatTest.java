package io.punctual.spi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ContentFormatTest {
  private static final HexFormat HEX = HexFormat.of();

  private static void expectRoundTrip(Content content) {
    Content read = ContentFormat.decode(ContentFormat.encode(content));
    assertThat(read.payload()).isEqualTo(content.payload());
    // The recursive comparison would compare the bytes of the payload one by one, by reflection.
    assertThat(read).usingRecursiveComparison().ignoringFields("payload").isEqualTo(content);
    assertThat(read.headers().keySet()).containsExactlyElementsOf(content.headers().keySet());
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "100, 2", "127, 2", "128, 3", "16383, 3", "16384, 4", "1048576, 4"})
  void encode_payloadOnly_takesFewBytesMore(int size, int more) {
    byte[] payload = new byte[size];
    new Random(size).nextBytes(payload);
    assertThat(ContentFormat.encode(Content.of(payload))).hasSize(size + more);
    expectRoundTrip(Content.of(payload));
  }

  @Test
  void decode_everythingSet_readsItAll() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("tenant", "a");
    headers.put("", "");
    headers.put("größe", "\uD83D\uDC18".repeat(100));
    expectRoundTrip(new Content("payload".getBytes(UTF_8), headers, 1_700_000_000_123L));
    expectRoundTrip(new Content(new byte[0], headers, Content.ALWAYS));
    expectRoundTrip(new Content(new byte[0], Map.of(), -1));
    expectRoundTrip(new Content("payload".getBytes(UTF_8), headers, -1, 1_700_000_000_456L));
    expectRoundTrip(new Content(new byte[0], Map.of(), Content.ALWAYS, -7));
    expectRoundTrip(new Content(new byte[0], Map.of(), Long.MIN_VALUE));
  }

  /** Stored messages must stay readable, so these bytes must never change their meaning. */
  @Test
  void encode_knownContents_writesTheDocumentedBytes() {
    assertThat(ContentFormat.encode(Content.of("ab".getBytes(UTF_8))))
        .isEqualTo(HEX.parseHex("10" + "02" + "6162"));
    assertThat(ContentFormat.encode(new Content("ab".getBytes(UTF_8), Map.of("k", "v"), 256)))
        .isEqualTo(
            HEX.parseHex("13" + "0000000000000100" + "01" + "016b" + "0176" + "02" + "6162"));
    assertThat(ContentFormat.encode(new Content("ab".getBytes(UTF_8), Map.of(), 256, 0x102)))
        .isEqualTo(HEX.parseHex("16" + "0000000000000100" + "0000000000000102" + "02" + "6162"));
  }

  @Test
  void decode_cutOffAnywhere_refused() {
    byte[] whole =
        ContentFormat.encode(new Content("payload".getBytes(UTF_8), Map.of("key", "value"), 7, 8));
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ContentFormat.decode(part))
          .withMessageStartingWith("Not the content of a message: ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10026162ff", // an extra byte after the payload
        "00", // version 0
        "2000", // version 2
        "1800", // an unknown flag
        "10ffffffff7f", // a length beyond an int
        "10ffffffffffffffffff01", // a length beyond a long
        "1101" + "01ff" + "0176" + "00", // a header that is not UTF-8
        "11ffffffff07" + "0000", // more headers than bytes
        "7b226b223a317d", // the text {"k":1}, which has no version
      })
  void decode_otherBytes_refused(String hex) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ContentFormat.decode(HEX.parseHex(hex)))
        .withMessageStartingWith("Not the content of a message: ");
  }

  @Test
  void decode_randomBytes_readOrRefused() {
    Random random = new Random(42);
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      if (bytes.length > 0) {
        bytes[0] = (byte) (0x10 | random.nextInt(8));
      }
      try {
        expectRoundTrip(ContentFormat.decode(bytes));
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("Not the content of a message: ");
      }
    }
  }
}
