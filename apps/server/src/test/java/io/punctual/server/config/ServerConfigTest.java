package io.punctual.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.RetryPolicy;
import io.punctual.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerConfigTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @TempDir private Path folder;

  private ServerConfig read(String yaml) {
    Path file = TestServer.write(folder.resolve("punctual.yaml"), yaml);
    return ServerConfig.read(
        new ServerConfig.Options(file, null, null, null, null),
        Map.of("STORE", "redis://x", "DIGEST", DIGEST));
  }

  @Test
  void noFile_meansAJournalOnLoopback() {
    ServerConfig config =
        ServerConfig.read(new ServerConfig.Options(null, null, null, null, null), Map.of());

    assertThat(config.store()).isEqualTo("journal:./punctual-data");
    assertThat(config.host()).isEqualTo("127.0.0.1");
    assertThat(config.port()).isEqualTo(8420);
    assertThat(config.access().isOpen()).isTrue();
    assertThat(config.limits().idleTime()).isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void aValue_canBeAVariableOrAFile() {
    TestServer.write(folder.resolve("digest"), DIGEST + "\n");

    ServerConfig config =
        read(
            """
            store: env:STORE
            roles: {all: {observe: '*'}}
            tokens: [{id: a, sha256: 'file:digest', role: all}]
            """);

    assertThat(config.store()).isEqualTo("redis://x");
    assertThat(config.access().tokens()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "prot: 1 | :1: 'prot' is unknown; the nearest key is 'port'",
        "limits: {polsPerCaller: 1} | the nearest key is 'pollsPerCaller'",
        "roles: {a: {consum: x}} | the nearest key is 'consume'",
        "tokens: [{id: a, sha256: env:DIGEST, role: b}] | the role 'b', which 'roles' has not",
        "tokens: [{id: a, role: b}] | 'sha256' is missing",
        "tokens: [{id: a_b, sha256: env:DIGEST, role: r}] | letters, digits, dots and hyphens",
        "tokens: [{id: a, sha256: 12, role: r}] | 64 hexadecimal digits",
        "tokens: [{id: a, sha256: env:NONE, role: []}] | has no variable NONE",
        "store: file:none | does not exist",
        "store: redis | The URL of the store is wrong",
        "store: memory:?operationTimeout=soon | operationTimeout must be a number with ms",
        "port: 65536 | 'port' must be 0 to 65535",
        "port: abc | 'port' is wrong",
        "port: [1] | must be a single value",
        "limits: {drainTime: 20} | a number with ms, s, m, h or d",
        "limits: {headTime: 999999d} | 'headTime' is wrong: it must be at most 100000d",
        "behindProxy: yes | must be true or false",
        "proxies: [proxy.example] | no address or network",
        "proxies: [10.0.0.0/99] | impossible number of bits",
        "tls: {certificate: a} | needs 'certificate' and 'key'",
        "certificates: [{subject: CN=a, role: r}] | need 'clientAuthorities'",
        "certificates: [{subject: a, role: r}] | 'subject' is wrong",
        "certificates: [{subject: 'CN=a,O=b', role: r}, {subject: 'cn=A, o=B', role: r}] | twice",
        "issuers: [{issuer: a, audience: b, keys: 'http://a/k'}] | must be an https:// address",
        "issuers: [{issuer: a, audience: b, keys: 'https://u:p@a/k'}] | without a user",
        "host: 0.0.0.0 | would serve everybody",
        "retries: [{queue: a, prefix: a}] | 'prefix' can't be beside 'queue'",
        "retries: [{queue: a}, {prefix: a}, {queue: a}] | 'queue' has another entry",
        "retries: [{maxAttempts: 2}, {maxAttempts: 3}] | 'prefix' has another entry",
        "retries: [{queue: 'a b'}] | 'queue' is wrong: A queue's name has",
        "retries: [{delays: [1s], max: 1m}] | 'delays' can't be beside 'first' and 'max'",
        "retries: [{delays: []}] | 'maxAttempts: 1' is for no retries",
        "retries: [{delays: [soon]}] | a number with ms, s, m, h or d",
        "retries: [{delays: [400000d]}] | 'delays' is wrong",
        "retries: [{first: 2m, max: 1m}] | 'first' is wrong: first must be positive and max not",
        "retries: [{max: 0s}] | 'max' is wrong",
        "retries: [{maxAttempts: 0}] | 'maxAttempts' must be 1 to 1000000",
        "retries: [{queues: a}] | 'queues' is unknown; the nearest key is 'queue'",
        "[1, 2] | must be a mapping",
        "a: b: c | no valid YAML",
        "{port: 1, port: 2} | port"
      })
  void aWrongFile_isRefused(String yaml, String why) {
    String roles = yaml.contains("role: r") ? "\nroles: {r: {observe: x}}" : "";

    assertThatThrownBy(() -> read(yaml + roles))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @CsvSource({
    "other, 6, 1",
    "mail, 6, 1",
    "mail.a, 5, 1",
    "mail.bulk.a, 3, 30",
    "mail.bulk., 3, 30",
    "mail.bulk.x, 2, 10",
    "mail.bulk.xy, 3, 30"
  })
  void retriesOfAQueue_areItsOwn_orThoseOfTheLongestPrefix(String queue, int attempts, int bound) {
    RetryPolicy policy =
        read("""
                retries:
                - {prefix: mail.}
                - {queue: mail.bulk.x, delays: [10s]}
                - {prefix: mail.bulk., maxAttempts: 3, delays: [30s, 1m]}
                - {maxAttempts: 6}
                """)
            .retries()
            .policy(queue);

    assertThat(policy.maxAttempts()).isEqualTo(attempts);
    Exception failure = new Exception();
    assertThat(policy.delayAfter(1, failure, largest()).orElseThrow())
        .isEqualTo(Duration.ofSeconds(bound));
    assertThat(policy.delayAfter(attempts, failure, largest())).isEmpty();
  }

  @Test
  void exponentialRetries_growFromFirstToMax() {
    RetryPolicy policy =
        read("retries: [{first: 100ms, max: 350ms, maxAttempts: 9}]").retries().policy("q");

    Exception failure = new Exception();
    for (int[] bound : new int[][] {{1, 100}, {2, 200}, {3, 350}, {8, 350}}) {
      assertThat(policy.delayAfter(bound[0], failure, largest()).orElseThrow())
          .isEqualTo(Duration.ofMillis(bound[1]));
    }
  }

  /** Makes each random delay the largest. */
  private static RandomGenerator largest() {
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        return Long.MAX_VALUE;
      }

      @Override
      public long nextLong(long bound) {
        return bound - 1;
      }
    };
  }

  @ParameterizedTest
  @CsvSource({"behindProxy: true, true", "behindProxy: false, false"})
  void anotherAddress_needsTlsOrAProxy(String line, boolean allowed) {
    String yaml =
        """
        host: 0.0.0.0
        roles: {all: {observe: '*'}}
        tokens: [{id: a, sha256: env:DIGEST, role: all}]
        """;

    if (allowed) {
      assertThat(read(yaml + line).host()).isEqualTo("0.0.0.0");
    } else {
      assertThatThrownBy(() -> read(yaml + line)).hasMessageContaining("in the clear");
    }
  }

  @Test
  void aFileThatOthersCanRead_isRefused() throws IOException {
    Path file = TestServer.write(folder.resolve("open.yaml"), "port: 1");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    assertThatThrownBy(
            () ->
                ServerConfig.read(new ServerConfig.Options(file, null, null, null, null), Map.of()))
        .hasMessageContaining("chmod o-rwx");
  }
}
