package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.internal.log.Logs;
import io.punctual.redis.client.request.Failures;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Looks for messages of a partition that no claim would find, because a foreign program deleted,
 * evicted or replaced a key. Such messages are put back, and reported: see inspect.lua. Its methods
 * never fail: the log has the failure. Thread-safe.
 */
final class Inspection {
  private static final Logger log = Logs.of(Inspection.class);
  private static final String REGULAR = "";
  private static final String ALL = "leases 0";

  private final RedisPartition partition;
  private final InspectionTurn turn = new InspectionTurn();
  private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> running =
      new AtomicReference<>();
  private final AtomicBoolean refused = new AtomicBoolean();

  Inspection(RedisPartition partition) {
    this.partition = partition;
  }

  InspectionTurn turn() {
    return turn;
  }

  /**
   * The reply of inspect.lua.
   *
   * @param next where the next step begins; empty after the last step
   * @param found the number of messages that were in no place
   * @param undated how many of them have no known due time
   * @param contentsLost whether the key with the contents was lost or replaced
   * @param ids some of the messages
   */
  private record Step(
      String next, long found, long undated, boolean contentsLost, List<String> ids) {
    static Step of(ReplyReader values) {
      String next = values.nextText();
      long found = values.nextLong();
      long undated = values.nextLong();
      boolean contentsLost = values.nextLong() == 1;
      List<String> ids = new ArrayList<>();
      while (values.hasNext()) {
        ids.add(Ids.text(values.nextSome()));
      }
      return new Step(next, found, undated, contentsLost, List.copyOf(ids));
    }

    Step plus(Step more) {
      return new Step(
          more.next,
          found + more.found,
          undated + more.undated,
          contentsLost || more.contentsLost,
          ids.isEmpty() ? more.ids : ids);
    }
  }

  /**
   * Inspects as much as a regular check may cost. Reads all records only if messages are in no
   * place.
   */
  CompletableFuture<@Nullable Void> regular() {
    return step(REGULAR)
        .thenCompose(
            found -> {
              report(found);
              return found.next.isEmpty() ? CompletableFuture.completedFuture(null) : whole();
            })
        .exceptionally(this::failed);
  }

  /** Reads all records. Calls during a run wait for this run. */
  CompletableFuture<@Nullable Void> whole() {
    CompletableFuture<@Nullable Void> mine = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> other = running.compareAndExchange(null, mine);
    if (other != null) {
      return other;
    }
    rest(ALL, new Step(ALL, 0, 0, false, List.of()))
        .<@Nullable Void>thenApply(
            found -> {
              report(found);
              return null;
            })
        .exceptionally(this::failed)
        .whenComplete(
            (nothing, failure) -> {
              running.set(null);
              mine.complete(null);
            });
    return mine;
  }

  private CompletableFuture<Step> rest(String cursor, Step before) {
    return step(cursor)
        .thenCompose(
            step -> {
              Step all = before.plus(step);
              return all.next.isEmpty()
                  ? CompletableFuture.completedFuture(all)
                  : rest(all.next, all);
            });
  }

  private CompletableFuture<Step> step(String cursor) {
    return partition.look(
        PartitionScripts.INSPECT, partition.argv(cursor.getBytes(US_ASCII)), Step::of);
  }

  private void report(Step all) {
    if (all.contentsLost) {
      log.warn(
          "Queue '{}', partition {}: the key 'messages' was lost, or replaced by an old copy."
              + " Messages whose contents it had become dead letters. If other keys were lost as"
              + " well, messages are gone; find out which program changed the keys",
          partition.queue(),
          partition.index());
    }
    if (all.found > 0) {
      log.warn(
          "Queue '{}', partition {}: messages were in no place, because a foreign program deleted,"
              + " evicted or replaced a key of the queue. They were put back. Delivered again: {}."
              + " Dead letters, because their due times were lost: {}. Some of the ids: {}",
          partition.queue(),
          partition.index(),
          all.found - all.undated,
          all.undated,
          all.ids);
    }
  }

  private @Nullable Void failed(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    if (cause instanceof Partition.PartitionException && !refused.getAndSet(true)) {
      log.warn(
          "Queue '{}', partition {}: Punctual could not look by HSCAN for messages whose keys a"
              + " foreign program has removed: {}",
          partition.queue(),
          partition.index(),
          cause.getMessage());
    } else {
      log.debug("Could not inspect queue '{}'", partition.queue(), cause);
    }
    return null;
  }
}
