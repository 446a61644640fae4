package io.punctual.spring.boot.autoconfigure;

import io.punctual.spring.TransactionMode;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code punctual.*}.
 *
 * @param enabled Whether to configure Punctual.
 * @param url URL of the store, such as redis://localhost:6379 or journal:./data. Options in the URL
 *     take precedence over the properties.
 * @param operationTimeout How long an asynchronous operation may take.
 * @param blockingTimeout How long a blocking call waits for the store.
 * @param operationLimit How many operations of a partition may wait for the store.
 * @param payloadLimit Largest payload.
 * @param startup The start of the application while the store does not answer.
 * @param redis Connections to Redis and Valkey.
 * @param jdbc The SQL store in the application's database, which is used if no URL names a store.
 * @param listener Options of all listeners.
 * @param queues Options of the listeners of a queue, by the name of the queue.
 * @param transaction Changes of queues in a transaction.
 * @param health The health indicator.
 * @param locks Distributed locks.
 */
@ConfigurationProperties("punctual")
public record PunctualProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String url,
    @DefaultValue("60s") Duration operationTimeout,
    @DefaultValue("5s") Duration blockingTimeout,
    @DefaultValue("100000") int operationLimit,
    @DefaultValue("1MB") DataSize payloadLimit,
    @DefaultValue Startup startup,
    @DefaultValue Redis redis,
    @DefaultValue Jdbc jdbc,
    @NestedConfigurationProperty @DefaultValue ListenerProperties listener,
    @DefaultValue Map<String, ListenerProperties> queues,
    @DefaultValue Transaction transaction,
    @DefaultValue Health health,
    @DefaultValue Locks locks) {

  /**
   * The start of the application while the store does not answer.
   *
   * @param onUnavailable What to do if the store can't be opened: fail at once, wait for the
   *     time-out and then fail, or start and open the store in the background.
   * @param timeout How long to wait for the store; 30 seconds by default.
   */
  public record Startup(
      @DefaultValue("fail") io.punctual.Startup onUnavailable, @Nullable Duration timeout) {}

  /**
   * Connections to Redis and Valkey.
   *
   * @param namespace Prefix of the names of all keys and channels.
   * @param partitions Number of partitions of a new queue; by default 1 on a server and 8 on a
   *     Cluster.
   * @param durability Confirmations that a change waits for: none, aof, replicas:N or
   *     aof+replicas:N.
   * @param durabilityTimeout How long a change waits for the confirmations; by default 1s, or 4s if
   *     a disk has to confirm.
   * @param commandTimeout How long the server may take to reply.
   * @param connectTimeout How long connecting may take.
   * @param proxy Whether the server is a proxy, such as Twemproxy, that forwards only commands with
   *     keys.
   * @param ssl TLS.
   * @param shareClientResources Whether to use the ClientResources bean of Lettuce. If the bean has
   *     tracing, each claim then creates a span.
   */
  public record Redis(
      @DefaultValue("punctual") String namespace,
      @Nullable Integer partitions,
      @DefaultValue("none") String durability,
      @Nullable Duration durabilityTimeout,
      @DefaultValue("5s") Duration commandTimeout,
      @DefaultValue("5s") Duration connectTimeout,
      @DefaultValue("false") boolean proxy,
      @DefaultValue Ssl ssl,
      @DefaultValue("false") boolean shareClientResources) {}

  /**
   * TLS.
   *
   * @param bundle Name of the SSL bundle for a rediss: URL.
   */
  public record Ssl(@Nullable String bundle) {}

  /**
   * The SQL store in the application's database.
   *
   * @param createTables Whether to create missing tables, and to migrate the tables of older
   *     versions.
   * @param threads Maximum number of calls at once, each on a connection of the DataSource.
   * @param listen Whether processes on PostgreSQL notify each other of messages that are due soon.
   *     Each process then needs one more connection.
   */
  public record Jdbc(
      @DefaultValue("false") boolean createTables,
      @DefaultValue("4") int threads,
      @DefaultValue("true") boolean listen) {}

  /**
   * Changes of queues in a transaction.
   *
   * @param mode When changes in a transaction are sent if the store takes no part in it; by default
   *     after-commit for PunctualTemplate and before-commit for a TransactionalQueue. With none,
   *     changes are no part of any transaction, and are sent at once.
   * @param timeout How long each call at the end of a transaction waits for the store.
   */
  public record Transaction(@Nullable TransactionMode mode, @DefaultValue("5s") Duration timeout) {
    TransactionMode modeOr(TransactionMode usual) {
      return mode == null ? usual : mode;
    }
  }

  /**
   * The health indicator.
   *
   * @param timeout How long the store may take to answer.
   */
  public record Health(@DefaultValue("1s") Duration timeout) {}

  /**
   * Distributed locks.
   *
   * @param lease Lease of the locks that the client renews.
   */
  public record Locks(@DefaultValue("30s") Duration lease) {}
}
