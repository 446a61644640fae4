package io.punctual.deadletter;

import io.punctual.Limits;
import io.punctual.Page;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.util.stream.Stream;

/**
 * The dead letters of a queue: messages that failed too often, expired, are unreadable, or were
 * buried by their consumer. A dead letter stays until it is redriven, or deleted, for example by a
 * {@link DeadLetterRetention}, or until a schedule of the same id replaces it. Safe for use by many
 * threads.
 *
 * @param <T> the payload's type
 */
public interface DeadLetters<T> {
  /** The rate of a task without a limit. */
  int UNLIMITED = TaskOptions.UNLIMITED;

  /** Returns the asynchronous forms of the operations. */
  AsyncDeadLetters<T> async();

  /**
   * Lists a page of the dead letters that a query selects, partition by partition, and within each
   * partition by the time of death; or with the latest death first: {@link
   * DeadLetterQuery#newestFirst}. A page may have fewer messages than its limit, and even none,
   * although there are further pages.
   *
   * @throws IllegalArgumentException if the cursor of the query is not from a page of this queue
   */
  Page<StoredMessage<T>> list(DeadLetterQuery query);

  /**
   * Streams the dead letters that a query selects. Reads the first page at once, and each further
   * page when the dead letters of the page before are consumed. The query's limit is the size of a
   * page. Not a snapshot. The stream needs no close.
   */
  default Stream<StoredMessage<T>> stream(DeadLetterQuery query) {
    return Page.stream(list(query), next -> list(query.after(next)));
  }

  /**
   * Counts the dead letters that match a filter, grouped by reason and failure. Reads the dead
   * letters in bounded steps, without their payloads. Dead letters that change during the count may
   * be missing, or may be counted.
   */
  DeadLetterGroups groups(DeadLetterFilter filter);

  /** Makes a dead letter due now, and clears its attempts and failures. */
  DeadLetterOutcome redrive(String id);

  /**
   * Makes a dead letter due now with a new payload, and clears its attempts and failures. The
   * recurrence, {@code notAfter} and the headers stay; the codec may change headers. Has no effect
   * if the message is not dead any more, for example because it was redriven in the meantime.
   *
   * @throws IllegalArgumentException if the payload, or the headers with those of the codec, exceed
   *     the {@link Limits}
   */
  DeadLetterOutcome redrive(String id, T payload);

  /**
   * Starts to redrive the dead letters that match a filter; messages that die meanwhile may be left
   * out. The task reads up to 1000 dead letters in advance, and applies the filter when it reads
   * them. A task that {@linkplain TaskOptions#after continues} an earlier task may also redrive
   * messages that the earlier task has redriven and that died again; {@link
   * DeadLetterFilter#withDiedBefore} with the start of the earlier task leaves them out.
   */
  Task<TaskProgress> redrive(DeadLetterFilter filter, TaskOptions options);

  /**
   * Starts to redrive the dead letters that match a filter.
   *
   * @param perSecond the largest number of changes in a second, from 1, or {@link #UNLIMITED}
   */
  default Task<TaskProgress> redrive(DeadLetterFilter filter, int perSecond) {
    return redrive(filter, TaskOptions.DEFAULT.perSecond(perSecond));
  }

  /** Removes a dead letter. */
  DeadLetterOutcome delete(String id);

  /**
   * Starts to delete the dead letters that match a filter, like {@link #redrive(DeadLetterFilter,
   * TaskOptions)}. A {@linkplain TimedQueue#purge purge} deletes all dead letters faster, but its
   * rate can't be limited, and it reports no progress.
   */
  Task<TaskProgress> delete(DeadLetterFilter filter, TaskOptions options);

  /**
   * Starts to delete the dead letters that match a filter.
   *
   * @param perSecond the largest number of changes in a second, from 1, or {@link #UNLIMITED}
   */
  default Task<TaskProgress> delete(DeadLetterFilter filter, int perSecond) {
    return delete(filter, TaskOptions.DEFAULT.perSecond(perSecond));
  }

  /**
   * Deletes the dead letters that a retention does not keep, the oldest first and at most 5,000 a
   * second. Writes their number to the log. Waits for the end of the deletion, without a time-out.
   * Ages count by the store's clock. If dead letters are redriven or deleted meanwhile, the queue
   * may keep fewer than the retention's count; if messages die meanwhile, it may keep more. A
   * worker with a retention does this every minute: {@link
   * WorkerOptions.Builder#deadLetterRetention}.
   *
   * @return the number of deleted dead letters
   */
  long deleteBeyond(DeadLetterRetention retention);
}
