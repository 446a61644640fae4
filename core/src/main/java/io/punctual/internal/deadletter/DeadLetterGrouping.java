package io.punctual.internal.deadletter;

import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.internal.deadletter.DeadLetterScan.Found;
import io.punctual.internal.deadletter.DeadLetterScan.ReadPage;
import io.punctual.internal.deadletter.DeadLetterScan.ScannedPage;
import io.punctual.internal.message.FailureSummary;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.runtime.StoreCall;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Counts dead letters by their failure, page by page. Its steps run in sequence. */
final class DeadLetterGrouping {
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

  private static final class Group {
    long count;
    long firstDied = Long.MAX_VALUE;
    long lastDied = Long.MIN_VALUE;
    String sampleId = "";

    void add(Found found) {
      count++;
      firstDied = Math.min(firstDied, found.diedMillis());
      if (found.diedMillis() >= lastDied) {
        lastDied = found.diedMillis();
        sampleId = found.id();
      }
    }
  }

  DeadLetterGrouping(QueueView<?> view, DeadLetterFilter filter) {
    this.view = view;
    this.scan = new DeadLetterScan(view, filter);
    this.left = filter.limit();
  }

  CompletionStage<DeadLetterGroups> start() {
    return AsyncLoop.run(() -> view.corrected(this::step)).thenApply(end -> result());
  }

  private CompletionStage<Boolean> step() {
    if (left == 0) {
      return CompletableFuture.completedStage(false);
    }
    CompletionStage<ReadPage> page = ahead == null ? read(cursor) : ahead;
    ahead = null;
    return page.thenApply(this::count);
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
    page.found().stream().limit(left).forEach(this::count);
    left -= Math.min(left, page.found().size());
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

  private DeadLetterGroups result() {
    return new DeadLetterGroups(
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
    return new DeadLetterGroup(
        failure.key(),
        Optional.ofNullable(failure.reason()),
        failure.failure(),
        group.count,
        Instant.ofEpochMilli(group.firstDied),
        Instant.ofEpochMilli(group.lastDied),
        group.sampleId);
  }
}
