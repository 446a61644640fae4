package io.punctual.redis.client.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests primaries that leave the Cluster's map, and return, between attempts to check them. */
final class PrimaryChecksTest {
  private static final NodeAddress NODE = new NodeAddress("10.0.0.1", 6379);

  private final Queue<Runnable> scheduled = new ArrayDeque<>();
  private final BlockingQueue<NodeAddress> checked = new LinkedBlockingQueue<>();
  private final DueTimer timer =
      new DueTimer() {
        @Override
        public long nanoTime() {
          return 0;
        }

        @Override
        public Timeout schedule(long delayNanos, Runnable task) {
          scheduled.add(task);
          return () -> true;
        }
      };

  private Set<NodeAddress> primaries = Set.of();
  private boolean answers = true;
  private final PrimaryChecks checks =
      new PrimaryChecks(timer, () -> primaries, node -> ping(), checked::add);

  private CompletableFuture<RedisReply> ping() {
    return answers
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(new StoreUnavailableException("away", null));
  }

  /** Runs the attempts that are due, but not the attempts that they schedule. */
  private void tick() {
    List<Runnable> due = List.copyOf(scheduled);
    scheduled.clear();
    due.forEach(Runnable::run);
  }

  private void update(NodeAddress... nodes) {
    primaries = Set.of(nodes);
    checks.update();
  }

  private void expectChecked() throws InterruptedException {
    assertThat(checked.poll(30, TimeUnit.SECONDS)).isEqualTo(NODE);
  }

  @Test
  void update_primaryWasAwayDuringItsAttempt_isCheckedWhenItReturns() throws Exception {
    update(NODE);
    // A redirect removes the node from the map, and the next map contains it again.
    primaries = Set.of();
    tick();
    update(NODE);
    tick();
    expectChecked();
  }

  @Test
  void update_primaryLeavesAndReturnsBetweenAttempts_isCheckedOnce() throws Exception {
    answers = false;
    update(NODE);
    tick();
    update();
    update(NODE);
    answers = true;
    tick();
    expectChecked();
    tick();
    assertThat(scheduled).isEmpty();
    assertThat(checked).isEmpty();
  }

  @Test
  void update_primaryWasCheckedAndReturns_isCheckedAgain() throws Exception {
    update(NODE);
    tick();
    expectChecked();
    update(NODE);
    assertThat(scheduled).isEmpty();
    update();
    update(NODE);
    tick();
    expectChecked();
  }

  @Test
  void update_primaryHasPassedItsCheck_isNotCheckedAgain() {
    checks.passed(NODE);
    update(NODE);
    assertThat(scheduled).isEmpty();
  }

  @Test
  void attempt_storeIsClosed_endsTheAttempts() {
    answers = false;
    update(NODE);
    primaries = Set.of();
    tick();
    assertThat(scheduled).isEmpty();
  }
}
