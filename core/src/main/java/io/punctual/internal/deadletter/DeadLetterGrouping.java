package io.punctual.internal.deadletter;

import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.internal.deadletter.DeadLetterScan.Found;
import io.punctual.internal.deadletter.DeadLetterScan.ReadPage;
import io.punctual.internal.deadletter.DeadLetterScan.ScannedPage;
import io.punctual.internal.message.FailureSummary;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.task.TaskCounts;
import io.punctual.internal.task.TaskSteps;
import io.punctual.task.TaskProgress;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The steps of a task that counts dead letters by their failure, page by page. */
final class DeadLetterGrouping implements TaskSteps<DeadLetterGroups> {
  /**
   * The largest number of groups. It bounds the memory if almost every message has a different
   * failure.
   */
  static final int MOST_GROUPS = 1000;

  private final QueueView<?> view;
  private final DeadLetterScan scan;
  private final Map<FailureSummary, Group> groups = new HashMap<>();
  private long left;
  private long others;
  private Optional<String> cursor = Optional.empty();

  /** The answer to the request for the page at the cursor, or null if it is not requested yet. */
  private @Nullable CompletionStage<ReadPage> ahead;

  private volatile TaskCounts counts = TaskCounts.NONE;

  private static final class Group {
    final DeathTimes times = new DeathTimes();
    long count;
    String sampleId = "";

    void add(Found found) {
      count++;
      times.add(found.diedMillis());
      if (found.diedMillis() == times.last()) {
        sampleId = found.id();
      }
    }
  }

  DeadLetterGrouping(QueueView<?> view, DeadLetterFilter filter) {
    this.view = view;
    this.scan = new DeadLetterScan(view, filter);
    this.left = filter.limit();
  }

  @Override
  public CompletionStage<Boolean> step() {
    return StoreCall.stage(() -> view.corrected(this::countNext))
        .exceptionallyCompose(
            failure -> CompletableFuture.failedStage(StoreFailures.ofQuestion(what(), failure)));
  }

  private CompletionStage<Boolean> countNext() {
    if (left == 0) {
      return CompletableFuture.completedStage(false);
    }
    CompletionStage<ReadPage> page = ahead == null ? read(cursor) : ahead;
    ahead = null;
    return page.thenApply(this::count);
  }

  @Override
  public TaskCounts counts() {
    return counts;
  }

  @Override
  public Awaited<DeadLetterGroups> awaited(CompletableFuture<DeadLetterGroups> end) {
    return new Awaited.Question<>(what(), end);
  }

  @Override
  public void ended(TaskProgress last, @Nullable Throwable failure) {}

  private String what() {
    return "The " + this;
  }

  @Override
  public String toString() {
    return "grouping of dead letters in queue '" + view.queue() + "'";
  }

  private CompletionStage<ReadPage> read(Optional<String> from) {
    return StoreCall.stage(() -> scan.read(from, DeadLetterScan.PAGE));
  }

  /** Counts a page, while the store reads the next page. */
  private boolean count(ReadPage read) {
    if (read.next().isPresent()) {
      ahead = read(read.next());
    }
    ScannedPage page = scan.scanned(read);
    long matched = Math.min(left, page.found().size());
    page.found().stream().limit(matched).forEach(this::count);
    left -= matched;
    counts = counts.read(page.examined(), matched);
    cursor = page.next();
    return cursor.isPresent();
  }

  private void count(Found found) {
    Group group = groups.get(found.failure());
    if (group == null && groups.size() < MOST_GROUPS) {
      group = new Group();
      groups.put(found.failure(), group);
    }
    if (group == null) {
      others++;
    } else {
      group.add(found);
    }
  }

  @Override
  public DeadLetterGroups result(TaskProgress last) {
    return new CountedGroups(
        groups.entrySet().stream()
            .map(entry -> group(entry.getKey(), entry.getValue()))
            .sorted(
                Comparator.comparingLong(DeadLetterGroup::count)
                    .reversed()
                    .thenComparing(DeadLetterGroup::key))
            .toList(),
        others);
  }

  private static DeadLetterGroup group(FailureSummary failure, Group group) {
    return new CountedGroups.Group(
        failure.key(),
        Optional.ofNullable(failure.reason()),
        failure.failure(),
        group.count,
        Instant.ofEpochMilli(group.times.first()),
        Instant.ofEpochMilli(group.times.last()),
        group.times.spans(),
        group.sampleId);
  }
}
