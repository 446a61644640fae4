package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests calls of a session that arrive in another order than they were sent. */
final class SessionOrderTest {
  private final StoppedTimer timer = new StoppedTimer();
  private final SessionOrder order = new SessionOrder(timer, Duration.ofMillis(100));
  private final Partition partition =
      MemoryStore.builder().build().partitions("orders").toCompletableFuture().join().get(0);

  private CompletableFuture<Reply> call(long number) {
    Call call = new Call("s1", number, 1, new Call.Apply(List.of(), null), false);
    return order.call(partition, "orders/0/s1", call).toCompletableFuture();
  }

  private void open() {
    partition.openSession("s1", null).toCompletableFuture().join();
  }

  @Test
  void laterCalls_arriveFirst_waitForTheEarlierCalls() {
    open();
    CompletableFuture<Reply> third = call(3);
    CompletableFuture<Reply> second = call(2);
    assertThat(second).isNotDone();
    assertThat(call(1).join()).isInstanceOf(Reply.Applied.class);
    assertThat(second.join()).isInstanceOf(Reply.Applied.class);
    assertThat(third.join()).isInstanceOf(Reply.Applied.class);
  }

  /** The earlier call may reach the store through another server. */
  @Test
  void earlierCall_isAnsweredElsewhere_isNoticed() {
    open();
    CompletableFuture<Reply> second = call(2);
    partition.call(new Call("s1", 1, 1, new Call.Apply(List.of(), null), false));
    assertThat(second).isNotDone();
    timer.pass(TimeUnit.MILLISECONDS.toNanos(10));
    assertThat(second.join()).isInstanceOf(Reply.Applied.class);
  }

  @Test
  void earlierCall_neverArrives_isAnsweredWithAGapAfter100Millis() {
    open();
    CompletableFuture<Reply> second = call(2);
    for (int i = 0; i < 9; i++) {
      timer.pass(TimeUnit.MILLISECONDS.toNanos(10));
    }
    assertThat(second).isNotDone();
    timer.pass(TimeUnit.MILLISECONDS.toNanos(10));
    assertThat(second.join()).isEqualTo(new Reply.Gap(1));
  }

  @Test
  void sessionIsUnknown_isAnsweredAtOnce() {
    assertThat(call(1).join()).isEqualTo(new Reply.NoSession());
  }
}
