package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A release that the server refuses for some time is repeated, so that no lock stays taken. */
final class RefusedReleaseTest extends LockTestServer {
  @Test
  void release_refusedForSomeTime_isDoneAfterIt() throws Exception {
    redis.ask("ACL", "SETUSER", "app", "reset", "on", ">app", "~*", "&*", "+@all");
    RedisLocks locks = open(RedisLocks.builder().url(redis.url().replace("//", "//app:app@")));
    LockHandle mutex = locks.mutex("a").withLease(LONG).tryAcquire().orElseThrow();
    LockHandle permit = locks.semaphore("s", 1).withLease(LONG).tryAcquire().orElseThrow();
    redis.ask("ACL", "SETUSER", "app", "-evalsha", "-eval");

    CompletableFuture<ReleaseOutcome> first = future(mutex.releaseAsync());
    CompletableFuture<ReleaseOutcome> second = future(permit.releaseAsync());
    assertThat(locks.mutex("a").tryAcquireAsync(WAIT).toCompletableFuture())
        .as("a request tells of the refusal")
        .failsWithin(WAIT);
    assertThat(first).isNotDone();
    redis.ask("ACL", "SETUSER", "app", "+evalsha", "+eval");

    assertThat(first).succeedsWithin(WAIT).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(second).succeedsWithin(WAIT).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(open().mutex("a").tryAcquire()).isPresent();
  }
}
