package io.punctual.internal.deadletter;

import io.punctual.State;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.internal.message.DeadLetterMatch;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.task.PartitionVisit;
import io.punctual.internal.task.Target;
import io.punctual.internal.task.TargetSource;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The dead letters that match a filter. It first counts the dead letters of a partition, and then
 * reads only so many of them, so that a message that dies again does not keep the task alive. For
 * one step at a time.
 */
final class DeadLetterTargets implements TargetSource {
  private static final long NOT_COUNTED = -1;

  private final QueueView<?> view;
  private final DeadLetterFilter filter;
  private final Function<String, Operation> change;
  private final PartitionVisit visit;

  /** The number of dead letters of the partition that are left to examine. */
  private long left = NOT_COUNTED;

  /**
   * Creates a source.
   *
   * @param change returns the operation for an id
   * @param after the position of an earlier task
   */
  DeadLetterTargets(
      QueueView<?> view,
      DeadLetterFilter filter,
      Function<String, Operation> change,
      Optional<String> after) {
    this.view = view;
    this.filter = filter;
    this.change = change;
    this.visit = new PartitionVisit(view, false, after);
  }

  @Override
  public CompletionStage<TargetPage> read() {
    return view.corrected(this::readOnce);
  }

  private CompletionStage<TargetPage> readOnce() {
    Partition partition = visit.partition();
    if (partition == null) {
      return CompletableFuture.completedStage(new TargetPage(List.of(), 0, true));
    }
    if (left == NOT_COUNTED) {
      return partition
          .countsNow()
          .thenApply(
              counts -> {
                left = counts.dead();
                return TargetPage.EMPTY;
              });
    }
    if (left <= 0) {
      visit.endPartition();
      left = NOT_COUNTED;
      return CompletableFuture.completedStage(new TargetPage(List.of(), 0, visit.isOver()));
    }
    int limit = (int) Math.min(left, Partition.MAX_PAGE);
    return partition
        .browse(State.DEAD, visit.rest(DeadLetterMatch.range(filter)), visit.cursor(), limit, false)
        .thenApply(this::page);
  }

  private TargetPage page(EntryPage page) {
    List<Entry> entries = page.entries();
    left -= Math.max(1, entries.size());
    visit.hasRead(page.next(), entries, Entry::diedAtMillis);
    if (page.next() == null) {
      left = NOT_COUNTED;
    }
    List<Target> targets =
        entries.stream()
            .filter(entry -> DeadLetterMatch.of(filter, entry) != null)
            .map(entry -> new Target(entry.id(), entry.diedAtMillis()))
            .toList();
    return new TargetPage(targets, entries.size(), visit.isOver());
  }

  @Override
  public CompletionStage<Effect> change(Target target) {
    return ClientDeadLetters.change(view, change.apply(target.id()));
  }

  @Override
  public Optional<PartitionVisit> visit() {
    return Optional.of(visit);
  }
}
