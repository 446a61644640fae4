package io.punctual.internal.deadletter;

import io.punctual.State;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.internal.log.Logs;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.queue.QueueAdmin;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.task.ChangeSteps;
import io.punctual.internal.task.Target;
import io.punctual.internal.task.TargetSource;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import io.punctual.spi.TimeRange;
import io.punctual.task.TaskOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Deletes the dead letters that a retention does not keep, the oldest first, in pages. A page has
 * the oldest dead letters of each partition, without payloads and at most {@link #MOST} in all
 * partitions. Its targets are the dead letters that are older than the retention's age, and the
 * oldest dead letters above the retention's count.
 *
 * <p>While the dead letters exceed the retention's count, it counts them after it has read a page.
 * So two clients that run at the same time choose the same dead letters, and do not delete more
 * than one client would.
 */
final class RetentionRun implements TargetSource {
  private static final Logger log = Logs.of("io.punctual.deadletters");
  private static final int PER_SECOND = 5000;

  /** The largest number of dead letters of a page. Pages of many dead letters need few counts. */
  private static final int MOST = 50 * Partition.MAX_PAGE;

  private final QueueView<?> view;
  private final DeadLetterRetention retention;
  private final DeadLetterBound bound;
  private final ChangeSteps steps;
  private long cutoffMillis = Long.MIN_VALUE;
  private long total;
  private long deletedBeforePage = -1;
  private long firstDiedMillis = Long.MAX_VALUE;
  private long lastDiedMillis = Long.MIN_VALUE;
  private String sampleId = "";

  /**
   * Creates a run.
   *
   * @param bound what earlier runs know about the number of dead letters
   */
  RetentionRun(QueueView<?> view, DeadLetterRetention retention, DeadLetterBound bound) {
    this.view = view;
    this.retention = retention;
    this.bound = bound;
    this.steps =
        new ChangeSteps(
            "retention of " + this,
            this,
            Long.MAX_VALUE,
            TaskOptions.DEFAULT.perSecond(PER_SECOND),
            view.env(),
            log);
  }

  /** Starts the run; the result is the number of deleted dead letters. */
  CompletionStage<Long> start() {
    if (retention.keepsAll()) {
      return CompletableFuture.completedStage(0L);
    }
    return view.corrected(this::count)
        .thenCompose(any -> any ? delete() : CompletableFuture.completedStage(null))
        .whenComplete((end, failure) -> report())
        .thenApply(end -> steps.counts().changed());
  }

  /**
   * Counts the dead letters, but only for a retention that limits their number, because some stores
   * read all messages to count them. The result is whether there may be a dead letter to delete.
   */
  private CompletionStage<Boolean> count() {
    if (retention.maxCount() == Long.MAX_VALUE) {
      return CompletableFuture.completedStage(true);
    }
    return bound
        .at(retention.maxCount(), this::nowMillis, new Numbers())
        .thenApply(
            most -> {
              total = most;
              return total > 0 && (isOver() || retention.maxAge().isPresent());
            });
  }

  /** Counts the dead letters of the queue. */
  private final class Numbers implements DeadLetterBound.Counting {
    @Override
    public CompletionStage<Long> count() {
      return inEach(Partition::countsNow).thenApply(RetentionRun::dead);
    }

    @Override
    public CompletionStage<Long> diedSince(long millis, long limit) {
      TimeRange range = new TimeRange(millis, Long.MAX_VALUE);
      int most = (int) Math.max(1, Math.min(limit, Partition.MAX_PAGE));
      return inEach(partition -> partition.browse(State.DEAD, range, null, most, false))
          .thenApply(
              pages ->
                  pages.stream().anyMatch(page -> page.next() != null)
                      ? Long.MAX_VALUE
                      : pages.stream().mapToLong(page -> page.entries().size()).sum());
    }
  }

  private CompletionStage<?> delete() {
    CompletionStage<Long> now =
        retention.maxAge().isPresent() ? nowMillis() : CompletableFuture.completedStage(0L);
    return now.thenCompose(
        millis -> {
          retention.maxAge().ifPresent(age -> cutoffMillis = millis - age.toMillis());
          return AsyncLoop.run(steps::step);
        });
  }

  /** Returns the time of the store's clock. */
  private CompletionStage<Long> nowMillis() {
    Partition partition = view.partitions().all().get(0).partition();
    String session = view.client().sessionId();
    Call call = new Call(session, 1, 1, new Call.Apply(List.of(), null), false);
    return partition
        .openSession(session, null)
        .thenCompose(opened -> partition.call(call))
        .whenComplete(
            (reply, failure) -> {
              CompletionStage<?> unused =
                  partition.closeSession(session).exceptionally(unclosed -> null);
            })
        .thenApply(
            reply -> {
              if (reply instanceof Reply.Applied applied) {
                return applied.engineMicros() / 1000;
              }
              throw new IllegalStateException("The store did not tell its time: " + reply);
            });
  }

  @Override
  public CompletionStage<TargetPage> read() {
    // A page that deletes nothing ends the run, because the next page would be the same.
    long deleted = steps.counts().changed();
    boolean isEnd = deleted == deletedBeforePage;
    deletedBeforePage = deleted;
    return isEnd ? CompletableFuture.completedStage(page(List.of())) : view.corrected(this::choose);
  }

  private static TargetPage page(List<Target> victims) {
    return new TargetPage(victims, victims.size(), victims.isEmpty());
  }

  /** Reads the oldest dead letters, and chooses the dead letters to delete. */
  private CompletionStage<TargetPage> choose() {
    if (!isOver() && retention.maxAge().isEmpty()) {
      return CompletableFuture.completedStage(page(List.of()));
    }
    if (!isOver()) {
      TimeRange old = new TimeRange(Long.MIN_VALUE, cutoffMillis);
      return oldest(old, Partition.MAX_PAGE).thenApply(pages -> choose(pages, 0));
    }
    long excess = Math.max(Partition.MAX_PAGE, total - retention.maxCount());
    return oldest(TimeRange.ALL, (int) Math.min(MOST, excess))
        .thenCompose(
            pages ->
                inEach(Partition::countsNow)
                    .thenApply(
                        counts -> {
                          total = dead(counts);
                          return choose(pages, Math.max(0, total - retention.maxCount()));
                        }));
  }

  /** Reads the oldest dead letters of each partition; about this number in all partitions. */
  private CompletionStage<List<EntryPage>> oldest(TimeRange range, int limit) {
    int each = Math.max(1, limit / view.partitions().all().size());
    return inEach(partition -> oldest(partition, range, each));
  }

  private static CompletionStage<EntryPage> oldest(Partition from, TimeRange range, int limit) {
    List<Entry> entries = new ArrayList<>();
    AtomicReference<@Nullable String> next = new AtomicReference<>();
    return AsyncLoop.run(
            () ->
                from.browse(
                        State.DEAD,
                        range,
                        next.get(),
                        Math.min(Partition.MAX_PAGE, limit - entries.size()),
                        false)
                    .thenApply(
                        page -> {
                          entries.addAll(page.entries());
                          next.set(page.next());
                          return page.next() != null && entries.size() < limit;
                        }))
        .thenApply(end -> new EntryPage(entries, next.get()));
  }

  /**
   * A position in the order of all dead letters: by the time of death, then by partition. Within a
   * partition, the store decides the order of dead letters that died in the same millisecond.
   */
  private record Place(long diedMillis, int partition) implements Comparable<Place> {
    static final Place LAST = new Place(Long.MAX_VALUE, Integer.MAX_VALUE);

    @Override
    public int compareTo(Place other) {
      int byTime = Long.compare(diedMillis, other.diedMillis);
      return byTime == 0 ? Integer.compare(partition, other.partition) : byTime;
    }
  }

  private record Candidate(Place place, Target letter) {}

  /**
   * Chooses the dead letters on these pages that are too old or among the oldest {@code excess}
   * dead letters. If a partition has dead letters that are not on its page, the order of all dead
   * letters is known only up to the last dead letter on that page. Clients that choose at the same
   * time must use the same order, also for equal times of death.
   */
  private TargetPage choose(List<EntryPage> pages, long excess) {
    Place known = Place.LAST;
    List<Candidate> oldest = new ArrayList<>();
    for (int partition = 0; partition < pages.size(); partition++) {
      Place last = new Place(Long.MIN_VALUE, partition);
      for (Entry letter : pages.get(partition).entries()) {
        last = new Place(letter.diedAtMillis(), partition);
        oldest.add(new Candidate(last, new Target(letter.id(), letter.diedAtMillis())));
      }
      if (pages.get(partition).next() != null && last.compareTo(known) < 0) {
        known = last;
      }
    }
    oldest.sort(Comparator.comparing(Candidate::place));
    List<Target> victims = new ArrayList<>();
    for (int i = 0; i < oldest.size(); i++) {
      Place place = oldest.get(i).place;
      if (place.diedMillis < cutoffMillis || (i < excess && place.compareTo(known) <= 0)) {
        victims.add(oldest.get(i).letter);
      }
    }
    return page(victims);
  }

  @Override
  public CompletionStage<Effect> change(Target letter) {
    return ClientDeadLetters.change(view, new Operation.DeleteDead(letter.id()));
  }

  @Override
  public void changed(Target letter) {
    total--;
    bound.set(total);
    firstDiedMillis = Math.min(firstDiedMillis, letter.timeMillis());
    lastDiedMillis = Math.max(lastDiedMillis, letter.timeMillis());
    sampleId = letter.id();
    log.debug("The retention of {} has deleted '{}'", this, letter.id());
  }

  /** A worker repeats the run a minute later, and a caller gets the failure. */
  @Override
  public boolean outlivesOutages() {
    return false;
  }

  private void report() {
    long deleted = steps.counts().changed();
    if (deleted > 0) {
      log.info(
          "The retention of {} has deleted {}, which died from {} to {}, such as '{}': it keeps {}",
          this,
          deleted,
          Instant.ofEpochMilli(firstDiedMillis),
          Instant.ofEpochMilli(lastDiedMillis),
          sampleId,
          kept());
    }
  }

  private String kept() {
    String age = retention.maxAge().map(most -> "dead letters of the last " + most).orElse("");
    String count = retention.maxCount() == Long.MAX_VALUE ? "" : "up to " + retention.maxCount();
    return age + (age.isEmpty() || count.isEmpty() ? "" : ", ") + count;
  }

  private boolean isOver() {
    return total > retention.maxCount();
  }

  private static long dead(List<PartitionCounts> counts) {
    return counts.stream().mapToLong(PartitionCounts::dead).sum();
  }

  private <R> CompletionStage<List<R>> inEach(Function<Partition, CompletionStage<R>> request) {
    return QueueAdmin.inEach(
        view.partitions().all(), (PartitionClient each) -> request.apply(each.partition()));
  }

  @Override
  public String toString() {
    return "dead letters in queue '" + view.queue() + "'";
  }
}
