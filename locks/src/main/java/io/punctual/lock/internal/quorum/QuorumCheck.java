package io.punctual.lock.internal.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Request;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that the servers of a quorum are independent of each other. */
public final class QuorumCheck {
  /** The run id: a random name that a server chooses when it starts. */
  private static final Pattern RUN_ID = Pattern.compile("run_id:(\\w+)");

  private QuorumCheck() {}

  /**
   * Checks that all servers are different, and that no server belongs to Sentinels, to a Cluster or
   * to a proxy. Servers that do not reply are not compared.
   *
   * @throws IllegalArgumentException if a check fails; the message names the server
   */
  public static void check(List<LockSession> servers) {
    servers.forEach(server -> checkKind(server.client().deployment()));
    Map<LockSession, CompletableFuture<String>> ids = new LinkedHashMap<>();
    for (LockSession server : servers) {
      if (ids.put(server, runId(server)) != null) {
        throw twice(server, server);
      }
    }
    Map<String, LockSession> known = new HashMap<>();
    ids.forEach(
        (server, runId) -> {
          String id = runId.join();
          LockSession other = id.isEmpty() ? null : known.put(id, server);
          if (other != null) {
            throw twice(other, server);
          }
        });
  }

  private static void checkKind(Deployment server) {
    if (server.hasFailOver() || !server.isOneServer()) {
      throw new IllegalArgumentException(
          server.describe()
              + " is not an independent server; name each server of a quorum with"
              + " redis://host:port, without Sentinels, a Cluster or a proxy");
    }
  }

  private static IllegalArgumentException twice(LockSession one, LockSession other) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "%s and %s are the same server, which has a single vote; name independent servers",
            one.client().deployment().describe(),
            other.client().deployment().describe()));
  }

  /**
   * Returns the run id of the server; empty if the server does not reply. The future does not fail.
   */
  private static CompletableFuture<String> runId(LockSession server) {
    LockClient client = server.client();
    CompletableFuture<String> id = new CompletableFuture<>();
    client.after(client.answerTimeoutNanos(), () -> id.complete(""));
    client
        .deployment()
        .link(client.namespace().getBytes(UTF_8))
        .send(Request.of(CommandType.INFO, "server"))
        .thenApply(QuorumCheck::runId)
        .exceptionally(silent -> "")
        .thenAccept(id::complete);
    return id;
  }

  private static String runId(RedisReply info) {
    Matcher id = RUN_ID.matcher(new LockReplyReader(info).text());
    return id.find() ? id.group(1) : "";
  }
}
