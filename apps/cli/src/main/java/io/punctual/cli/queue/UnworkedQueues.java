package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.WorkerInfo;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Numbers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds queues whose messages are due for a minute, while no worker of any process has the queue,
 * perhaps because its name is misspelled.
 */
final class UnworkedQueues {
  private static final Logger log = LoggerFactory.getLogger(UnworkedQueues.class);
  private static final Duration OVERDUE = Duration.ofMinutes(1);
  private static final int MOST_NAMES = 10;

  private final Punctual punctual;
  private final List<String> late = new ArrayList<>();

  UnworkedQueues(Punctual punctual) {
    this.punctual = punctual;
  }

  /** Returns whether the store knows the workers of its own process only. */
  static boolean isOfOneProcess(Punctual punctual) {
    return punctual.store().matches("(journal|memory):.*");
  }

  /** Adds a queue. Leased messages show a consumer, which is not always a listed worker. */
  void add(String queue, Counts counts) {
    if (!counts.paused()
        && counts.leased() == 0
        && counts.ready() > 0
        && counts.overdue().compareTo(OVERDUE) >= 0) {
      late.add(queue);
    }
  }

  /** Names the queues to the user. A store without a list of all workers is not asked. */
  void tell(Console console) {
    if (late.isEmpty() || isOfOneProcess(punctual)) {
      return;
    }
    try {
      Set<String> worked =
          punctual.workers().stream().map(WorkerInfo::queue).collect(Collectors.toSet());
      late.removeAll(worked);
    } catch (PunctualException e) {
      log.debug("The workers can't be listed", e);
      return;
    }
    if (!late.isEmpty()) {
      int more = late.size() - MOST_NAMES;
      console.say(
          "Due messages, but no worker of any process: "
              + late.stream()
                  .limit(MOST_NAMES)
                  .map(name -> "'" + name + "'")
                  .collect(Collectors.joining(", "))
              + (more > 0 ? " and " + Numbers.grouped(more) + " more" : "")
              + ". Is the name of the queue right? Programs that claim messages without a worker are"
              + " not listed.");
    }
  }
}
