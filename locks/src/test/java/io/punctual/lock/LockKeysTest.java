package io.punctual.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.protocol.HandOver;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests names of locks, keys, counters and messages that are unusual or wrong, and the rights that
 * a user needs.
 */
final class LockKeysTest extends LockTestServer {
  private static final List<String> NAMES =
      List.of(
          "a",
          "a ",
          " a",
          "a b 1",
          "{a}",
          "}:mutex:a",
          "{punctual:lock:1}:mutex:a",
          "mutex:a",
          "mutex-line:a",
          "*",
          "a:1:x:600",
          "\\",
          "\"'%s%d",
          "ä",
          "a\u0308",
          "\u2028",
          "日本語",
          "🔒",
          "x".repeat(256));

  @Test
  void names_howeverTheyLook_areLocksOfTheirOwn() throws InterruptedException {
    RedisLocks locks = open(builder());
    RedisLocks others = open();
    List<LockHandle> handles = new ArrayList<>();
    for (String name : NAMES) {
      handles.add(locks.mutex(name).tryAcquire().orElseThrow());
      handles.add(locks.readWrite(name).write().tryAcquire().orElseThrow());
      handles.add(locks.semaphore(name, 1).tryAcquire().orElseThrow());
    }

    for (String name : NAMES) {
      assertThat(others.mutex(name).tryAcquire()).as(name).isEmpty();
      assertThat(others.find(LockKind.SEMAPHORE, name).orElseThrow().name()).isEqualTo(name);
    }
    assertThat(others.list(LockKind.MUTEX, 100))
        .extracting(LockInfo::name)
        .containsExactlyInAnyOrderElementsOf(NAMES);
    assertThat(handles)
        .allSatisfy(one -> assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED));
  }

  @Test
  void tokens_whenTheCounterIsLostOrAheadOfTheClock_goOnIncreasing() throws InterruptedException {
    RedisLocks locks = open();
    String counter =
        LockKeys.tag("punctual", locks.session().client().keys(LockKind.MUTEX, "a").bucket());
    long first = token(locks);
    redis.ask("DEL", counter + "token");
    long second = token(locks);
    assertThat(second).isGreaterThan(first);

    // The counter is in the far future, as after a wrong clock.
    long ahead = second + Duration.ofDays(50_000).toNanos() / 1000 + 1;
    redis.ask("SET", counter + "token", Long.toString(ahead));
    for (int i = 0; i < 5; i++) {
      assertThat(token(locks)).isEqualTo(ahead + 1 + (long) i * HandOver.MOST_HOLDERS);
    }
  }

  private static long token(RedisLocks locks) throws InterruptedException {
    try (LockHandle handle = locks.mutex("a").acquire()) {
      return handle.fencingToken();
    }
  }

  @Test
  void grant_thatIsToldTooLate_isNotBelieved() throws Exception {
    // The holder's lease is long, so the waiter repeats its request only after nearly a second.
    RedisLocks locks = open(builder());
    RedisLocks slow = open(builder().lease(Duration.ofMillis(600)));
    LockHandle held = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(slow.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    LockKeys keys = slow.session().client().keys(LockKind.MUTEX, "a");
    String line = LockKeys.tag("punctual", keys.bucket()) + "mutex-line:a";
    String handle =
        String.valueOf(((List<?>) requireNonNull(redis.ask("ZRANGE", line, "0", "0"))).get(0));
    String message = handle + " " + (held.fencingToken() - 1) + " 600";
    // After this time, the waiter has repeated its request. A first lease of 600 ms could have
    // started and ended between the two requests, so the client must not rely on the grant.
    await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);

    for (int i = 0; i < 15; i++) {
      redis.ask("PUBLISH", slow.session().client().channel(keys), message);
      await().pollDelay(Duration.ofMillis(100)).until(() -> true);
      assertThat(waiting).isNotDone();
    }

    held.close();
    assertThat(get(waiting).fencingToken()).isGreaterThan(held.fencingToken());
    get(waiting).close();
  }

  @Test
  void keyOfAnotherType_harmsNoOtherLock() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    String other = nameInTheBucketOf(locks, "a");
    LockHandle spoiled = locks.mutex("a").acquire();
    LockHandle healthy = locks.mutex(other).acquire();
    CompletableFuture<LockHandle> waiting = future(open().mutex(other).acquireAsync());
    String key = LockKeys.tag("punctual", bucket(locks, "a")) + "mutex:a";
    redis.ask("DEL", key);
    redis.ask("HSET", key, "some", "thing");

    outlastALease(clock, healthy);
    advanceUntil(clock, () -> !spoiled.isHeld());

    assertThat(healthy.isHeld()).isTrue();
    assertThat(healthy.release()).isEqualTo(ReleaseOutcome.RELEASED);
    get(waiting).close();
    assertThatThrownBy(() -> locks.mutex("a").tryAcquire()).hasMessageContaining("WRONGTYPE");
  }

  private static int bucket(RedisLocks locks, String name) {
    return locks.session().client().keys(LockKind.MUTEX, name).bucket();
  }

  private static String nameInTheBucketOf(RedisLocks locks, String name) {
    int number = 0;
    while (bucket(locks, "n" + number) != bucket(locks, name)) {
      number++;
    }
    return "n" + number;
  }

  @Test
  void userWithTheDocumentedRights_canDoEverything() throws Exception {
    List<String> user = new ArrayList<>(List.of("ACL", "SETUSER", "locker", "on", ">secret"));
    user.addAll(List.of("resetkeys", "~{punctual:*", "~punctual:queues", "resetchannels"));
    user.addAll(List.of("&{punctual:*", "-@all"));
    String rights =
        "auth ping info select eval evalsha time type exists del unlink expire hget"
            + " hmget hset hdel hlen hstrlen zadd zrem zremrangebyrank zrange zscore zmscore zcard"
            + " zcount sadd smembers smismember publish subscribe unsubscribe wait"
            + " get set pttl pexpire pexpireat scan";
    for (String right : rights.split(" ", -1)) {
      user.add("+" + right);
    }
    assertThat(redis.ask(user.toArray(String[]::new))).isEqualTo("OK");
    String url = redis.url().replace("redis://", "redis://locker:secret@");
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(stopped(RedisLocks.builder().url(url), clock));
    RedisLocks other = open(RedisLocks.builder().url(url));

    for (DistributedLock lock :
        List.of(locks.fair("a"), locks.readWrite("a").read(), locks.semaphore("a", 1))) {
      LockHandle handle = lock.acquire();
      outlastALease(clock, handle);
      assertThat(handle.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
    LockHandle writer = locks.readWrite("b").write().acquire();
    locks.readWrite("b").downgrade(writer).orElseThrow().close();
    LockHandle first = locks.mutex("c").acquire();
    CompletableFuture<LockHandle> waiting = future(other.mutex("c").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "c") == 1);
    assertThat(locks.list(LockKind.MUTEX, 10)).hasSize(1);
    assertThat(locks.forceRelease(LockKind.MUTEX, "c")).isOne();
    get(waiting).close();
    first.close();
  }

  @Test
  void withReplicas_thatAreThere_isAcquiredAndPassedOn() throws Exception {
    try (RedisProcess replica = RedisProcess.builder().replicaOf(redis).start()) {
      await()
          .atMost(WAIT)
          .until(
              () -> String.valueOf(replica.ask("INFO", "replication")).contains("link_status:up"));
      RedisLocks locks = open();
      RedisLocks others = open();
      LockHandle one = locks.mutex("a").withReplicas(1).acquire();
      CompletableFuture<LockHandle> two =
          future(others.mutex("a").withAllReplicas().acquireAsync());
      await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
      String key = LockKeys.tag("punctual", bucket(locks, "a")) + "mutex:a";
      assertThat(String.valueOf(replica.ask("GET", key))).contains(" " + one.fencingToken() + " ");

      one.close();

      LockHandle next = get(two);
      assertThat(next.isHeld()).isTrue();
      assertThat(String.valueOf(replica.ask("GET", key))).contains(" " + next.fencingToken() + " ");
      next.close();
    }
  }
}
