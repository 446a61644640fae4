package io.punctual.http.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.punctual.http.message.Draft;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bodies that cost a reader much more than their senders. The work is counted in the bytes that the
 * reading thread takes, because a time depends on the machine.
 */
final class JsonWorkTest {
  private static final int MOST_PAYLOAD = 1 << 20;

  private static String names(int count, String begin, String value) {
    StringBuilder names = new StringBuilder("{");
    IntStream.range(0, count)
        .forEach(
            i ->
                names
                    .append(i == 0 ? "" : ",")
                    .append('"')
                    .append(begin)
                    .append(i)
                    .append("\":")
                    .append(value));
    return names.append('}').toString();
  }

  private static String messages(String payload, int count) {
    return "["
        + ("{\"payload\":" + payload + "},").repeat(count - 1)
        + "{\"payload\":"
        + payload
        + "}]";
  }

  /** Returns messages whose payloads have names that begin in the same way, but differ. */
  private static String payloads(int count, int namesEach, String begin) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{\"payload\":" + names(namesEach, begin + i + "_", "1") + "}")
        .collect(Collectors.joining(",", "[", "]"));
  }

  static Stream<Arguments> bodies() {
    String long1000 = "x".repeat(1_000);
    return Stream.of(
        Arguments.of(
            "{\"payload\":1,\"headers\":" + names(1_000_000, "", "\"\"") + "}", "64 texts", 4),
        Arguments.of(
            "{\"payload\":1,\"headers\":{\"a\":\"" + "x".repeat(20_000_000) + "\"}}",
            "16384 bytes",
            4),
        Arguments.of(
            "{\"id\":\"" + "x".repeat(20_000_000) + "\"}", "/id: has more than 1048576 bytes", 4),
        Arguments.of("{\"payload\":" + names(1_000_000, "", "1") + "}", "1048576 bytes", 4),
        Arguments.of("{\"payload\":[" + "{},".repeat(5_000_000) + "1]}", "1048576 bytes", 4),
        Arguments.of("{\"payload\":\"" + "x".repeat(20_000_000) + "\"}", "1048576 bytes", 4),
        Arguments.of(
            "{\"payload\":\"\\ud83d\\ude00" + "x".repeat(20_000_000) + "\"}", "1048576", 4),
        Arguments.of(
            "{\"payload\":[\"\\ud83d\\ude00" + "x".repeat(20_000_000) + "\"]}", "1048576", 4),
        Arguments.of("{\"payloadBase64\":\"" + "x".repeat(20_000_000) + "\"}", "1048576 bytes", 4),
        Arguments.of(payloads(50, 1_000, long1000), "different names of 64 bytes and more", 20),
        Arguments.of(
            payloads(50, 1_000, "\u4e00".repeat(50)), "different names of 64 bytes and more", 200));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void aBodyBeyondALimit_isRefusedBeforeMuchIsDoneForIt(String json, String why, int most) {
    byte[] body = json.getBytes(UTF_8);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    Throwable refusal = catchThrowable(() -> read(body));
    long taken = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;

    assertThat(refusal).hasMessageContaining(why);
    assertThat(taken).isLessThan((long) most * body.length);
  }

  @Test
  void manyPayloadsWithTheSameNames_areRead() {
    byte[] body = messages(names(500, "x".repeat(1_000), "1"), 100).getBytes(UTF_8);
    assertThat(read(body)).isEqualTo(100);
  }

  @Test
  void manyPayloadsWithSomeLongNamesEach_areRead() {
    String json = payloads(1_000, 30, "x".repeat(75));
    assertThat(read(json.getBytes(UTF_8))).isEqualTo(1_000);
  }

  private static int read(byte[] body) {
    return JsonInput.read(
        body,
        input ->
            input.isArray()
                ? input.array(1_000, each -> Draft.read(each, MOST_PAYLOAD)).size()
                : Draft.read(input, MOST_PAYLOAD).hashCode());
  }
}
