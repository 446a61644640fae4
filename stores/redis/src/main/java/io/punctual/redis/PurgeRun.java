package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.State;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A purge of a partition, one state after the other. A pass over a state consists of runs of
 * purge.lua, each of which starts after the reply to the previous run. A pass can miss a message
 * that is rescheduled meanwhile, so the pass is repeated until it removes nothing. For a single
 * purge.
 */
final class PurgeRun {
  /**
   * The largest number of messages that a run examines, which takes the server about a millisecond.
   */
  private static final String STEP = "250";

  private static final Set<State> WAITING = EnumSet.of(State.SCHEDULED, State.READY);

  private final RedisPartition partition;

  /** The id of the purge, which begins with the names of its steps. */
  private final byte[] id;

  private final Iterator<String> steps;
  private long removed;
  private long removedBefore;

  PurgeRun(RedisPartition partition, Set<State> states) {
    this.partition = partition;
    List<String> all = steps(states);
    this.id = (String.join("", all) + "-" + UUID.randomUUID()).getBytes(US_ASCII);
    this.steps = all.iterator();
  }

  /**
   * Returns the steps that purge the states, as purge.lua names them. If both the scheduled and the
   * ready messages are purged, one step purges them together, because a scheduled message can
   * become ready in between.
   */
  private static List<String> steps(Set<State> states) {
    Set<State> left = EnumSet.noneOf(State.class);
    left.addAll(states);
    List<String> steps = new ArrayList<>();
    if (left.containsAll(WAITING)) {
      left.removeAll(WAITING);
      steps.add("W");
    }
    left.forEach(state -> steps.add(ListingReplies.code(state)));
    return steps;
  }

  CompletableFuture<Long> run() {
    if (!steps.hasNext()) {
      return CompletableFuture.completedFuture(0L);
    }
    return step("begin", List.of())
        .thenCompose(
            values -> {
              byte[] began = values.nextBytes();
              if (began == null) {
                return busy();
              }
              boolean exists = began.length > 0;
              return exists
                  ? purge(steps.next(), began, List.of())
                  : CompletableFuture.completedFuture(0L);
            });
  }

  private static CompletableFuture<Long> busy() {
    return CompletableFuture.failedFuture(
        new Partition.PartitionException(
            "Another purge of this queue is running; purge again when it has ended", null));
  }

  private CompletableFuture<Long> purge(String name, byte[] began, List<byte[]> after) {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(STEP.getBytes(US_ASCII));
    arguments.add(began);
    arguments.addAll(after);
    return step(name, arguments)
        .thenCompose(
            values -> {
              removed += values.nextLong();
              return values.nextLong() == 1
                  ? purge(name, began, List.of(values.nextSome(), values.nextSome()))
                  : passed(name, began);
            });
  }

  private CompletableFuture<Long> passed(String name, byte[] began) {
    if (removed > removedBefore) {
      removedBefore = removed;
      return purge(name, began, List.of());
    }
    if (steps.hasNext()) {
      return purge(steps.next(), began, List.of());
    }
    return step("end", List.of()).thenApply(values -> removed);
  }

  private CompletableFuture<ReplyReader> step(String name, List<byte[]> arguments) {
    List<byte[]> argv = partition.argv(id, name.getBytes(US_ASCII));
    argv.addAll(arguments);
    return partition.look(PartitionScripts.PURGE, argv, values -> values);
  }
}
