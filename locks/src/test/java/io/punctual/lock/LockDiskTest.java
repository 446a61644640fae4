package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.Durability;
import io.punctual.NotConfirmedException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.kind.MutexLock;
import io.punctual.lock.internal.kind.OwnedMutexes;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockOptions;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests acquisitions that the server's disk has to confirm, after a lost connection. */
final class LockDiskTest extends LockTestServer {
  private static final Durability DISK = Durability.parse("aof");
  private static final Pattern EVALS = Pattern.compile("cmdstat_eval:calls=(\\d+)");

  @Test
  void connectionMadeAgain_theServerIsProbedAgain() {
    RedisLocks locks = open();
    // The disk is required in the options and not in the URL, because opening would refuse a server
    // without an append-only file.
    LockOptions disk = new LockOptions(LEASE.toMillis(), true, DISK, false);
    LockClient client = locks.session().client();
    DistributedLock lock =
        new MutexLock(
            locks.attempts(),
            new OwnedMutexes(client),
            client.keys(LockKind.MUTEX, "a"),
            HandleIds.PUSHING,
            disk);
    assertNotConfirmed(lock, "cannot confirm");
    long before = probes();

    redis.ask("CLIENT", "KILL", "TYPE", "normal");

    // Without the reconnection, the result of the last probe would be valid for ten seconds, and
    // the server would not be probed.
    assertNotConfirmed(lock, "cannot confirm");
    assertThat(probes()).isGreaterThan(before);
  }

  /**
   * Returns the number of EVAL calls: probes send the text of their script, whereas locks send only
   * its SHA-1.
   */
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
