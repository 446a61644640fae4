package io.punctual.spring.boot.autoconfigure;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * The Redis deployment that Spring Data uses, for the store and the locks. It is named by the
 * properties {@code spring.data.redis.*}, by a container that {@code @ServiceConnection} or Docker
 * Compose found, or by a {@link DataRedisConnectionDetails} bean of the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisClient.class, DataRedisConnectionDetails.class})
class DataRedisConfiguration {
  @Bean
  @Order(StoreSources.DATA_REDIS)
  static RedisTargetSource punctualDataRedis(ObjectProvider<DataRedisConnectionDetails> details) {
    return () -> {
      DataRedisConnectionDetails found = details.getIfAvailable();
      return found == null ? null : target(found);
    };
  }

  static RedisTarget target(DataRedisConnectionDetails details) {
    var cluster = details.getCluster();
    var sentinel = details.getSentinel();
    var standalone = details.getStandalone();
    if (cluster != null) {
      List<RedisURI> nodes =
          cluster.getNodes().stream().map(node -> server(details, node, 0).build()).toList();
      return new RedisTarget(null, nodes, true, details.getSslBundle());
    }
    if (sentinel != null) {
      return new RedisTarget(
          null, List.of(sentinels(details, sentinel)), false, details.getSslBundle());
    }
    if (standalone == null) {
      throw new IllegalArgumentException(
          "spring.data.redis.masterreplica has no form for Punctual; set punctual.url to the"
              + " primary");
    }
    Node node = new Node(standalone.getHost(), standalone.getPort());
    return new RedisTarget(
        null,
        List.of(server(details, node, standalone.getDatabase()).build()),
        false,
        details.getSslBundle());
  }

  private static RedisURI.Builder server(
      DataRedisConnectionDetails details, Node node, int database) {
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(node.host())
            .withPort(node.port())
            .withDatabase(database)
            .withSsl(details.getSslBundle() != null);
    return authenticated(uri, details.getUsername(), details.getPassword());
  }

  private static RedisURI sentinels(
      DataRedisConnectionDetails details, DataRedisConnectionDetails.Sentinel sentinel) {
    boolean tls = details.getSslBundle() != null;
    RedisURI.Builder uri =
        RedisURI.builder()
            .withSentinelMasterId(sentinel.getMaster())
            .withDatabase(sentinel.getDatabase())
            .withSsl(tls);
    for (Node node : sentinel.getNodes()) {
      RedisURI.Builder address =
          RedisURI.builder().withHost(node.host()).withPort(node.port()).withSsl(tls);
      uri.withSentinel(
          authenticated(address, sentinel.getUsername(), sentinel.getPassword()).build());
    }
    return authenticated(uri, details.getUsername(), details.getPassword()).build();
  }

  private static RedisURI.Builder authenticated(
      RedisURI.Builder uri, @Nullable String user, @Nullable String password) {
    return password == null
        ? uri
        : uri.withAuthentication(
            new StaticCredentialsProvider(RedisCredentials.just(user, password.toCharArray())));
  }
}
