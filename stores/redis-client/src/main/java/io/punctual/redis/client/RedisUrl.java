package io.punctual.redis.client;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.lettuce.core.RedisURI;
import io.punctual.Durability;
import io.punctual.spi.StoreUrl;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The URL of a Redis deployment, with its options. The URL has one of these forms:
 *
 * <ul>
 *   <li>{@code redis://user:password@host:port/database}, {@code rediss://} for TLS: a server;
 *   <li>{@code redis-socket:///path}: a server, by its Unix socket;
 *   <li>{@code redis-sentinel://user:password@host:port,host:port/name}, {@code rediss-sentinel://}
 *       for TLS: the server that Sentinels name as the primary;
 *   <li>{@code redis-cluster://user:password@host:port,host:port}, {@code rediss-cluster://} for
 *       TLS: a Cluster, by some of its nodes.
 * </ul>
 *
 * <p>A part with a default can be left out. In user, password and name, each of the characters
 * {@code : @ / ? %} is written as a percent sign and two hexadecimal digits.
 */
public final class RedisUrl {
  private final StoreUrl url;
  private final RedisScheme scheme;

  public RedisUrl(StoreUrl url) {
    this.url = url;
    this.scheme = RedisScheme.of(url.scheme());
  }

  /**
   * Copies the whole URL into the options.
   *
   * @throws IllegalArgumentException if the URL is wrong; the message names the wrong part, without
   *     secrets
   */
  public void applyTo(RedisOptions options) {
    url.requireKnownOptions(known());
    if (scheme.kind() == RedisScheme.Kind.CLUSTER) {
      options.cluster(uris());
    } else {
      options.uri(uri());
    }
    url.option("namespace").ifPresent(options::namespace);
    url.option("durability").map(Durability::parse).ifPresent(options::durability);
    url.time("durabilityTimeout").ifPresent(options::durabilityTimeout);
    url.time("timeout").ifPresent(options::commandTimeout);
    url.time("connectTimeout").ifPresent(options::connectTimeout);
    url.number("requestQueue").ifPresent(options::requestQueue);
    url.flag("allowEviction").ifPresent(options::allowEviction);
    url.number("partitions").ifPresent(options::partitions);
    url.flag("proxy").ifPresent(options::proxy);
    if (scheme.isTls()) {
      new TlsOptions(url).sslOptions().ifPresent(options::ssl);
    }
  }

  private Set<String> known() {
    Set<String> known =
        new TreeSet<>(
            List.of(
                "namespace",
                "durability",
                "durabilityTimeout",
                "timeout",
                "connectTimeout",
                "requestQueue",
                "allowEviction",
                "partitions"));
    if (scheme.isTls()) {
      known.add(RedisAddress.VERIFY);
      known.addAll(TlsOptions.NAMES);
    }
    switch (scheme.kind()) {
      case SOCKET -> known.add(RedisAddress.DATABASE);
      case SENTINEL -> {
        known.add(RedisAddress.DATABASE);
        known.add(RedisAddress.SENTINEL_USER);
        known.add(RedisAddress.SENTINEL_PASSWORD);
      }
      case SERVER -> known.add("proxy");
      case CLUSTER -> {}
    }
    return known;
  }

  /**
   * Returns the server, the primary behind Sentinels, or the first node of the Cluster, in the form
   * of the client library.
   */
  public RedisURI uri() {
    return uris().get(0);
  }

  private List<RedisURI> uris() {
    return new RedisAddress(url, scheme).uris();
  }

  public static Set<String> schemes() {
    return Stream.of(RedisScheme.values()).map(RedisScheme::text).collect(toUnmodifiableSet());
  }

  /**
   * Returns the URL of a server, or of a primary behind Sentinels, without secrets, for messages to
   * people.
   */
  public static String describe(RedisURI uri) {
    return RedisAddress.describe(uri);
  }
}
