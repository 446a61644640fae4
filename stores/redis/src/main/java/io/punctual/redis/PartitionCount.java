package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.RedisReply;
import io.punctual.redis.client.Request;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The number of partitions of a queue. The first partition decides: its number holds, and the first
 * client that stores a message writes the number there. The other partitions copy the number of the
 * first partition and refuse everything until then, so two clients never work with different
 * numbers. Thread-safe.
 */
final class PartitionCount {
  private final Deployment deployment;
  private final PartitionKeys first;
  private final String firstMeta;

  PartitionCount(Deployment deployment, String queue) {
    this.deployment = deployment;
    this.first = new PartitionKeys(deployment.settings().namespace(), queue, 0);
    this.firstMeta = first.meta();
  }

  /** Asks the first partition; empty if the queue does not exist. */
  CompletableFuture<OptionalInt> ask() {
    return deployment
        .link(firstMeta.getBytes(UTF_8))
        .send(Request.of(CommandType.HGET, firstMeta, "partitions"))
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(PartitionCount::number);
  }

  /**
   * Returns how many partitions a queue has, as its first partition says.
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
   * Creates a partition, in steps: a partition must not exist without the first partition, even if
   * the queue is being deleted meanwhile, or if this client crashes between two steps.
   *
   * @param keys the keys of the partition
   * @param believed the number of partitions that this client knows
   * @param create whether to create the queue, too
   * @return whether the queue exists; a deletion may have removed the partition again. Fails if the
   *     queue has a different number of partitions
   */
  CompletableFuture<Boolean> create(PartitionKeys keys, int believed, boolean create) {
    CompletableFuture<OptionalInt> known = create ? first(believed) : ask();
    return known.thenCompose(
        count -> {
          requireEqual(count, believed);
          return count.isEmpty() || keys.meta().equals(firstMeta)
              ? CompletableFuture.completedFuture(count.isPresent())
              : createOther(keys, believed);
        });
  }

  private CompletableFuture<Boolean> createOther(PartitionKeys keys, int believed) {
    String creation = UUID.randomUUID().toString();
    return found(keys, believed, "prepare", creation)
        .thenCompose(
            prepared -> {
              requireEqual(prepared, believed);
              return first(believed);
            })
        .thenCompose(
            still -> {
              requireEqual(still, believed);
              return found(keys, believed, "confirm", creation);
            })
        .thenApply(
            confirmed -> {
              requireEqual(confirmed, believed);
              return true;
            });
  }

  private static void requireEqual(OptionalInt count, int believed) {
    if (count.isPresent() && count.getAsInt() != believed) {
      throw new Partition.PartitionCountException(count.getAsInt(), null);
    }
  }

  private CompletableFuture<OptionalInt> first(int partitions) {
    return found(first, partitions, "first", "");
  }

  private CompletableFuture<OptionalInt> found(
      PartitionKeys keys, int partitions, String step, String creation) {
    List<byte[]> argv =
        Stream.of(Integer.toString(partitions), step, creation)
            .map(argument -> argument.getBytes(US_ASCII))
            .toList();
    return deployment
        .run(PartitionScripts.FOUND, keys.partition(), argv)
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(PartitionCount::number);
  }
}
