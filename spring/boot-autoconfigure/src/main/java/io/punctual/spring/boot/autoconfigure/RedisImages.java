package io.punctual.spring.boot.autoconfigure;

import java.util.List;

/** The names of the container images that can run a store, and the port of their servers. */
final class RedisImages {
  static final int PORT = 6379;

  private static final String[] NAMES = {
    "redis",
    "redis/redis-stack",
    "redis/redis-stack-server",
    "valkey/valkey",
    "bitnami/redis",
    "bitnami/valkey"
  };

  private RedisImages() {}

  static String[] names() {
    return NAMES.clone();
  }

  static List<String> list() {
    return List.of(NAMES);
  }

  static String url(String host, int port, boolean tls) {
    return (tls ? "rediss://" : "redis://") + host + ":" + port;
  }
}
