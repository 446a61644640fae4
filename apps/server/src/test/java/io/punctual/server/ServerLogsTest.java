package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.AccessToken;
import io.punctual.kit.process.Command;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads all that a server writes to its log. */
class ServerLogsTest {
  private final String token = AccessToken.generate("shop");
  private final int port = FreePorts.next();

  @TempDir private Path folder;

  private String config(String more) {
    return """
    roles: {all: {observe: '*', produce: '*', consume: '*'}}
    tokens: [{id: shop, sha256: %s, role: all}]
    %s\
    """
        .formatted(AccessToken.sha256(token), more);
  }

  private JavaProcess serve(String store, Path file) {
    return JavaProcess.of(ServerMain.class)
        .small()
        .options(
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
            "-Dorg.slf4j.simpleLogger.log.io.punctual=debug")
        .arguments(store, Integer.toString(port), file.toString())
        .start();
  }

  private static void hangUp(JavaProcess server) throws IOException {
    Command.of(List.of("kill", "-HUP", Long.toString(server.pid()))).run();
  }

  @Test
  void noLogHasATokenOrAPayload() throws IOException {
    Path file = TestServer.write(folder.resolve("punctual.yaml"), config(""));
    try (JavaProcess server = serve("memory:", file)) {
      server.awaitLine("ready");
      try (RawClient client = RawClient.connect(port)) {
        String json = "\nContent-Type: application/json\nAuthorization: Bearer ";
        String schedule = "POST /v1/queues/mail/messages HTTP/1.1" + json;
        String body = "{\"id\":\"a\",\"payload\":\"secret-payload\"}";
        assertThat(client.request(schedule + token, body).status()).isEqualTo(201);
        client.request("POST /v1/queues/mail/claims HTTP/1.1" + json + token, "{\"max\":1}");
        client.request(schedule + token, "{\"payload\":\"secret-payload\",}");
      }
      try (RawClient client = RawClient.connect(port)) {
        client.request("GET /v1/queues HTTP/1.1\nAuthorization: Bearer " + token + "x", "");
      }
      server.awaitText("WRONG_TOKEN");
      reload(server, file);

      assertThat(server.end()).isEqualTo(143);

      assertThat(server.log())
          .contains("Ended")
          .doesNotContain("Serves memory:") // The command says so; once is enough.
          .doesNotContain(token, "secret-payload", AccessToken.sha256(token));
    }
  }

  private void reload(JavaProcess server, Path file) throws IOException {
    if (isHangUpIgnored()) {
      server.awaitText("SIGHUP is ignored, as by nohup");
      return;
    }
    TestServer.write(file, config("prot: 1"));
    hangUp(server);
    server.awaitText("'prot' is unknown; the nearest key is 'port'");
    TestServer.write(file, config("proxies: [10.0.0.7]\nlimits: {idleTime: 80s, polls: 7}\n"));
    hangUp(server);
    server.awaitText("new values of proxies, limits.idleTime, which need a restart");
    server.awaitText("The configuration is reloaded");
  }

  /** Returns whether this process, and so its child processes, ignore SIGHUP, which is number 1. */
  private static boolean isHangUpIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .anyMatch(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16) % 2 == 1);
  }

  @Test
  void noLogHasThePasswordOfTheStore() {
    Path file = TestServer.write(folder.resolve("punctual.yaml"), config(""));
    String url = "redis://user:secret-password@127.0.0.1:" + FreePorts.next();
    try (JavaProcess server = serve(url, file)) {
      assertThat(server.awaitExit()).isNotZero();

      assertThat(server.log()).contains("127.0.0.1").doesNotContain("secret-password");
    }
  }
}
