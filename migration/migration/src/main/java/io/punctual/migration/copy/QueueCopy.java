package io.punctual.migration.copy;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.migration.copy.CopyProgress.Step;
import io.punctual.migration.message.MessageImage;
import io.punctual.migration.message.PartitionWriter;
import io.punctual.migration.message.QueueReader;
import io.punctual.migration.message.Requests;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.LimitShare;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Store;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The copy of a queue. Not thread-safe. */
final class QueueCopy {
  private static final PauseNote OF_SOURCE =
      new PauseNote("The messages are copied to a different store", "copy");
  private static final PauseNote OF_TARGET =
      new PauseNote("A copy into the queue has not ended, or has found differences", "copy");

  private static final Logger log = LoggerFactory.getLogger(QueueCopy.class);
  private static final long WAIT_MILLIS = 500;

  private final String queue;
  private final Store source;
  private final Store target;
  private final TargetQueues targetQueues;
  private final Consumer<CopyProgress> progress;
  private final QueueReader reader;
  private final QueueReader copied;
  private final Differences differences = new Differences();
  private final List<PartitionWriter> writers;
  private long messages;
  private long remembered;

  private QueueCopy(
      String queue,
      Store source,
      Store target,
      TargetQueues targetQueues,
      Consumer<CopyProgress> progress) {
    this.queue = queue;
    this.source = source;
    this.target = target;
    this.targetQueues = targetQueues;
    this.progress = progress;
    boolean withRemembered =
        source.capabilities().contains(Capability.REMEMBER)
            && target.capabilities().contains(Capability.REMEMBER);
    reader = new QueueReader(source, queue, withRemembered);
    copied = new QueueReader(target, queue, withRemembered);
    writers = copied.partitions().stream().map(PartitionWriter::new).toList();
  }

  static QueueCopy of(
      String queue,
      Store source,
      Store target,
      TargetQueues targetQueues,
      Consumer<CopyProgress> progress) {
    return new QueueCopy(queue, source, target, targetQueues, progress);
  }

  /**
   * Refuses the copy if the queue of the target has messages or remembered ids, unless the copy
   * continues or merges.
   */
  void requireTarget() {
    long before = sum(copied, QueueCopy::all);
    if (targetQueues == TargetQueues.REQUIRE_EMPTY && before > 0) {
      throw new CopyRefusedException(
          "Queue '"
              + queue
              + "' of "
              + target.describe()
              + " has "
              + before
              + " messages and remembered ids; nothing was copied. If an earlier copy ended half"
              + " way, continue it; to add to a queue in use, merge");
    }
  }

  /**
   * If the queue of the source is not paused: refuses the copy, pauses the queue, or takes it as it
   * is.
   */
  void requireQuietSource(SourceQueues treatment) {
    if (treatment == SourceQueues.AS_THEY_ARE || isPaused(reader)) {
      return;
    }
    if (treatment == SourceQueues.REQUIRE_PAUSED) {
      throw new CopyRefusedException(
          "Queue '"
              + queue
              + "' of "
              + source.describe()
              + " is not paused, so workers could take messages during the copy; nothing was"
              + " copied. Pause the queue, or let the copy pause it: SourceQueues.PAUSE, or --pause"
              + " of the command");
    }
    pause(reader, true, OF_SOURCE);
  }

  /**
   * If the queue of the source has leased messages, refuses the copy or waits for the ends of the
   * leases, unless the copy includes such messages.
   */
  void requireLeases(LeasedMessages treatment) {
    if (treatment == LeasedMessages.COPY) {
      return;
    }
    long leased = leased();
    while (leased > 0 && treatment == LeasedMessages.WAIT) {
      progress.accept(new CopyProgress(queue, Step.WAITING, 0, leased));
      Requests.sleep("The wait for leased messages of queue '" + queue + "'", WAIT_MILLIS);
      leased = leased();
    }
    if (leased > 0) {
      throw new CopyRefusedException(
          "Queue '"
              + queue
              + "' of "
              + source.describe()
              + " has "
              + leased
              + " leased messages, which workers may still process; nothing was copied. Wait for"
              + " the workers, or copy leased messages as waiting messages");
    }
  }

  /** Returns the number of messages whose leases have not ended. */
  private long leased() {
    if (sum(reader, PartitionCounts::leased) == 0) {
      return 0;
    }
    long[] count = {0};
    for (Partition partition : reader.partitions()) {
      long nowMillis = StoreTime.millis(partition);
      reader.forEachPage(
          partition,
          State.LEASED,
          page -> count[0] += page.stream().filter(entry -> isLeased(entry, nowMillis)).count());
    }
    return count[0];
  }

  private static boolean isLeased(Entry entry, long nowMillis) {
    return entry.leasedUntilMillis() == 0 || entry.leasedUntilMillis() > nowMillis;
  }

  /** Copies the messages, and verifies the copy. */
  CopiedQueue run() {
    // Asked before the target is paused, because both URLs can lead to the same queue.
    QueueReader model = targetQueues == TargetQueues.MERGE ? copied : reader;
    boolean paused = isPaused(model);
    PauseNote note = note(model);
    pause(copied, true, OF_TARGET);
    try {
      copy();
    } finally {
      writers.forEach(PartitionWriter::close);
    }
    verify();
    copyLimits();
    warnOfRememberedIds();
    if (differences.found() == 0) {
      pause(copied, paused, note);
    }
    return new CopiedQueue(
        queue,
        messages,
        remembered,
        writers.stream().mapToLong(PartitionWriter::stored).sum(),
        writers.stream().mapToLong(PartitionWriter::present).sum(),
        differences.kept(),
        differences.found(),
        differences.first(),
        paused || differences.found() > 0);
  }

  /**
   * Gives the target the limits of the source. A merge keeps the limits of the target. If the
   * target can't have the limits, logs a warning.
   */
  private void copyLimits() {
    QueueLimits limits = counts(reader.partitions().get(0)).limits();
    if (targetQueues == TargetQueues.MERGE
        || copied.partitions().stream().allMatch(part -> counts(part).limits().equals(limits))) {
      return;
    }
    try {
      requireLimits(limits);
    } catch (IllegalArgumentException e) {
      log.warn(
          "The copy of queue '{}' does not have the limits of the source, {}: {}",
          queue,
          limits,
          e.getMessage());
      return;
    }
    for (Partition partition : copied.partitions()) {
      Requests.<@Nullable Void>answer(
          "The limits of queue '" + queue + "'", () -> partition.limits(limits));
    }
  }

  private void requireLimits(QueueLimits limits) {
    if (!target.capabilities().contains(Capability.LIMITS)) {
      throw new IllegalArgumentException(target.describe() + " does not support limits");
    }
    LimitShare.check(limits, copied.partitions().size(), queue);
  }

  private void warnOfRememberedIds() {
    long done = sum(reader, PartitionCounts::finished);
    if (done > 0 && !target.capabilities().contains(Capability.REMEMBER)) {
      log.warn(
          "The copy of queue '{}' does not have the {} remembered ids of finished messages, because"
              + " {} remembers no ids: a schedule of such an id stores a message in the target",
          queue,
          done,
          target.describe());
    }
  }

  private void copy() {
    long expected = sum(reader, QueueCopy::all);
    reader.forEach(
        entry -> {
          MessageImage image = image(entry);
          if (image != null) {
            if (image.isRemembered()) {
              remembered++;
            } else {
              messages++;
            }
            writers.get(Partition.indexOf(image.id(), writers.size())).add(image);
          }
        },
        () ->
            progress.accept(
                new CopyProgress(queue, Step.COPYING, messages + remembered, expected)));
    writers.forEach(PartitionWriter::finish);
  }

  /**
   * Returns the image of a message, or null if the message was cancelled during its lease, or can't
   * be read or restored.
   */
  private static @Nullable MessageImage image(Entry entry) {
    if (Comparison.isDiscarded(entry)) {
      return null;
    }
    try {
      return MessageImage.of(entry);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private void verify() {
    if (targetQueues != TargetQueues.MERGE && isEqual()) {
      return;
    }
    long[] compared = {0};
    boolean merges = targetQueues == TargetQueues.MERGE;
    Runnable afterPage =
        () -> progress.accept(new CopyProgress(queue, Step.COMPARING, ++compared[0], 0));
    Comparison comparison = new Comparison(differences, merges, afterPage);
    comparison.compare(reader, copied.partitions());
    if (!merges) {
      comparison.findExtra(copied, reader.partitions());
    }
  }

  /** Returns whether both queues have the same messages, by their counts and checksums. */
  private boolean isEqual() {
    Checksum original = checksum(reader, 0);
    Checksum copy = checksum(copied, original.count());
    return original.isEqual(copy) && original.isComplete() && copy.isComplete();
  }

  private Checksum checksum(QueueReader queueReader, long before) {
    Checksum checksum = new Checksum();
    queueReader.forEach(
        entry -> {
          if (Comparison.isDiscarded(entry)) {
            return;
          }
          MessageImage image = image(entry);
          if (image == null) {
            checksum.addUnreadable();
          } else {
            checksum.add(image);
          }
        },
        () ->
            progress.accept(
                new CopyProgress(
                    queue,
                    Step.VERIFYING,
                    before + checksum.count(),
                    2 * (messages + remembered))));
    return checksum;
  }

  /** Returns the number of messages and remembered ids. */
  private static long all(PartitionCounts counts) {
    return counts.scheduled()
        + counts.ready()
        + counts.leased()
        + counts.dead()
        + counts.finished();
  }

  private long sum(QueueReader of, ToLongFunction<PartitionCounts> number) {
    return of.partitions().stream().map(this::counts).mapToLong(number).sum();
  }

  private boolean isPaused(QueueReader of) {
    return of.partitions().stream().map(this::counts).allMatch(PartitionCounts::paused);
  }

  private PauseNote note(QueueReader of) {
    return counts(of.partitions().get(0)).pauseNote();
  }

  private PartitionCounts counts(Partition partition) {
    return Requests.answer("The count of queue '" + queue + "'", partition::counts);
  }

  private void pause(QueueReader of, boolean paused, PauseNote note) {
    of.partitions()
        .forEach(
            partition ->
                Requests.<@Nullable Void>answer(
                    "The pause of queue '" + queue + "'", () -> partition.pause(paused, note)));
  }
}
