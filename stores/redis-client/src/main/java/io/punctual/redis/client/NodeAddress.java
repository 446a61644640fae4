package io.punctual.redis.client;

import io.lettuce.core.RedisURI;

/** Where a node of a Cluster listens. Immutable. */
record NodeAddress(String host, int port) {
  static NodeAddress of(RedisURI uri) {
    return new NodeAddress(uri.getHost(), uri.getPort());
  }

  /** Returns the address that this node reported; a node without a host means itself. */
  NodeAddress named(String otherHost, int otherPort) {
    boolean isNamed = !otherHost.isEmpty() && !otherHost.equals("?");
    return new NodeAddress(isNamed ? otherHost : host, otherPort);
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
