package io.punctual.redis.client;

import java.util.stream.Stream;

/** The scheme of a Redis deployment's URL. */
enum RedisScheme {
  SERVER("redis", Kind.SERVER, false),
  SERVER_TLS("rediss", Kind.SERVER, true),
  SOCKET("redis-socket", Kind.SOCKET, false),
  SENTINEL("redis-sentinel", Kind.SENTINEL, false),
  SENTINEL_TLS("rediss-sentinel", Kind.SENTINEL, true),
  CLUSTER("redis-cluster", Kind.CLUSTER, false),
  CLUSTER_TLS("rediss-cluster", Kind.CLUSTER, true);

  enum Kind {
    /** A server, or a proxy in front of several servers, by host and port. */
    SERVER,
    /** A server, by the path of its Unix socket. */
    SOCKET,
    /** Sentinels, which know the primary. */
    SENTINEL,
    /** Nodes of a Cluster. */
    CLUSTER
  }

  private final String text;
  private final Kind kind;
  private final boolean tls;

  RedisScheme(String text, Kind kind, boolean tls) {
    this.text = text;
    this.kind = kind;
    this.tls = tls;
  }

  static RedisScheme of(String text) {
    return Stream.of(values())
        .filter(scheme -> scheme.text.equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("Not a Redis URL: " + text + ":"));
  }

  String text() {
    return text;
  }

  Kind kind() {
    return kind;
  }

  boolean isTls() {
    return tls;
  }
}
