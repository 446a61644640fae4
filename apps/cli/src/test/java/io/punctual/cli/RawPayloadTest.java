package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.Test;

class RawPayloadTest {
  private static final byte[] BYTES = {(byte) 0xff, 0, '\n', (byte) 0xfe};
  private static final String BASE64 = "/wAK/g==";

  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  private String payload(String field, String id) {
    return cli.run("show", "q", id, "-o", "json").json().get(field).asString();
  }

  @Test
  void schedule_lineWithBase64_storesTheBytes() {
    Cli.Result result =
        cli.input("{\"id\":\"a\",\"delay\":\"1h\",\"payloadBase64\":\"" + BASE64 + "\"}")
            .run("schedule", "q");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(payload("payloadBase64", "a")).isEqualTo(BASE64);
  }

  @Test
  void schedule_badBase64OrTwoPayloads_areNamed() {
    Cli.Result result =
        cli.input(
                "{\"delay\":\"1h\",\"payloadBase64\":\"?\"}\n"
                    + "{\"delay\":\"1h\",\"payload\":1,\"payloadBase64\":\""
                    + BASE64
                    + "\"}\n"
                    + "{\"delay\":\"1h\",\"payloadBase64\":1}")
            .run("schedule", "q");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err().lines())
        .containsExactly(
            "line 1 has a payloadBase64 that is not Base64",
            "line 2 has both payload and payloadBase64",
            "line 3 has a field 'payloadBase64' that is not a string");
  }

  @Test
  void pipe_base64_comesBackTheSame() {
    Cli.Result result =
        cli.input("{\"delay\":\"0s\",\"payloadBase64\":\"" + BASE64 + "\"}").run("pipe");

    assertThat(result.jsonLines().get(0).get("payloadBase64").asString()).isEqualTo(BASE64);
  }

  @Test
  void schedule_rawBody_isStoredUnchangedAndWithoutWarning() {
    Cli.Result result = cli.run("schedule", "q", "{not json", "--id", "a", "--raw", "--in", "1h");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(cli.run("show", "q", "a", "--raw").out()).isEqualTo("{not json");
  }

  @Test
  void schedule_rawInput_isOnePayload() {
    cli.in = new ByteArrayInputStream(BYTES);

    assertThat(cli.run("schedule", "q", "--id", "a", "--raw", "--in", "1h").exitCode()).isZero();
    assertThat(payload("payloadBase64", "a")).isEqualTo(BASE64);
  }

  @Test
  void consume_raw_writesPayloadsOnly() {
    cli.run("schedule", "q", "one", "--raw");
    cli.run("schedule", "q", "{\"two\":2}");

    Cli.Result result = cli.run("consume", "q", "--raw", "--exit-when-idle", "100ms");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out().lines()).containsExactly("one", "{\"two\":2}");
  }

  @Test
  void schedule_linesOfWhichOneExists_isFour() {
    String line = "{\"id\":\"a\",\"delay\":\"1h\",\"payload\":1}";
    assertThat(cli.input(line).run("schedule", "q").exitCode()).isZero();

    Cli.Result again =
        cli.input(line + "\n{\"id\":\"b\",\"delay\":\"1h\",\"payload\":1}").run("schedule", "q");

    assertThat(again.exitCode()).isEqualTo(4);
    assertThat(again.out()).isEqualTo("a\nb\n");
  }
}
