package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bodies that other readers accept or fail at. */
final class HostileJsonTest {
  private final ApiDriver api = ApiDriver.memory();

  @AfterEach
  void close() {
    api.close();
  }

  static Stream<Arguments> bodies() {
    return Stream.of(
        Arguments.of("", "empty"),
        Arguments.of("null", "object"),
        Arguments.of("1", "object"),
        Arguments.of("{", "Not valid JSON"),
        Arguments.of("{'payload':1}x", "Not valid JSON"),
        Arguments.of("{'payload':1} {}", "further value"),
        Arguments.of("{'payload':1,'payload':2}", "Duplicate"),
        Arguments.of("{'payload':{'a':1,'a':2}}", "Duplicate"),
        Arguments.of("{'payload':'\\ud800'}", "surrogate"),
        Arguments.of("{'payload':{'\\udc00':1}}", "surrogate"),
        Arguments.of("{'payload':['\\ud83d\\ud83d']}", "surrogate"),
        Arguments.of("{'id':'\\ud800','payload':1}", "surrogate"),
        Arguments.of("{'payload':" + "[".repeat(101) + "]".repeat(101) + "}", "limits"),
        Arguments.of("[".repeat(100_001), "array"),
        Arguments.of("{'payload':" + "[".repeat(100_001), "limits"),
        Arguments.of("{'payload':" + "1".repeat(101) + "}", "limits"),
        Arguments.of("{'payload':NaN}", "Not valid JSON"),
        Arguments.of("{'payload':+1}", "Not valid JSON"),
        Arguments.of("{'payload':01}", "Not valid JSON"),
        Arguments.of("{'payload':1,}", "Not valid JSON"),
        Arguments.of("{'payload':1 /* c */}", "Not valid JSON"),
        Arguments.of("{'payload':1,'delay':10}", "/delay: expected a text"),
        Arguments.of("{'payload':1,'delay':'10 minutes'}", "duration"),
        Arguments.of("{'payload':1,'delay':'1s','dueAt':'2030-01-01T00:00:00Z'}", "either"),
        Arguments.of("{'payload':1,'dueAt':'2030-01-01'}", "instant"),
        Arguments.of("{'payload':1,'dueAt':'+999999999-01-01T00:00:00Z'}", "four digits"),
        Arguments.of("{'payload':1,'delay':'P999999999D'}", "365250"),
        Arguments.of("{'payload':1,'idd':'1'}", "did you mean 'id'"),
        Arguments.of("{'payload':1,'Delay':'1s'}", "did you mean 'delay'"),
        Arguments.of("{'payload':1,'id':''}", "id"),
        Arguments.of("{'payload':1,'id':'" + "ä".repeat(129) + "'}", "256"),
        Arguments.of("{'payload':1,'headers':{'a':1}}", "/headers/a"),
        Arguments.of("{'payload':1,'ifPresent':'perhaps'}", "keep, reject"),
        Arguments.of("{'payload':1,'rememberFor':'0s'}", "remembered"),
        Arguments.of("{'payload':1,'recurrence':{}}", "every"),
        Arguments.of("{'payload':1,'recurrence':{'cron':'x'}}", "recurrence"),
        Arguments.of("{'payload':1,'recurrence':{'cron':'* * * * *','zone':'X/Y'}}", "zone"),
        Arguments.of("{'payloadBase64':'!'}", "Base64"),
        Arguments.of("{'id':'1'}", "payload"),
        Arguments.of("{'payload':1,'payloadText':true}", "must be a text"));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void body_isRefused_andTheReasonIsTold(String json, String reason) {
    api.post("/v1/queues/q/messages", json).isProblem(400, "invalid", reason);
    assertThat(api.punctual.queues()).doesNotContain("q");
  }

  @Test
  void bytesThatAreNotUtf8_areRefused() {
    byte[][] bytes = {{(byte) 0xff}, {(byte) 0xc0, (byte) 0xaf}, {(byte) 0xed, (byte) 0xa0, 0x20}};
    for (byte[] wrong : bytes) {
      String text = "{\"payload\":\"" + new String(wrong, StandardCharsets.ISO_8859_1) + "\"}";
      api.send(
              TestHead.of("POST", "/v1/queues/q/messages", "Content-Type", "application/json"),
              text.getBytes(StandardCharsets.ISO_8859_1))
          .isProblem(400, "invalid", "UTF-8");
    }
  }

  @Test
  void numbersBeyondTheRange_areToldClearly() {
    for (String max : new String[] {"9223372036854775808", "-9223372036854775809", "1e3", "0"}) {
      api.post("/v1/queues/q/claims", "{'max':" + max + "}").isProblem(400, "invalid", "/max");
    }
  }
}
