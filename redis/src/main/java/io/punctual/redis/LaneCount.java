package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Failures;
import io.punctual.redis.client.Request;
import io.punctual.spi.Lane;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * How many lanes a queue has. The first lane decides: what it knows holds, and when it knows
 * nothing, whoever has something to store tells it. The other lanes are told what the first one
 * says, and until then refuse everything, so that no two clients can ever work with different
 * numbers. Thread-safe.
 */
final class LaneCount {
  private final Deployment deployment;
  private final String firstMeta;

  LaneCount(Deployment deployment, String queue) {
    this.deployment = deployment;
    this.firstMeta = new LaneKeys(deployment.settings().namespace(), queue, 0).meta();
  }

  /** Asks the first lane; empty if the queue does not exist. */
  CompletableFuture<OptionalInt> ask() {
    return deployment
        .link(firstMeta.getBytes(UTF_8))
        .send(Request.of(CommandType.HGET, firstMeta, "lanes"))
        .thenApply(LaneCount::number);
  }

  private static OptionalInt number(Answer answer) {
    byte[] count = Values.read(answer, Values::nextBytes);
    return count == null
        ? OptionalInt.empty()
        : OptionalInt.of(Failures.laneCount(new String(count, ISO_8859_1), null));
  }

  /**
   * Tells a lane how many there are.
   *
   * @param meta the lane's
   * @param believed how many this client believes there are
   * @param create whether the queue comes into being with this
   * @return whether the queue exists; fails if it has another number of lanes
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
      throw new Lane.LaneCountException(count, null);
    }
  }

  private CompletableFuture<OptionalInt> found(String meta, int lanes) {
    List<byte[]> argv = List.of(Integer.toString(lanes).getBytes(US_ASCII));
    return deployment
        .run(LaneScripts.FOUND, List.of(meta.getBytes(UTF_8)), argv)
        .thenApply(LaneCount::number);
  }
}
