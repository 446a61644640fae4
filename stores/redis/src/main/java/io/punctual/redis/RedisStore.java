package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.DeleteQueueOutcome;
import io.punctual.redis.client.RedisOptions;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Request;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A store on a Redis or Valkey server, shared by all processes that use the same server, database
 * and namespace. The server's clock decides when a message is due. Each change of messages is a Lua
 * script, and so happens as a whole or not at all; only a purge takes several scripts. A pause, new
 * limits and the deletion of a queue take scripts for each partition.
 *
 * <p>Needs Redis 6.2 or newer, or Valkey, with {@code maxmemory-policy noeviction}. To each server,
 * the store has a connection for calls, one for wake-up hints, and one for each durability in use.
 * Connections are opened on demand, and again after they are lost.
 *
 * <p>Safe for use by many threads. Closing the store closes its connections, and the client,
 * resources and timer that it has created; those of the caller stay open.
 */
public final class RedisStore implements Store {
  private static final int CLUSTER_PARTITIONS = 8;

  /** The key that selects the server for a ping. */
  private static final String PING = "ping";

  private final Deployment deployment;
  private final QueueRegistry registry;
  private final SafetyLog safetyLog;
  private final SafetyCheckPace pace;

  RedisStore(Deployment deployment) {
    this.deployment = deployment;
    this.registry = new QueueRegistry(deployment);
    this.safetyLog = new SafetyLog(deployment.describe());
    this.pace = SafetyCheckPace.of(deployment);
  }

  /** Returns a builder of a store on {@code redis://localhost:6379}. */
  public static RedisStoreBuilder builder() {
    return new RedisStoreBuilder();
  }

  Deployment deployment() {
    return deployment;
  }

  @Override
  public String describe() {
    String namespace = namespace();
    return namespace.equals(RedisOptions.DEFAULT_NAMESPACE)
        ? deployment.describe()
        : deployment.describe() + "?namespace=" + namespace;
  }

  /**
   * Returns all capabilities except {@link Capability#TRANSACTIONS}; behind a proxy, {@link
   * Capability#DURABILITY} is missing as well.
   */
  @Override
  public Set<Capability> capabilities() {
    return deployment.settings().proxy()
        ? EnumSet.complementOf(EnumSet.of(Capability.DURABILITY, Capability.TRANSACTIONS))
        : EnumSet.complementOf(EnumSet.of(Capability.TRANSACTIONS));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return partitions(queue, usualPartitions());
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue, int wanted) {
    return new PartitionCount(deployment, queue)
        .ask()
        .thenApply(count -> newPartitions(queue, count.orElse(wanted)));
  }

  private int usualPartitions() {
    int partitions = deployment.settings().partitions();
    if (partitions > 0) {
      return partitions;
    }
    boolean isCluster = !deployment.isOneServer() && !deployment.settings().proxy();
    return isCluster ? CLUSTER_PARTITIONS : 1;
  }

  private List<Partition> newPartitions(String queue, int count) {
    return IntStream.range(0, count)
        .<Partition>mapToObj(index -> new RedisPartition(queue, index, count, deployment, registry))
        .toList();
  }

  @Override
  public CompletionStage<List<String>> queues() {
    String key = PartitionKeys.queues(namespace());
    return deployment
        .link(key.getBytes(UTF_8))
        .send(Request.of(CommandType.SMEMBERS, key))
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(
            answer ->
                answer.values().stream()
                    .map(queue -> new String((byte[]) queue, UTF_8))
                    .sorted()
                    .toList());
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return new QueueDeletion(deployment, registry, queue).run();
  }

  @Override
  public CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
    return new Announcements(deployment)
        .announce(client, text, keep)
        .thenAccept(all -> pace.announced(client, !text.isEmpty(), all));
  }

  @Override
  public CompletionStage<List<Announcement>> announcements() {
    return new Announcements(deployment).list(List.of());
  }

  @Override
  public CompletionStage<List<Announcement>> announcements(List<String> clients) {
    return clients.isEmpty()
        ? CompletableFuture.completedStage(List.of())
        : new Announcements(deployment).list(clients);
  }

  @Override
  public CompletionStage<@Nullable Void> ping() {
    return deployment
        .link(PING.getBytes(UTF_8))
        .send(Request.of(CommandType.PING))
        .exceptionallyCompose(SpiFailures::failed)
        .thenAccept(pong -> {});
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    InspectionTurn.next(partitions, each -> inspection(each).turn(), pace.isCrowded())
        .forEach(each -> inspection(each).regular());
    boolean hears =
        partitions.stream().noneMatch(each -> ((RedisPartition) each).waiter().client().isEmpty());
    return new SafetyQuestion(deployment, partitions, safetyLog)
        .ask()
        .whenComplete((untils, failure) -> pace.checked(hears, failure == null));
  }

  private static Inspection inspection(Partition partition) {
    return ((RedisPartition) partition).inspection();
  }

  private String namespace() {
    return deployment.settings().namespace();
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return pace.interval(partitions);
  }

  @Override
  public void close() {
    deployment.close();
  }
}
