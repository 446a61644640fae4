package io.punctual.redis;

import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.spi.Lane;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks lanes when each has something to claim: a hundred at once where they are on one server, each
 * by itself where they may not be. A lane that does not answer has nothing to say until the next
 * time, and the others are heard all the same. For one question.
 */
final class SafetyQuestion {
  private static final int LANES_A_SCRIPT = 100;

  private final Deployment deployment;
  private final List<Lane> lanes;
  private final long[] untils;
  private final AtomicInteger unanswered = new AtomicInteger();

  SafetyQuestion(Deployment deployment, List<Lane> lanes) {
    this.deployment = deployment;
    this.lanes = lanes;
    this.untils = new long[lanes.size()];
    Arrays.fill(untils, Reply.NONE);
  }

  CompletableFuture<long[]> ask() {
    int step = deployment.isOneServer() ? LANES_A_SCRIPT : 1;
    List<CompletableFuture<?>> questions = new ArrayList<>();
    for (int from = 0; from < lanes.size(); from += step) {
      questions.add(ask(from, Math.min(lanes.size(), from + step)));
    }
    return CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
        .handle((all, failure) -> failure)
        .thenCompose(
            failure ->
                failure != null && unanswered.get() == questions.size()
                    ? CompletableFuture.failedFuture(failure)
                    : CompletableFuture.completedFuture(untils));
  }

  private CompletableFuture<?> ask(int from, int to) {
    List<byte[]> keys = new ArrayList<>();
    for (Lane lane : lanes.subList(from, to)) {
      keys.addAll(((RedisLane) lane).keys().untilNext());
    }
    return deployment
        .run(LaneScripts.UNTIL_NEXT, keys, List.of())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                read(answer, from, to);
              } else {
                unanswered.incrementAndGet();
              }
            });
  }

  private void read(Answer answer, int from, int to) {
    Values values = new Values(answer.values());
    long engineMicros = values.nextLong();
    for (int i = from; i < to; i++) {
      long until = Values.until(values.nextTime(), engineMicros);
      untils[i] = ((RedisLane) lanes.get(i)).turn().after(until);
    }
  }
}
