package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
    StringBuilder waits = new StringBuilder();
    for (int i = from; i < to; i++) {
      RedisLane lane = lane(i);
      keys.addAll(lane.keys().untilNext());
      waits.append(lane.waiter().waits() ? 'w' : '-');
    }
    List<byte[]> argv =
        List.of(lane(from).waiter().name().getBytes(US_ASCII), waits.toString().getBytes(US_ASCII));
    return deployment
        .run(LaneScripts.UNTIL_NEXT, keys, argv)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                read(answer, from, to);
              } else {
                unanswered.incrementAndGet();
              }
            });
  }

  private static long[] times(Values values, int count) {
    long engineMicros = values.nextLong();
    long[] times = new long[count];
    for (int i = 0; i < count; i++) {
      times[i] = Values.until(values.nextTime(), engineMicros);
    }
    return times;
  }

  private void read(Answer answer, int from, int to) {
    long[] read = Values.read(answer, values -> times(values, to - from));
    for (int i = from; i < to; i++) {
      untils[i] = read[i - from];
    }
  }

  private RedisLane lane(int index) {
    return (RedisLane) lanes.get(index);
  }
}
