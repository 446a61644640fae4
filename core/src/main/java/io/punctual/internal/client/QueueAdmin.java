package io.punctual.internal.client;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetters;
import io.punctual.Durability;
import io.punctual.Forecast;
import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.PendingChange;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Look-ups and administration of a queue over all of its partitions. Thread-safe. */
final class QueueAdmin<T> implements DeadLetters<T> {
  private static final int STEP = 1000;

  private final Client client;
  private final QueuePartitions partitions;
  private final Codec<T> codec;
  private final @Nullable Durability durability;
  private final Waiting waiting;

  QueueAdmin(
      Client client,
      QueuePartitions partitions,
      Codec<T> codec,
      @Nullable Durability durability,
      Waiting waiting) {
    this.waiting = waiting;
    this.client = client;
    this.partitions = partitions;
    this.codec = codec;
    this.durability = durability;
  }

  Optional<StoredMessage<T>> find(String id) {
    return waiting.await(() -> lookUp(id)).map(this::stored);
  }

  CompletionStage<Optional<StoredMessage<T>>> findAsync(String id) {
    return client
        .env()
        .callbacks()
        .of(lookUp(id).answer().thenApply(found -> found.map(this::stored)));
  }

  private Awaited<Optional<Entry>> lookUp(String id) {
    client.requireOpen();
    client.require(Capability.BROWSE);
    Checks.id(id);
    return ask("find of '" + id + "'", () -> partitions.of(id).partition().find(id));
  }

  private StoredMessage<T> stored(Entry entry) {
    return new StoredEntry<>(entry, codec, partitions.queue());
  }

  Page<StoredMessage<T>> browse(State state, Optional<String> cursor, int limit) {
    client.requireOpen();
    client.require(Capability.BROWSE);
    Checks.page(limit);
    return waiting.await(() -> ask("browse", () -> page(state, cursor, limit)));
  }

  private CompletionStage<Page<StoredMessage<T>>> page(
      State state, Optional<String> cursor, int limit) {
    int count = partitions.all().size();
    PartitionCursor from = PartitionCursor.parse(cursor, count);
    return browse(state, from, limit)
        .thenApply(
            page ->
                new Page<>(
                    page.entries().stream().map(this::stored).toList(),
                    from.after(page.next(), count)));
  }

  private CompletionStage<EntryPage> browse(State state, PartitionCursor from, int limit) {
    return partitions.all().get(from.partition()).partition().browse(state, from.cursor(), limit);
  }

  Counts counts() {
    client.requireOpen();
    List<PartitionCounts> counts =
        waiting.await(() -> ask("counts", () -> inEachPartition(Partition::counts)));
    return new Counts(
        counts.stream().mapToLong(PartitionCounts::scheduled).sum(),
        counts.stream().mapToLong(PartitionCounts::ready).sum(),
        counts.stream().mapToLong(PartitionCounts::leased).sum(),
        counts.stream().mapToLong(PartitionCounts::dead).sum(),
        counts.stream().anyMatch(PartitionCounts::paused));
  }

  Forecast forecast(Instant from, Instant to, int buckets) {
    client.requireOpen();
    client.require(Capability.FORECAST);
    Checks.range(buckets, 1, Partition.MAX_BUCKETS, "buckets");
    long begin = DueTime.instantMillis(from);
    long span = DueTime.instantMillis(to) - begin;
    if (span <= 0) {
      throw new IllegalArgumentException(
          "to must be after from, but they were " + to + ", " + from);
    }
    long width = (span + buckets - 1) / buckets;
    long[] sum = new long[buckets];
    for (long[] counts :
        waiting.await(
            () ->
                ask(
                    "forecast",
                    () ->
                        inEachPartition(partition -> partition.forecast(begin, width, buckets))))) {
      for (int i = 0; i < buckets; i++) {
        sum[i] += counts[i];
      }
    }
    List<Long> counts = Arrays.stream(sum).boxed().toList();
    return new Forecast(Instant.ofEpochMilli(begin), Duration.ofMillis(width), counts);
  }

  void pause(boolean paused) {
    client.requireOpen();
    client.require(Capability.PAUSE);
    List<?> unused =
        waiting.await(
            () ->
                change(
                    paused ? "pause" : "resume",
                    () ->
                        inEachPartition(
                            partition -> partition.pause(paused).thenApply(nothing -> paused))));
  }

  long purge(Set<State> states) {
    client.requireOpen();
    client.require(Capability.PURGE);
    Set<State> copy = Set.copyOf(states);
    // A purge of many messages may exceed the time-out; the store bounds each step of a purge.
    return Waiting.forEndOf(
            () -> change("purge", () -> inEachPartition(partition -> partition.purge(copy))))
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private <R> Awaited<R> ask(String what, StoreCall<R> question) {
    return client.question(named(what), () -> corrected(question));
  }

  private <R> Awaited<R> change(String what, StoreCall<R> change) {
    return client.change(named(what), () -> corrected(change));
  }

  private String named(String what) {
    return "The " + what + " in queue '" + partitions.queue() + "'";
  }

  /** Sends a request, and repeats it if the number of partitions was stale. */
  private <R> CompletionStage<R> corrected(StoreCall<R> question) {
    return StoreCall.stage(question)
        .exceptionallyCompose(
            failure ->
                StoreFailures.unwrap(failure) instanceof Partition.PartitionCountException
                    ? client.correct(partitions).thenCompose(nothing -> question.ask())
                    : CompletableFuture.failedStage(failure));
  }

  /** Completes when every partition has answered or failed. */
  private <R> CompletionStage<List<R>> inEachPartition(
      Function<Partition, CompletionStage<R>> question) {
    List<CompletableFuture<R>> answers = new ArrayList<>();
    for (PartitionClient each : partitions.all()) {
      answers.add(StoreCall.stage(() -> question.apply(each.partition())).toCompletableFuture());
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
  }

  @Override
  public Page<StoredMessage<T>> list(Optional<String> cursor, int limit) {
    return browse(State.DEAD, cursor, limit);
  }

  @Override
  public DeadLetterOutcome redrive(String id) {
    return waiting.await(() -> submit(new Operation.Redrive(id)));
  }

  @Override
  public DeadLetterOutcome delete(String id) {
    return waiting.await(() -> submit(new Operation.DeleteDead(id)));
  }

  private Awaited<DeadLetterOutcome> submit(Operation operation) {
    client.requireOpen();
    Checks.id(operation.id());
    OutcomeCallback<DeadLetterOutcome> ticket =
        new OutcomeCallback<>(o -> OutcomeCallback.as(Outcome.OfDeadLetter.class, o).outcome());
    partitions.of(operation.id()).session().submit(operation, durability, ticket);
    return new PendingChange<>(partitions, operation, ticket);
  }

  @Override
  public long deleteAll() {
    return purge(Set.of(State.DEAD));
  }

  @Override
  public long redriveAll() {
    client.requireOpen();
    long redriven = 0;
    for (int partition = 0; partition < partitions.all().size(); partition++) {
      int index = partition;
      redriven +=
          redriveAll(
              partition,
              waiting
                  .await(
                      () -> ask("counts", () -> partitions.all().get(index).partition().counts()))
                  .dead());
    }
    return redriven;
  }

  /** Redrives the dead letters that were present at the start, oldest first. */
  private long redriveAll(int partition, long dead) {
    long redriven = 0;
    PartitionCursor start = new PartitionCursor(partition, null);
    for (long left = dead; left > 0; ) {
      int limit = (int) Math.min(left, STEP);
      EntryPage page = waiting.await(() -> ask("browse", () -> browse(State.DEAD, start, limit)));
      if (page.entries().isEmpty()) {
        break;
      }
      left -= page.entries().size();
      List<Awaited<DeadLetterOutcome>> answers =
          page.entries().stream().map(e -> submit(new Operation.Redrive(e.id()))).toList();
      for (Awaited<DeadLetterOutcome> answer : answers) {
        redriven += waiting.await(() -> answer) == DeadLetterOutcome.DONE ? 1 : 0;
      }
    }
    return redriven;
  }
}
