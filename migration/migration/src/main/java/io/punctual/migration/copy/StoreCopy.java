package io.punctual.migration.copy;

import io.punctual.migration.message.Requests;
import io.punctual.spi.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Copies queues between two stores of any kind. The copy of a message has the same id, content, due
 * time, expiry, time of creation, attempts and failures, and waits or is a dead letter like the
 * original. Ids of finished messages are remembered until the same time if both stores can remember
 * ids. Except in a merge, the copy of a queue is paused if the original is paused. The source loses
 * nothing.
 *
 * <p>The queues of the target are paused during the copy, so that no worker takes a message before
 * the verification. The verification reads both stores, and compares for each queue the number of
 * messages and a checksum over all fields that must be equal. If they differ, or the copy merges,
 * it compares message by message. A queue with a difference stays paused in the target.
 *
 * <p>A copy that fails or is killed may be repeated with {@link TargetQueues#CONTINUE}, or a merge
 * with {@link TargetQueues#MERGE}. It stores a message only if its id is free, so a repetition adds
 * only the messages that are missing.
 *
 * <p>Fencing tokens are not copied. The tokens of the target begin at the clock of the target, so
 * they are greater than the tokens of the source unless that clock is behind.
 *
 * <p>An instance keeps a few pages of messages in memory: about 32 MiB, or a few times the size of
 * the largest messages. Not thread-safe.
 */
public final class StoreCopy {
  private final Store source;
  private final Store target;
  private final Set<String> queues = new TreeSet<>();
  private SourceQueues sourceQueues = SourceQueues.REQUIRE_PAUSED;
  private LeasedMessages leasedMessages = LeasedMessages.REFUSE;
  private TargetQueues targetQueues = TargetQueues.REQUIRE_EMPTY;
  private Consumer<CopyProgress> progress = one -> {};

  private StoreCopy(Store source, Store target) {
    this.source = Objects.requireNonNull(source, "source");
    this.target = Objects.requireNonNull(target, "target");
    if (source == target) {
      throw new IllegalArgumentException("The source and the target are the same store");
    }
  }

  /** Returns a copy between two stores. The caller keeps both stores open, and closes them. */
  public static StoreCopy between(Store source, Store target) {
    return new StoreCopy(source, target);
  }

  /** Adds queues to copy; without a call, all queues of the source are copied. */
  public StoreCopy queues(Collection<String> names) {
    queues.addAll(names);
    return this;
  }

  /** Sets the treatment of queues of the source that are not paused. */
  public StoreCopy sourceQueues(SourceQueues treatment) {
    sourceQueues = Objects.requireNonNull(treatment, "treatment");
    return this;
  }

  /** Sets the treatment of leased messages of the source. */
  public StoreCopy leasedMessages(LeasedMessages treatment) {
    leasedMessages = Objects.requireNonNull(treatment, "treatment");
    return this;
  }

  /** Sets the treatment of queues of the target that have messages. */
  public StoreCopy targetQueues(TargetQueues treatment) {
    targetQueues = Objects.requireNonNull(treatment, "treatment");
    return this;
  }

  /**
   * Sets a listener, which is called on the copying thread after each page of messages, and
   * repeatedly during a wait for leased messages.
   */
  public StoreCopy onProgress(Consumer<CopyProgress> listener) {
    progress = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Copies the queues, and verifies them. Blocks until the end.
   *
   * @return the result of each queue, in the order of their names; callers check {@link
   *     CopiedQueue#isEqual}
   * @throws CopyRefusedException if a queue does not exist, or its state does not allow the copy;
   *     nothing was copied
   * @throws io.punctual.PunctualException if a store refused a request, or did not answer for a
   *     minute; repeat the copy with {@link TargetQueues#CONTINUE}, or a merge with {@link
   *     TargetQueues#MERGE}
   */
  public List<CopiedQueue> run() {
    List<QueueCopy> copies = new ArrayList<>();
    for (String name : names()) {
      copies.add(QueueCopy.of(name, source, target, targetQueues, progress));
    }
    copies.forEach(QueueCopy::requireTarget);
    copies.forEach(copy -> copy.requireQuietSource(sourceQueues));
    copies.forEach(copy -> copy.requireLeases(leasedMessages));
    return copies.stream().map(QueueCopy::run).toList();
  }

  private Collection<String> names() {
    List<String> known = Requests.answer("The list of queues", source::queues);
    if (queues.isEmpty()) {
      return known;
    }
    for (String name : queues) {
      if (!known.contains(name)) {
        throw new MissingQueueException(
            "There is no queue '" + name + "' in " + source.describe() + "; nothing was copied",
            name,
            known);
      }
    }
    return queues;
  }
}
