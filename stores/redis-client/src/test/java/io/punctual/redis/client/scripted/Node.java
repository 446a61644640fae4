package io.punctual.redis.client.scripted;

/** Replies of a usable server, for the checks of a client that opens. */
public final class Node {
  private Node() {}

  /** Makes a server reply like a primary of Redis 7.2 outside a Cluster. */
  public static ScriptedServer single(ScriptedServer server) {
    return primary(server, "7.2.4", "standalone");
  }

  /** Makes a server reply like a primary of Redis 7.2 in a Cluster. */
  public static ScriptedServer clustered(ScriptedServer server) {
    return primary(server, "7.2.4", "cluster");
  }

  /** Makes a server reply like a primary of this version and mode. */
  public static ScriptedServer primary(ScriptedServer server, String version, String mode) {
    return server
        .answer("INFO server", Resp.info("redis_version:" + version, "redis_mode:" + mode))
        .answer("INFO replication", Resp.info("role:master"))
        .answer("INFO memory", Resp.info("maxmemory_policy:noeviction"))
        .answer("PING", Resp.PONG)
        .answer("EVALSHA", Resp.text(""));
  }
}
