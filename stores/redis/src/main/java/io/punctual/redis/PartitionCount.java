package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Failures;
import io.punctual.redis.client.Request;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * How many partitions a queue has. The first partition decides: what it knows holds, and when it
 * knows nothing, whoever has something to store tells it. The other partitions are told what the
 * first one says, and until then refuse everything, so that no two clients can ever work with
 * different numbers. Thread-safe.
 */
final class PartitionCount {
  private final Deployment deployment;
  private final String firstMeta;

  PartitionCount(Deployment deployment, String queue) {
    this.deployment = deployment;
    this.firstMeta = new PartitionKeys(deployment.settings().namespace(), queue, 0).meta();
  }

  /** Asks the first partition; empty if the queue does not exist. */
  CompletableFuture<OptionalInt> ask() {
    return deployment
        .link(firstMeta.getBytes(UTF_8))
        .send(Request.of(CommandType.HGET, firstMeta, "partitions"))
        .thenApply(PartitionCount::number);
  }

  private static OptionalInt number(Answer answer) {
    byte[] count = Values.read(answer, Values::nextBytes);
    return count == null
        ? OptionalInt.empty()
        : OptionalInt.of(Failures.partitionCount(new String(count, ISO_8859_1), null));
  }

  /**
   * Tells a partition how many there are.
   *
   * @param meta the partition's
   * @param believed how many this client believes there are
   * @param create whether the queue comes into being with this
   * @return whether the queue exists; fails if it has another number of partitions
   */
  CompletableFuture<Boolean> tell(String meta, int believed, boolean create) {
    CompletableFuture<OptionalInt> first = create ? found(firstMeta, believed) : ask();
    return first.thenCompose(
        count -> {
          if (count.isEmpty()) {
            return CompletableFuture.completedFuture(false);
          }
          requireEqual(count.getAsInt(), believed);
          return found(meta, believed)
              .thenApply(
                  told -> {
                    requireEqual(told.orElse(believed), believed);
                    return true;
                  });
        });
  }

  private static void requireEqual(int count, int believed) {
    if (count != believed) {
      throw new Partition.PartitionCountException(count, null);
    }
  }

  private CompletableFuture<OptionalInt> found(String meta, int partitions) {
    List<byte[]> argv = List.of(Integer.toString(partitions).getBytes(US_ASCII));
    return deployment
        .run(PartitionScripts.FOUND, List.of(meta.getBytes(UTF_8)), argv)
        .thenApply(PartitionCount::number);
  }
}
