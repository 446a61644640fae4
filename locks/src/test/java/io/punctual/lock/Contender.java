package io.punctual.lock;

import io.punctual.ClientClosedException;
import io.punctual.PunctualException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Increments a guarded counter under a mutex repeatedly, on threads of the test or in its own
 * process. The arguments of the process are {@code url port name leaseMillis holdMillis threads}.
 */
final class Contender implements Runnable {
  static final String READY = "ready";

  private final RedisLocks locks;
  private final GuardedResource.Counter counter;
  private final String name;
  private final Duration margin;
  private final long holdMillis;
  private volatile boolean ended;

  Contender(
      RedisLocks locks,
      GuardedResource.Counter counter,
      String name,
      Duration margin,
      long holdMillis) {
    this.locks = locks;
    this.counter = counter;
    this.name = name;
    this.margin = margin;
    this.holdMillis = holdMillis;
  }

  void end() {
    ended = true;
  }

  @Override
  public void run() {
    while (!ended) {
      try {
        Optional<LockHandle> got = locks.mutex(name).tryAcquire(Duration.ofSeconds(20));
        got.ifPresent(this::enter);
      } catch (InterruptedException | ClientClosedException closed) {
        return;
      } catch (PunctualException trouble) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** Increments the counter only if enough of the lease remains, as a careful user does. */
  private void enter(LockHandle handle) {
    try (handle) {
      if (handle.remaining().compareTo(margin) < 0) {
        return;
      }
      long value = counter.begin(handle.fencingToken());
      if (value != GuardedResource.REFUSED) {
        LockSupport.parkNanos(holdMillis * 1_000_000);
        counter.end(handle.fencingToken(), value + 1);
      }
    }
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    RedisLocks locks =
        RedisLocks.builder().url(args[0]).lease(Duration.ofMillis(Long.parseLong(args[3]))).open();
    for (int i = 0; i < Integer.parseInt(args[5]); i++) {
      GuardedResource.Counter counter = new GuardedResource.Remote(Integer.parseInt(args[1]));
      Duration margin = Duration.ofMillis(Long.parseLong(args[3]) / 3);
      new Thread(new Contender(locks, counter, args[2], margin, Long.parseLong(args[4]))).start();
    }
    System.out.println(READY);
  }
}
