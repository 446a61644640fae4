package io.punctual.redis.client.deployment;

import io.lettuce.core.RedisURI;

/** The address of a Cluster's node. Immutable. */
record NodeAddress(String host, int port) {
  static NodeAddress of(RedisURI uri) {
    return new NodeAddress(uri.getHost(), uri.getPort());
  }

  /**
   * Returns the address of a node that this node has reported. An empty host, or {@code ?}, means
   * this node's own host.
   */
  NodeAddress named(String otherHost, int otherPort) {
    boolean isNamed = !otherHost.isEmpty() && !otherHost.equals("?");
    return new NodeAddress(isNamed ? otherHost : host, otherPort);
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
