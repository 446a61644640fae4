package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.CohortProbe;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.CallbackExecutor;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.redis.client.deployment.Deployment;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Tests attempts and grants while their locks are being closed, or while the attempts themselves
 * end.
 */
final class LockClosingTest extends LockTestServer {
  @Test
  void attempt_begunWhileAllWaitingIsEnded_endsAsWell() throws Exception {
    RedisLocks locks = open(builder());
    // An attempt can start before close() marks the client as closed, and begin to wait after
    // close() has ended all waits. The test closes only the waits, so that each attempt meets this
    // case.
    locks.session().client().waits().close();

    for (DistributedLock lock :
        List.of(locks.mutex("a"), locks.fair("a"), locks.semaphore("a", 1))) {
      assertThat(future(lock.acquireAsync()))
          .failsWithin(WAIT)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(ClientClosedException.class)
          .withMessageContaining("closed");
    }
    try (RedisProcess second = RedisProcess.start();
        RedisProcess third = RedisProcess.start()) {
      List<RedisLocks> servers =
          List.of(
              locks,
              open(RedisLocks.builder().url(second.url())),
              open(RedisLocks.builder().url(third.url())));
      DistributedLock quorum = QuorumLocks.of(servers, Duration.ofSeconds(30)).lock("a");
      assertThat(future(quorum.acquireAsync()))
          .failsWithin(WAIT)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(ClientClosedException.class)
          .withMessageContaining("closed");
    }
    assertThat(locks.counters().waiting()).isZero();
    assertThat(CohortProbe.count(locks.attempts())).isZero();
  }

  @Test
  void grant_thatComesAfterHoldsWereGivenBack_isGivenBackAsWell() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle first = open().mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(locks.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    // Simulates a close() that has started, but has not ended this wait yet.
    assertThat(locks.session().client().beginClose()).isTrue();

    first.close();

    assertThat(get(waiting).isHeld()).isFalse();
    assertThat(open().mutex("a").tryAcquire(WAIT)).as("long before its lease ends").isPresent();
    assertThat(locks.session().watchdog().holds()).isEmpty();
    locks.session().client().deployment().close();
  }

  @Test
  void close_attemptForSeveralLocksHasOne_awaitsItsRelease() throws Exception {
    RedisLocks others = open();
    LockHandle second = others.mutex("b").acquire();
    CompletableFuture<Void> replies = new CompletableFuture<>();
    AtomicBoolean isSlow = new AtomicBoolean();
    AtomicBoolean isDisconnected = new AtomicBoolean();
    Deployment real = others.session().client().deployment();
    Deployment slow =
        (Deployment)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Deployment.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("close")) {
                    isDisconnected.set(true);
                    return null;
                  }
                  Object result = method.invoke(real, arguments);
                  return isSlow.get() && result instanceof CompletableFuture<?> reply
                      ? replies.thenCompose(nothing -> reply)
                      : result;
                });
    LockClient client =
        new LockClient(slow, new CallbackExecutor(null), new SecureRandom(), List.of());
    RedisLocks locks = new RedisLocks(new LockSession(client, ""), LONG);
    CompletableFuture<LockHandle> both = future(locks.multi(List.of("a", "b")).acquireAsync());
    await().until(() -> waiting(others, LockKind.MUTEX, "b") == 1);
    isSlow.set(true);

    Thread closing = new Thread(locks::close);
    closing.start();

    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || isDisconnected.get());
    assertThat(isDisconnected).as("before the reply to the release").isFalse();
    replies.complete(null);
    closing.join();
    assertThat(both).failsWithin(WAIT);
    assertThat(others.find(LockKind.MUTEX, "a")).isEmpty();
    second.close();
  }

  @Test
  void multi_givenUpWhileItsNextLockIsGranted_givesBackBoth() throws Exception {
    RedisLocks others = open(builder());
    Set<String> released = ConcurrentHashMap.newKeySet();
    AtomicReference<Runnable> atTheGiver = new AtomicReference<>();
    Thread giver = Thread.currentThread();
    RedisLocks locks =
        open(
            builder()
                .listener(
                    event -> {
                      Runnable then = atTheGiver.get();
                      if (event instanceof LockEvent.Released one) {
                        released.add(one.name());
                      } else if (then != null && Thread.currentThread() == giver) {
                        then.run();
                      }
                    }));
    boolean met = false;
    // The test repeats this step, because a lock that was held for too long is not passed to a
    // waiter of the same client.
    for (int i = 0; i < 100 && !met; i++) {
      LockHandle second = others.mutex("b").acquire();
      PendingAcquisition both =
          ((AbstractLock) locks.multi(List.of("a", "b"))).ask(LockOptions.FOREVER);
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(() -> waiting(others, LockKind.MUTEX, "b") == 1);
      CompletableFuture<LockHandle> next = future(locks.mutex("a").acquireAsync());
      released.clear();
      AtomicBoolean isMeeting = new AtomicBoolean();
      atTheGiver.set(
          () -> {
            // This listener runs while cancel() gives up the attempt: "a" has just passed to the
            // next waiter, and the attempt still waits for "b".
            atTheGiver.set(null);
            isMeeting.set(true);
            second.close();
            await().until(() -> released.contains("b"));
          });

      assertThat(both.cancel()).isTrue();

      atTheGiver.set(null);
      met = isMeeting.get();
      assertThatThrownBy(() -> both.result().join()).isInstanceOf(CancellationException.class);
      second.close();
      get(next).close();
      await().untilAsserted(() -> assertThat(locks.list(LockKind.MUTEX, 10)).isEmpty());
    }
    assertThat(met).isTrue();
  }
}
