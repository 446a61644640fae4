package io.punctual.migration.deadletter;

import io.punctual.PunctualException;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.internal.message.Checks;
import io.punctual.migration.message.MessageImage;
import io.punctual.migration.message.PartitionWriter;
import io.punctual.migration.message.QueueReader;
import io.punctual.migration.message.Requests;
import io.punctual.spi.Entry;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the lines of a {@link DeadLetterExport} as dead letters. A dead letter is stored in one
 * step with its attempts and failures, and only if its id is free. If a message has the id, or the
 * store remembers it, nothing changes. So an import can be repeated, also after it was killed.
 *
 * <p>A line that can't be imported is passed to the receiver of {@link #onRefused} with its number,
 * and the next lines are imported. Keeps a few batches in memory. Not thread-safe.
 */
public final class DeadLetterImport implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DeadLetterImport.class);

  /** The maximum number of look-ups in flight. */
  private static final int LOOK_UPS = 64;

  private final List<Partition> partitions;
  private final List<PartitionWriter> writers;
  private final List<Line> inUse = new ArrayList<>();
  private RefusedLines refusedLines;
  private boolean isDryRun;
  private @Nullable String full;
  private long stored;
  private long present;
  private long refused;

  /** Receives the lines that are not imported. */
  @FunctionalInterface
  public interface RefusedLines {
    /**
     * Receives a line, on the thread that imports.
     *
     * @param line the number of the line, as passed to {@link #add}
     * @param why the reason, as the rest of a sentence, such as "is not JSON"
     */
    void refused(long line, String why);
  }

  private record Line(long number, MessageImage image) {
    Partition partition(List<Partition> partitions) {
      return partitions.get(Partition.indexOf(image.id(), partitions.size()));
    }
  }

  private record LookUp(Line line, CompletionStage<Optional<Entry>> answer) {}

  private DeadLetterImport(Store store, String queue) {
    partitions = new QueueReader(store, queue, false).partitions();
    writers = partitions.stream().map(PartitionWriter::new).toList();
    refusedLines =
        (line, why) -> log.warn("Line {} is not imported into queue '{}': it {}", line, queue, why);
  }

  /**
   * Returns an import into a queue. The caller keeps the store open, and closes it.
   *
   * @throws IllegalArgumentException if the text is not the name of a queue
   * @throws io.punctual.PunctualException if the store refuses a request, or does not answer for a
   *     minute
   */
  public static DeadLetterImport into(Store store, String queue) {
    Checks.queueName(queue);
    return new DeadLetterImport(store, queue);
  }

  /** Sets whether the import only checks lines and counts; false by default. */
  public DeadLetterImport dryRun(boolean only) {
    isDryRun = only;
    return this;
  }

  /** Sets the receiver of refused lines. By default the log has a WARN for each. */
  public DeadLetterImport onRefused(RefusedLines receiver) {
    refusedLines = Objects.requireNonNull(receiver, "receiver");
    return this;
  }

  /**
   * Adds a line. A blank line has no effect. May block for the store.
   *
   * @param number the number of the line, for the receiver of {@link #onRefused}
   * @throws PunctualException if the store has no room, refused a request, or did not answer for a
   *     minute. Earlier lines may be stored; repeat the import
   */
  public void add(long number, String text) {
    if (text.isBlank()) {
      return;
    }
    MessageImage image;
    try {
      image = DeadLetterLine.parse(text);
    } catch (IllegalArgumentException e) {
      refuse(number, String.valueOf(e.getMessage()));
      return;
    }
    Line line = new Line(number, image);
    if (isDryRun) {
      lookUpLater(line);
      return;
    }
    writers
        .get(Partition.indexOf(image.id(), writers.size()))
        .add(image, outcome -> answered(line, outcome));
    requireRoom();
  }

  private void answered(Line line, Outcome outcome) {
    if (outcome instanceof Outcome.Full noRoom) {
      full = noRoom.why();
      refuse(line.number, "is not stored: " + noRoom.why());
    } else if (!(outcome instanceof Outcome.OfSchedule of)) {
      refuse(line.number, "is not stored: " + PartitionWriter.why(outcome));
    } else if (of.outcome() == ScheduleOutcome.STORED) {
      stored++;
    } else {
      lookUpLater(line);
    }
  }

  private void requireRoom() {
    if (full != null) {
      throw new PunctualException(
          "The store has no room for further dead letters; make room, and repeat the import: "
              + full,
          null);
    }
  }

  private void lookUpLater(Line line) {
    inUse.add(line);
    if (inUse.size() == LOOK_UPS) {
      lookUp();
    }
  }

  /** Compares lines with the messages that have their ids. */
  private void lookUp() {
    List<LookUp> lookUps =
        inUse.stream()
            .map(line -> new LookUp(line, line.partition(partitions).find(line.image.id())))
            .toList();
    inUse.clear();
    for (LookUp lookUp : lookUps) {
      Line line = lookUp.line;
      String id = line.image.id();
      compare(
          line,
          Requests.answer(
                  "The look-up of message '" + id + "'",
                  () -> lookUp.answer,
                  () -> line.partition(partitions).find(id))
              .orElse(null));
    }
  }

  private void compare(Line line, @Nullable Entry found) {
    String id = line.image.id();
    if (found == null && isDryRun) {
      stored++;
    } else if (found == null) {
      refuse(line.number, "has the id '" + id + "', which was in use; it is free now, try again");
    } else if (found.state() == State.FINISHED) {
      refuse(line.number, "has the id '" + id + "' of a finished message, which is remembered");
    } else if (found.state() != State.DEAD) {
      refuse(line.number, "has the id '" + id + "' of a message that is " + found.state());
    } else {
      compareDead(line, found);
    }
  }

  private void compareDead(Line line, Entry found) {
    List<String> differences;
    try {
      differences = line.image.differencesFrom(MessageImage.of(found));
    } catch (IllegalArgumentException e) {
      differences = List.of(String.valueOf(e.getMessage()));
    }
    if (differences.isEmpty()) {
      present++;
    } else {
      refuse(
          line.number,
          "has the id '"
              + line.image.id()
              + "' of a dead letter that differs: "
              + String.join(", ", differences));
    }
  }

  private void refuse(long number, String why) {
    refused++;
    refusedLines.refused(number, why);
  }

  /**
   * Handles the lines that are left, and waits until each line is stored, found in the queue, or
   * refused.
   *
   * @throws PunctualException as {@link #add}
   */
  public ImportedDeadLetters finish() {
    writers.forEach(PartitionWriter::finish);
    lookUp();
    requireRoom();
    return new ImportedDeadLetters(stored, present, refused);
  }

  /** Ends the import. Lines that were added after the last {@link #finish} may not be stored. */
  @Override
  public void close() {
    writers.forEach(PartitionWriter::close);
  }
}
