package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Request;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
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
   * @throws Partition.PartitionException if no queue can have that number
   */
  static int parse(String text, @Nullable Throwable cause) {
    if (text.matches("[1-9]\\d{0,3}")) {
      return Integer.parseInt(text);
    }
    throw new Partition.PartitionException(
        "The field 'partitions' in the queue's key 'meta' says '"
            + text
            + "' and not 1 to 1000; somebody changed it by hand, so set it back",
        cause);
  }

  private static OptionalInt number(Answer answer) {
    byte[] count = ReplyReader.read(answer, ReplyReader::nextBytes);
    return count == null
        ? OptionalInt.empty()
        : OptionalInt.of(parse(new String(count, ISO_8859_1), null));
  }

  /**
   * Tells a partition how many there are, and then the first partition once more, in case the queue
   * is being deleted: a partition must not exist without the first.
   *
   * @param keys the partition's
   * @param believed how many this client believes there are
   * @param create whether the queue comes into being with this
   * @return whether the queue exists; fails if it has another number of partitions
   */
  CompletableFuture<Boolean> tell(PartitionKeys keys, int believed, boolean create) {
    CompletableFuture<OptionalInt> known = create ? foundFirst(believed) : ask();
    return known.thenCompose(
        count -> {
          if (count.isEmpty()) {
            return CompletableFuture.completedFuture(false);
          }
          requireEqual(count.getAsInt(), believed);
          return found(keys, believed, true)
              .thenCompose(
                  told -> {
                    requireEqual(told.orElse(believed), believed);
                    return foundFirst(believed);
                  })
              .thenApply(
                  still -> {
                    requireEqual(still.orElse(believed), believed);
                    return true;
                  });
        });
  }

  private static void requireEqual(int count, int believed) {
    if (count != believed) {
      throw new Partition.PartitionCountException(count, null);
    }
  }

  private CompletableFuture<OptionalInt> foundFirst(int partitions) {
    return found(first, partitions, false);
  }

  /** Tells a partition; {@code certain} says that the first partition knows the same number. */
  private CompletableFuture<OptionalInt> found(
      PartitionKeys keys, int partitions, boolean certain) {
    List<byte[]> argv =
        List.of(
            Integer.toString(partitions).getBytes(US_ASCII),
            (certain ? "1" : "0").getBytes(US_ASCII));
    return deployment
        .run(PartitionScripts.FOUND, keys.partition(), argv)
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(PartitionCount::number);
  }
}
