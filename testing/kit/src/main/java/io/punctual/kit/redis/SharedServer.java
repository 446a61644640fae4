package io.punctual.kit.redis;

/**
 * The server that the tests of a Java process share. It ends with the process. A test gives it back
 * as it found it: running, thawed, and with its configuration and its users.
 */
final class SharedServer {
  static final RedisProcess SERVER = RedisProcess.start();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
  }

  private SharedServer() {}

  /**
   * Removes all data. Waits first until the clients of earlier tests are gone, because a client may
   * still write while it closes.
   */
  static RedisProcess empty() {
    RedisSentinels.await("a server without clients", () -> clients() <= 1);
    SERVER.ask("FLUSHALL");
    return SERVER;
  }

  /** Returns the number of clients, without replicas but with the client that asks. */
  private static long clients() {
    String clients = String.valueOf(SERVER.ask("CLIENT", "LIST"));
    return clients.lines().filter(client -> !client.contains(" flags=S")).count();
  }
}
