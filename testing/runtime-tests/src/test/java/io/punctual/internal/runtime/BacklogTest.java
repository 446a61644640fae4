package io.punctual.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientBusyException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final long LONG = TimeUnit.MINUTES.toNanos(1);

  private final Backlog backlog = new Backlog(1);
  private final BlockingQueue<String> served = new LinkedBlockingQueue<>();

  private Thread reserving(String name) {
    Thread thread =
        new Thread(
            () -> {
              try {
                backlog.reserve(1, LONG);
                served.add(name);
              } catch (ClientBusyException e) {
                served.add(name + " is refused");
              }
            });
    thread.start();
    return thread;
  }

  private Thread waiting(String name) {
    Thread thread = reserving(name);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  private String nextServed() throws InterruptedException {
    return served.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void reserve_severalCallersWait_getRoomInTheOrderOfTheirArrival() throws Exception {
    backlog.reserve(1, 0);
    List<String> names = List.of("a", "b", "c", "d");
    names.forEach(this::waiting);
    for (String name : names) {
      backlog.release(1);
      assertThat(nextServed()).isEqualTo(name);
      assertThat(served).isEmpty();
    }
  }

  @Test
  void reserve_roomForSeveral_servesAllThatWait() throws Exception {
    backlog.reserve(2, 0);
    waiting("a");
    waiting("b");
    backlog.release(3);
    assertThat(List.of(nextServed(), nextServed())).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void reserve_firstCallerIsInterrupted_nextGetsTheRoom() throws Exception {
    backlog.reserve(1, 0);
    Thread first = waiting("a");
    waiting("b");
    first.interrupt();
    assertThat(nextServed()).isEqualTo("a is refused");
    backlog.release(1);
    assertThat(nextServed()).isEqualTo("b");
  }

  /**
   * A caller that arrives at the moment at which room becomes free must not overtake a waiting
   * caller.
   */
  @Test
  void reserve_callerArrivesWhenRoomAppears_doesNotOvertake() throws Exception {
    for (int round = 0; round < 300; round++) {
      backlog.reserve(1, 0);
      waiting("early");
      CountDownLatch ready = new CountDownLatch(1);
      Thread release =
          new Thread(
              () -> {
                ready.countDown();
                backlog.release(1);
              });
      release.start();
      ready.await();
      Thread late = reserving("late");
      assertThat(nextServed()).as("round %d", round).isEqualTo("early");
      backlog.release(1);
      assertThat(nextServed()).isEqualTo("late");
      backlog.release(1);
      late.join();
      release.join();
    }
  }

  @Test
  void reserve_noRoomAndNoWait_isRefused() {
    backlog.reserve(1, 0);
    assertThatThrownBy(() -> backlog.reserve(1, 0))
        .isInstanceOf(ClientBusyException.class)
        .hasMessageContaining("nothing was done");
  }
}
