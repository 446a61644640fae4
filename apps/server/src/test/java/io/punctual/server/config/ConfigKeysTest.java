package io.punctual.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keys of the configuration: each is on the page, and a reload uses it or names it. */
class ConfigKeysTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "PUNCTUAL_STORE",
          "redis://x",
          "SHOP_TOKEN_SHA256",
          DIGEST,
          "OTHER",
          "f".repeat(64),
          "CRM_SECRET",
          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

  /** A line of the page for each key, and another value of it. */
  private static final Map<String, List<String>> CHANGES =
      Map.ofEntries(
          Map.entry("store", List.of("env:PUNCTUAL_STORE", "redis://other")),
          Map.entry("host", List.of("host: 0.0.0.0", "host: 127.0.0.1")),
          Map.entry("port", List.of("port: 8420", "port: 8421")),
          Map.entry("names", List.of("queue.example]", "queue.example, other.example]")),
          Map.entry("tls.certificate", List.of("server.pem", "other.pem")),
          Map.entry("tls.key", List.of("server.key", "other.key")),
          Map.entry("tls.clientAuthorities", List.of("clients.pem", "others.pem")),
          Map.entry("proxies", List.of("10.0.0.7", "10.0.0.8")),
          Map.entry("behindProxy", List.of("behindProxy: false", "behindProxy: true")),
          Map.entry("roles", List.of("observe: orders.", "observe: other.")),
          Map.entry("tokens", List.of("env:SHOP_TOKEN_SHA256", "env:OTHER")),
          Map.entry("certificates", List.of("CN=billing", "CN=other")),
          Map.entry("issuers", List.of("audience: punctual", "audience: other")),
          Map.entry("retries", List.of("[10s, 1m, 10m]", "[10s, 1m, 9m]")),
          Map.entry("webhooks", List.of("https://crm.example", "https://other.example")),
          Map.entry("webhookNetwork", List.of("10.1.0.0/16", "10.2.0.0/16")),
          Map.entry("readOnly", List.of("readOnly: false", "readOnly: true")));

  @TempDir private Path folder;

  private String page = "";

  @BeforeEach
  void read() throws IOException {
    String all = Files.readString(Path.of("..", "..", "docs", "server.md"));
    String yaml = all.substring(all.indexOf("```yaml") + 7);
    page = yaml.substring(0, yaml.indexOf("```"));
    TestServer.write(folder.resolve("server.key"), "");
    TestServer.write(folder.resolve("other.key"), "");
  }

  private ServerConfig.Options options(String yaml) {
    Path file = TestServer.write(folder.resolve("punctual.yaml"), yaml);
    return new ServerConfig.Options(file, null, null, null, null);
  }

  private ServerConfig config(String yaml) {
    return ServerConfig.read(options(yaml), ENVIRONMENT);
  }

  @Test
  void everyKey_isOnThePage_andEveryKeyOfThePage_isKnown() {
    ServerConfig.Options options = options(page);
    Section root = ServerConfig.root(options, ENVIRONMENT);
    ServerConfig unused = ServerConfig.of(root, options);
    Set<String> known = new TreeSet<>(root.known());
    Set<String> present = new TreeSet<>(root.present());
    known.removeIf(key -> key.startsWith("roles."));
    present.removeIf(key -> key.startsWith("roles."));

    assertThat(present).isEqualTo(known);
    Set<String> table = new TreeSet<>();
    ConfigKey.ALL.forEach(key -> table.add(key.name()));
    known.removeIf(
        key ->
            key.matches(
                "(tokens|certificates|issuers|retries|webhooks|webhookNetwork)\\..*|limits"));
    assertThat(table).isEqualTo(known);
  }

  @Test
  void limitsOfThePage_areThoseOfAServerWithoutAFile() {
    LimitsConfig usual =
        ServerConfig.read(new ServerConfig.Options(null, null, null, null, null), Map.of())
            .limits();
    LimitsConfig limits = config(page).limits();

    assertThat(limits).usingRecursiveComparison().ignoringFields("bodyMemory").isEqualTo(usual);
  }

  @Test
  void everyKey_isUsedByAReload_orNamed() {
    ServerConfig before = config(page);
    List<String> asked = new ArrayList<>();
    for (ConfigKey key : ConfigKey.ALL) {
      ServerConfig next = config(changed(key.name()));
      assertThat(key.differs(before, next)).as(key.name()).isTrue();
      ServerConfig mixed = before.reloaded(next);
      assertThat(key.differs(mixed, next)).as(key.name()).isNotEqualTo(key.isReloaded());
      assertThat(before.needRestart(next).contains(key.name()))
          .as(key.name())
          .isNotEqualTo(key.isReloaded());
      asked.add(key.name());
    }
    assertThat(asked).hasSizeGreaterThan(20);
  }

  private String changed(String key) {
    if (key.equals("tls")) {
      String without =
          page.substring(0, page.indexOf("tls:")) + page.substring(page.indexOf("roles:"));
      return without
          .replaceAll("(?s)certificates:.*issuers:", "issuers:")
          .replace("behindProxy: false", "behindProxy: true");
    }
    if (key.startsWith("limits.")) {
      String name = key.substring("limits.".length());
      String changed = page.replaceAll("(?m)^(  " + name + ": )\\d", "$17");
      assertThat(changed).as(key).isNotEqualTo(page);
      return changed;
    }
    List<String> change = CHANGES.get(key);
    assertThat(change).as("a change of " + key).isNotNull();
    assertThat(page).contains(change.get(0));
    return page.replace(change.get(0), change.get(1));
  }

  @Test
  void reloadThatWouldOpenTheServer_isRefused_whateverHostTheFileHas() {
    ServerConfig before = config(page);
    ServerConfig open = config("host: 127.0.0.1");

    assertThatThrownBy(() -> before.reloaded(open))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("would serve everybody on 0.0.0.0");
  }
}
