package io.punctual.kit.kill;

import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Schedules the same ids as the other producers, again and again. All ids are remembered for longer
 * than the run.
 *
 * @param begin when the run began, in {@link System#nanoTime}
 */
public record RememberedIds(long begin) implements Role {
  private static final int PROCESSES = 3;

  /** How many ids a second are added to the ids from which all producers choose. */
  private static final int NEW_IDS_A_SECOND = 100;

  /** Half of all schedules choose their id from this many of the newest ids. */
  private static final int NEWEST = 50;

  private static final int BATCH = 10;
  private static final long PAUSE_MILLIS = 20;
  private static final int LATEST_DUE_MILLIS = 500;
  private static final Duration REMEMBERED = Duration.ofHours(12);

  /**
   * Allows many attempts, because each kill costs an attempt. A message must not become a dead
   * letter: the next schedule of its id would replace it, and the id would be handled again.
   */
  private static final Handling HANDLING = new Handling(0, 199, 1_000);

  /**
   * Starts three producers and three workers in processes, and waits until they are ready. Returns
   * the role of the producers.
   */
  public static RememberedIds start(KillRun run) {
    RememberedIds role = new RememberedIds(System.nanoTime());
    for (int i = 0; i < PROCESSES; i++) {
      run.start(role);
      run.start(HANDLING);
    }
    run.awaitReady();
    return role;
  }

  /** Kills a random producer and a random worker of a run, and starts new ones. */
  public static void replaceOneOfEach(KillRun run) {
    run.replaceOne(RememberedIds.class);
    run.replaceOne(Handling.class);
  }

  /** Ends a run of this role, and judges the histories of all members. */
  public RememberedVerdict judge(KillRun run) {
    return RememberedVerdict.of(run, begin);
  }

  @Override
  public boolean produces() {
    return true;
  }

  /** Returns the number of ids from which producers can have chosen so far. */
  static int ids(long begin) {
    return 1 + (int) ((System.nanoTime() - begin) * NEW_IDS_A_SECOND / 1_000_000_000);
  }

  static Message<String> message(int id) {
    return Message.of("order").id("order-" + id).rememberFor(REMEMBERED);
  }

  @Override
  public void play(Stage stage) throws InterruptedException {
    try (RecordedClient client = stage.open()) {
      produce(client.queue(), new Random(stage.seed()));
    }
  }

  private void produce(TimedQueue<String> queue, Random random) throws InterruptedException {
    while (true) {
      List<Message<String>> messages = new ArrayList<>();
      for (int id : choose(random)) {
        messages.add(message(id).dueIn(Duration.ofMillis(random.nextInt(LATEST_DUE_MILLIS))));
      }
      try {
        queue.scheduleAll(messages);
      } catch (PunctualException repeatedLater) {
        // The recording contains the failure. At its end, the run schedules each id once more.
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private Set<Integer> choose(Random random) {
    int ids = ids(begin);
    Set<Integer> chosen = new LinkedHashSet<>();
    for (int i = 0; i < BATCH; i++) {
      int oldest = i % 2 == 0 ? Math.max(0, ids - NEWEST) : 0;
      chosen.add(random.nextInt(oldest, ids));
    }
    return chosen;
  }
}
