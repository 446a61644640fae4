package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import io.punctual.spi.Partition;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Reads and sets the number of partitions of a queue, and creates its partitions. The number in the
 * first partition is binding. The first client that opens a session of the queue, or pauses or
 * limits the queue, writes this number. Each other partition gets a copy of the number when the
 * partition is created, and refuses every change before its creation, so two clients never work
 * with different numbers. Thread-safe.
 */
final class PartitionCount {
  /**
   * The maximum number of times that a request creates its partition. Deletions of the queue can
   * remove the partition again.
   */
  private static final int MOST_CREATIONS = 10;

  /** How many partitions, with the first, are asked for the number of partitions. */
  private static final int PARTITIONS_ASKED = 8;

  private static final Duration OTHERS_WAIT = Duration.ofSeconds(1);

  /** The number of values before the last in the reply of the step that creates a partition. */
  private static final int SETTINGS = 4;

  private static final Logger log = Logs.of(PartitionCount.class);

  private final Deployment deployment;
  private final String queue;
  private final PartitionKeys first;
  private final String firstMeta;

  PartitionCount(Deployment deployment, String queue) {
    this.deployment = deployment;
    this.queue = queue;
    this.first = new PartitionKeys(deployment.settings().namespace(), queue, 0);
    this.firstMeta = first.meta();
  }

  /**
   * Asks the first partition for the number; empty if the queue does not exist. If the first
   * partition does not know the number, asks the next partitions: if one of them has messages, then
   * the first partition has lost its number, and gets it back.
   */
  CompletableFuture<OptionalInt> ask() {
    return stored(first)
        .thenCompose(
            count -> count.isPresent() ? CompletableFuture.completedFuture(count) : askOthers());
  }

  private CompletableFuture<OptionalInt> stored(PartitionKeys keys) {
    return deployment
        .link(keys.meta().getBytes(UTF_8))
        .send(Request.of(CommandType.HGET, keys.meta(), "partitions"))
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(PartitionCount::number);
  }

  private CompletableFuture<OptionalInt> askOthers() {
    List<CompletableFuture<Optional<Copy>>> others =
        IntStream.range(1, PARTITIONS_ASKED).mapToObj(this::copyIn).toList();
    return CompletableFuture.allOf(others.toArray(CompletableFuture[]::new))
        .thenCompose(
            all ->
                others.stream()
                    .flatMap(other -> other.join().stream())
                    .findFirst()
                    .map(this::restore)
                    .orElseGet(() -> CompletableFuture.completedFuture(OptionalInt.empty())));
  }

  /**
   * The number of partitions and the settings of the queue, as a partition with messages has it.
   */
  private record Copy(int index, int partitions, List<byte[]> settings) {}

  /** Returns the copy in a partition; empty if it has no messages, or does not answer in time. */
  private CompletableFuture<Optional<Copy>> copyIn(int index) {
    PartitionKeys keys = new PartitionKeys(deployment.settings().namespace(), queue, index);
    CompletableFuture<Optional<Copy>> copy =
        stored(keys)
            .thenCompose(
                count ->
                    count.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<Copy>empty())
                        : found(keys, count.getAsInt(), "peek", List.of())
                            .thenApply(answer -> copy(index, count.getAsInt(), answer)))
            .exceptionally(
                failure -> {
                  log.debug("Partition {} of queue '{}' could not be asked", index, queue, failure);
                  return Optional.empty();
                });
    Timeout late = deployment.timer().schedule(OTHERS_WAIT, () -> copy.complete(Optional.empty()));
    return copy.whenComplete((found, failure) -> late.cancel());
  }

  private static Optional<Copy> copy(int index, int count, RedisReply answer) {
    return answer.values().isEmpty()
        ? Optional.empty()
        : Optional.of(new Copy(index, count, ReplyReader.read(answer, PartitionCount::settings)));
  }

  /** Gives the first partition its number back, unless a client has created it meanwhile. */
  private CompletableFuture<OptionalInt> restore(Copy copy) {
    List<byte[]> more = new ArrayList<>(List.of(new byte[0]));
    more.addAll(copy.settings());
    return found(first, copy.partitions(), "first", more)
        .thenApply(
            answer -> {
              if (ReplyReader.read(answer, PartitionCount::isNew)) {
                log.warn(
                    "Queue '{}': the key '{}' was lost. Its number of partitions, {}, its pause and"
                        + " its limits come from partition {}; find out what removed the key",
                    queue,
                    firstMeta,
                    copy.partitions(),
                    copy.index());
              }
              return number(answer);
            });
  }

  /**
   * Parses the number of partitions that is stored in a partition.
   *
   * @throws Partition.PartitionException if the text is not a valid number of partitions
   */
  static int parse(String text, @Nullable Throwable cause) {
    if (text.matches("[1-9]\\d{0,3}")) {
      return Integer.parseInt(text);
    }
    throw new Partition.PartitionException(
        "The field 'partitions' in the queue's key 'meta' says '"
            + text
            + "' and not 1 to 1000; a foreign program changed it, so set it back",
        cause);
  }

  private static OptionalInt number(RedisReply answer) {
    byte[] count = ReplyReader.read(answer, ReplyReader::nextBytes);
    return count == null
        ? OptionalInt.empty()
        : OptionalInt.of(parse(new String(count, ISO_8859_1), null));
  }

  /**
   * Runs a script on a partition. If the partition is missing, creates it and runs the script
   * again. If {@code create} is false and the queue does not exist, runs the script on the missing
   * partition, where it has no effect.
   *
   * @param argv the arguments of the script, the first of which is {@code believed}
   * @param partition the keys of the partition
   * @param believed the number of partitions that this client assumes
   * @param create whether to create the queue as well if it does not exist
   */
  CompletableFuture<RedisReply> run(
      Script script,
      List<byte[]> keys,
      List<byte[]> argv,
      PartitionKeys partition,
      int believed,
      boolean create) {
    return run(script, keys, argv, partition, believed, create, MOST_CREATIONS);
  }

  private CompletableFuture<RedisReply> run(
      Script script,
      List<byte[]> keys,
      List<byte[]> argv,
      PartitionKeys partition,
      int believed,
      boolean create,
      int creations) {
    return deployment
        .run(script, keys, argv)
        .exceptionallyCompose(SpiFailures::failed)
        .exceptionallyCompose(
            failure ->
                isMissing(failure) && creations > 0
                    ? create(partition, believed, create)
                        .thenCompose(
                            exists ->
                                run(
                                    script,
                                    keys,
                                    withCount(argv, exists ? Integer.toString(believed) : ""),
                                    partition,
                                    believed,
                                    create,
                                    creations - 1))
                    : CompletableFuture.failedFuture(failure));
  }

  /**
   * Returns whether the partition has no number of partitions, or a different number, which may be
   * the number of a deleted queue.
   */
  private static boolean isMissing(Throwable failure) {
    return SpiFailures.isUnfounded(failure)
        || Failures.unwrap(failure) instanceof Partition.PartitionCountException;
  }

  /**
   * Replaces the number of partitions, because the queue may have been created or deleted since the
   * previous attempt.
   */
  private static List<byte[]> withCount(List<byte[]> argv, String count) {
    List<byte[]> changed = new ArrayList<>(argv);
    changed.set(0, count.getBytes(US_ASCII));
    return changed;
  }

  /**
   * Creates a partition in several steps, so that a partition never exists without the first
   * partition, even if the queue is deleted meanwhile, or if this client crashes between two steps.
   *
   * @param keys the keys of the partition
   * @param believed the number of partitions that this client assumes
   * @param create whether to create the queue as well if it does not exist
   * @return whether the queue exists; a deletion may have removed the partition again. The future
   *     fails with {@link Partition.PartitionCountException} if the queue has a different number of
   *     partitions
   */
  CompletableFuture<Boolean> create(PartitionKeys keys, int believed, boolean create) {
    CompletableFuture<OptionalInt> known =
        create
            ? ask().thenCompose(count -> first(count.orElse(believed))).thenApply(this::founded)
            : ask();
    return known.thenCompose(
        count -> {
          requireEqual(count, believed);
          return count.isEmpty() || keys.meta().equals(firstMeta)
              ? CompletableFuture.completedFuture(count.isPresent())
              : createOther(keys, believed);
        });
  }

  private CompletableFuture<Boolean> createOther(PartitionKeys keys, int believed) {
    byte[] creation = UUID.randomUUID().toString().getBytes(US_ASCII);
    return found(keys, believed, "prepare", List.of(creation))
        .thenCompose(
            prepared -> {
              requireEqual(number(prepared), believed);
              return first(believed);
            })
        .thenCompose(
            still -> {
              requireEqual(number(still), believed);
              List<byte[]> more = new ArrayList<>(List.of(creation));
              more.addAll(ReplyReader.read(still, PartitionCount::settings));
              return found(keys, believed, "confirm", more);
            })
        .thenApply(
            confirmed -> {
              requireEqual(number(confirmed), believed);
              return true;
            });
  }

  /**
   * Reads the values after the number in the reply of the first partition: its pause, the note of
   * the pause, and its limits.
   */
  private static List<byte[]> settings(ReplyReader values) {
    byte[] unused = values.nextSome();
    return List.of(values.nextSome(), values.nextSome(), values.nextSome());
  }

  private static void requireEqual(OptionalInt count, int believed) {
    if (count.isPresent() && count.getAsInt() != believed) {
      throw new Partition.PartitionCountException(count.getAsInt(), null);
    }
  }

  /** Reads the number in the reply of the first partition. Warns if the partition was lost. */
  private OptionalInt founded(RedisReply answer) {
    boolean isLost = ReplyReader.read(answer, PartitionCount::isLost);
    if (isLost) {
      log.warn(
          "Queue '{}': the key '{}' was lost, with the queue's pause and its limits, and perhaps"
              + " with a number of partitions; the queue has one now. Pause or limit the queue"
              + " again, and find out what removed the key",
          queue,
          firstMeta);
    }
    return number(answer);
  }

  private static boolean isLost(ReplyReader values) {
    return isNew(values) && !values.nextText().isEmpty();
  }

  /** Skips to the last value, which the reply has only if the script created the partition. */
  private static boolean isNew(ReplyReader values) {
    for (int i = 0; i < SETTINGS; i++) {
      byte[] unused = values.nextBytes();
    }
    return values.hasNext();
  }

  private CompletableFuture<RedisReply> first(int partitions) {
    return found(first, partitions, "first", List.of());
  }

  private CompletableFuture<RedisReply> found(
      PartitionKeys keys, int partitions, String step, List<byte[]> more) {
    List<byte[]> argv = new ArrayList<>();
    argv.add(Integer.toString(partitions).getBytes(US_ASCII));
    argv.add(step.getBytes(US_ASCII));
    argv.addAll(more);
    return deployment
        .run(PartitionScripts.FOUND, keys.partition(), argv)
        .exceptionallyCompose(SpiFailures::failed);
  }
}
