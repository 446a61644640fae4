package io.punctual.kit.kill;

import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Schedules messages that are due within two seconds, and cancels some of them. The ids of the
 * messages begin with the name of the member.
 *
 * @param messages the number of messages, or {@link Integer#MAX_VALUE} to schedule until the run
 *     ends the role
 * @param pauseMillis the pause after 20 messages
 */
public record Traffic(int messages, long pauseMillis) implements Role {
  private static final int LATEST_DUE_MILLIS = 2000;
  private static final int BURST = 20;
  private static final int A_SECOND = 200;
  private static final long SHORTEST_PAUSE_MILLIS = 5;

  /** Returns the role that schedules this number of messages in about this time. */
  public static Traffic of(int messages, Duration time) {
    return new Traffic(
        messages, Math.max(SHORTEST_PAUSE_MILLIS, time.toMillis() * BURST / messages));
  }

  /** Returns the role that schedules 200 messages a second for about this time. */
  public static Traffic during(Duration time) {
    return of((int) (time.toMillis() * A_SECOND / 1000), time);
  }

  /** Returns the role that schedules 200 messages a second until the run ends the role. */
  public static Traffic endless() {
    return new Traffic(Integer.MAX_VALUE, 1000 * BURST / A_SECOND);
  }

  /** Starts two workers and this role in threads of the test, and waits until they are ready. */
  public void start(KillRun run) {
    run.startThread(this);
    run.startThread(Handling.of(1));
    run.startThread(Handling.of(1));
    run.awaitReady();
  }

  @Override
  public boolean produces() {
    return true;
  }

  @Override
  public boolean endsByItself() {
    return messages != Integer.MAX_VALUE;
  }

  @Override
  public void play(Stage stage) throws InterruptedException {
    try (RecordedClient client = stage.open()) {
      List<CompletionStage<?>> asked = new ArrayList<>();
      try {
        produce(stage, client.queue(), asked);
      } finally {
        asked.forEach(Traffic::awaitAnswer);
      }
    }
  }

  private void produce(Stage stage, TimedQueue<String> queue, List<CompletionStage<?>> asked)
      throws InterruptedException {
    Random random = new Random(stage.seed());
    String prefix = stage.name() + "-";
    for (int i = 0; i < messages; i++) {
      Duration delay = Duration.ofMillis(random.nextInt(LATEST_DUE_MILLIS));
      asked.add(queue.async().schedule(Message.of("payload").id(prefix + i).dueIn(delay)));
      if (random.nextInt(5) == 0) {
        asked.add(queue.async().cancel(prefix + random.nextInt(i + 1)));
      }
      if (i % BURST == BURST - 1) {
        TimeUnit.MILLISECONDS.sleep(pauseMillis);
      }
    }
  }

  private static void awaitAnswer(CompletionStage<?> asked) {
    try {
      asked.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof PunctualException)) {
        throw e;
      }
      // The recording has the failure, from which the checker derives the possible outcomes.
    }
  }
}
