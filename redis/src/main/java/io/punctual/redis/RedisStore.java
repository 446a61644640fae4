package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Request;
import io.punctual.spi.Capability;
import io.punctual.spi.Lane;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * A store on a Redis or Valkey server, shared by all processes that name the same server, database
 * and namespace. The server's clock is the engine clock, and each change is one Lua script, so that
 * it happens whole or not at all.
 *
 * <p>Needs Redis 6.2 or newer, or Valkey, with {@code maxmemory-policy noeviction}. Uses three
 * connections at most: for calls, for calls that wait for replicas or disks, and for hints. They
 * are made when they are needed, and again when they were lost.
 *
 * <p>Safe for use by many threads. Closing it closes its connections, and a client library that it
 * made itself; what was passed in stays open.
 */
public final class RedisStore implements Store {
  private static final int LANES_A_CHECK = 100;

  private final Deployment deployment;
  private final Announcements announcements;
  private final ConcurrentHashMap<String, CompletableFuture<List<Lane>>> queues =
      new ConcurrentHashMap<>();

  RedisStore(Deployment deployment) {
    this.deployment = deployment;
    this.announcements = new Announcements(deployment);
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
    return deployment.describe();
  }

  /** Returns all of them. */
  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public CompletionStage<List<Lane>> lanes(String queue) {
    CompletableFuture<List<Lane>> lanes = queues.computeIfAbsent(queue, this::askLanes);
    if (lanes.isCompletedExceptionally()) {
      queues.remove(queue, lanes);
    }
    return lanes.copy();
  }

  /** What the first lane says, or one lane if nobody has used the queue yet. */
  private CompletableFuture<List<Lane>> askLanes(String queue) {
    String meta = new LaneKeys(namespace(), queue, 0).meta();
    return deployment
        .link(meta.getBytes(UTF_8))
        .send(Request.of(CommandType.HGET, meta, "lanes"))
        .thenApply(
            answer -> {
              byte[] count = new Values(answer.values()).nextBytes();
              return newLanes(
                  queue, count == null ? 1 : Integer.parseInt(new String(count, UTF_8)));
            });
  }

  private List<Lane> newLanes(String queue, int count) {
    return IntStream.range(0, count)
        .<Lane>mapToObj(index -> new RedisLane(queue, index, count, deployment, announcements))
        .toList();
  }

  @Override
  public CompletionStage<List<String>> queues() {
    String key = LaneKeys.queues(namespace());
    return deployment
        .link(key.getBytes(UTF_8))
        .send(Request.of(CommandType.SMEMBERS, key))
        .thenApply(
            answer ->
                answer.values().stream()
                    .map(queue -> new String((byte[]) queue, UTF_8))
                    .sorted()
                    .toList());
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Lane> lanes) {
    long[] untils = new long[lanes.size()];
    List<CompletableFuture<?>> questions = new ArrayList<>();
    for (int from = 0; from < lanes.size(); from += LANES_A_CHECK) {
      int to = Math.min(lanes.size(), from + LANES_A_CHECK);
      questions.add(untilNext(lanes, from, to, untils));
    }
    return CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
        .thenApply(all -> untils);
  }

  private CompletableFuture<?> untilNext(List<Lane> lanes, int from, int to, long[] untils) {
    List<byte[]> keys = new ArrayList<>();
    for (Lane lane : lanes.subList(from, to)) {
      keys.addAll(((RedisLane) lane).keys().untilNext());
    }
    return deployment
        .run(LaneScripts.UNTIL_NEXT, keys, List.of())
        .thenAccept(
            answer -> {
              Values values = new Values(answer.values());
              long engineMicros = values.nextLong();
              for (int i = from; i < to; i++) {
                untils[i] = Values.until(values.nextTime(), engineMicros);
              }
            });
  }

  private String namespace() {
    return deployment.settings().namespace();
  }

  @Override
  public Duration safetyCheckInterval() {
    return Duration.ofSeconds(1);
  }

  @Override
  public void close() {
    deployment.close();
  }
}
