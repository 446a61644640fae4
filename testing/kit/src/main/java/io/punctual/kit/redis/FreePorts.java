package io.punctual.kit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback interface for servers of tests. The ports are below the range from
 * which operating systems take the ports of outgoing connections. So no client takes the port of a
 * server between the choice and the start of the server, or while the server is down.
 *
 * <p>The server of another process may still take the port first. Safe for use by many threads.
 */
public final class FreePorts {
  /** The difference between the port of a Cluster node's bus and the node's own port. */
  public static final int CLUSTER_BUS = 10_000;

  private static final int FIRST = 12_000;
  private static final int COUNT = 10_000;

  private FreePorts() {}

  /**
   * Returns a port that is free now, and whose {@linkplain #CLUSTER_BUS bus port} is free as well.
   *
   * @return at least 12,000 and below 22,000
   */
  public static int next() {
    while (true) {
      int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
      if (isFree(port) && isFree(port + CLUSTER_BUS)) {
        return port;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
