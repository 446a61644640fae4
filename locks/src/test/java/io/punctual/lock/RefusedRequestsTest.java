package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.StoreRefusedException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A server that refuses requests: releases are repeated, and requests for locks name the cause. */
final class RefusedRequestsTest extends LockTestServer {
  @Test
  void release_refusedForSomeTime_isDoneAfterIt() throws InterruptedException {
    redis.ask("ACL", "SETUSER", "app", "reset", "on", ">app", "~*", "&*", "+@all");
    RedisLocks locks = open(RedisLocks.builder().url(redis.url().replace("//", "//app:app@")));
    LockHandle mutex = locks.mutex("a").withLease(LONG).tryAcquire().orElseThrow();
    LockHandle permit = locks.semaphore("s", 1).withLease(LONG).tryAcquire().orElseThrow();
    redis.ask("ACL", "SETUSER", "app", "-evalsha", "-eval");

    assertThat(mutex.release()).isEqualTo(ReleaseOutcome.UNCONFIRMED);
    assertThat(permit.release()).isEqualTo(ReleaseOutcome.UNCONFIRMED);
    assertThatThrownBy(() -> locks.mutex("a").tryAcquire())
        .as("not taken")
        .isInstanceOf(StoreRefusedException.class);
    redis.ask("ACL", "SETUSER", "app", "+evalsha", "+eval");

    RedisLocks others = open();
    assertThat(others.mutex("a").tryAcquire(WAIT)).as("long before its lease ends").isPresent();
    assertThat(others.semaphore("s", 1).tryAcquire(WAIT)).isPresent();
  }

  @Test
  void acquire_afterAChangeOfThePassword_isRefused() {
    redis.ask("ACL", "SETUSER", "app", "reset", "on", ">app", "~*", "&*", "+@all");
    RedisLocks locks = open(RedisLocks.builder().url(redis.url().replace("//", "//app:app@")));
    redis.ask("ACL", "SETUSER", "app", "<app", ">other");
    redis.ask("CLIENT", "KILL", "USER", "app");

    assertThatThrownBy(() -> locks.mutex("a").tryAcquire(Duration.ofMillis(500)))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("WRONGPASS");
  }
}
