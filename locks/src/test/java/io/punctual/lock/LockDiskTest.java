package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.Durability;
import io.punctual.NotConfirmedException;
import io.punctual.harness.redis.RedisProcess;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Acquisitions that the server's disk has to confirm, after a lost connection. */
final class LockDiskTest extends LockTestServer {
  private static final Durability DISK = Durability.parse("aof");
  private static final Pattern EVALS = Pattern.compile("cmdstat_eval:calls=(\\d+)");

  @Test
  void connectionMadeAgain_theServerIsProbedAgain() {
    RedisLocks locks = open();
    // The server without an append-only file would be refused if the URL asked for its disk.
    LockOptions disk = new LockOptions(LEASE.toMillis(), true, DISK, false);
    DistributedLock lock =
        new MutexLock(
            locks.client(), locks.client().keys(LockKind.MUTEX, "a"), MutexLock.PUSHING, disk);
    assertNotConfirmed(lock, "cannot confirm");
    long before = probes();

    redis.ask("CLIENT", "KILL", "TYPE", "normal");

    // Without a reconnection, the refusal would count for ten seconds.
    assertNotConfirmed(lock, "cannot confirm");
    assertThat(probes()).isGreaterThan(before);
  }

  /** Probes send the texts of their scripts; locks send digests. */
  private static long probes() {
    Matcher evals = EVALS.matcher(String.valueOf(redis.ask("INFO", "commandstats")));
    return evals.find() ? Long.parseLong(evals.group(1)) : 0;
  }

  @Test
  void serverReplacedByOneThatForcesNothing_acquisitionIsNotConfirmed() throws Exception {
    try (RedisProcess first = RedisProcess.builder().appendOnly("always").start()) {
      assumeTrue(knowsWaitAof(first));
      RedisLocks locks = open(RedisLocks.builder().url(first.url()).durability(DISK));
      locks.mutex("a").acquire().close();
      int port = first.port();
      first.kill();
      try (RedisProcess second = RedisProcess.builder().port(port).appendOnly("no").start()) {
        assertNotConfirmed(locks.mutex("a"), "appendfsync is 'no'");
      }
    }
  }

  private static boolean knowsWaitAof(RedisProcess server) {
    return server.ask("COMMAND", "INFO", "waitaof") instanceof List<?> known
        && known.get(0) != null;
  }

  private static void assertNotConfirmed(DistributedLock lock, String why) {
    assertThat(future(lock.acquireAsync()))
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(NotConfirmedException.class)
        .withMessageContaining(why);
  }
}
