package io.punctual.lock;

import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * Runs {@link LockContract} for the kinds of locks that at most one handle holds, on real servers.
 */
final class LockContractTest {
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.shared();
  }

  private abstract static class OnOneServer extends LockContract {
    @Override
    RedisLocks open(LockListener listener, UnaryOperator<RedisLocksBuilder> more) {
      return more.apply(RedisLocks.builder().url(redis.url()))
          .resources(LockTestServer.THREADS)
          .lease(lease())
          .listener(listener)
          .open();
    }

    @Override
    boolean hasTokens() {
      return true;
    }

    @Override
    LockKind kind() {
      return LockKind.MUTEX;
    }
  }

  @Nested
  final class Mutex extends OnOneServer {
    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.mutex(name);
    }
  }

  /** The clients create the same ids, like two processes that were restored from one image. */
  @Nested
  final class Cloned extends OnOneServer {
    @Override
    RedisLocks open(LockListener listener, UnaryOperator<RedisLocksBuilder> more) {
      return super.open(listener, builder -> more.apply(builder).random(new Random(7)));
    }

    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.mutex(name);
    }
  }

  @Nested
  final class Fair extends OnOneServer {
    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.fair(name);
    }
  }

  @Nested
  final class Reentrant extends OnOneServer {
    private final AtomicInteger owners = new AtomicInteger();

    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.reentrant(name).ownedBy(owners.incrementAndGet());
    }
  }

  @Nested
  final class Write extends OnOneServer {
    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.readWrite(name).write();
    }

    @Override
    LockKind kind() {
      return LockKind.READ_WRITE;
    }
  }

  @Nested
  final class SemaphoreOfOne extends OnOneServer {
    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.semaphore(name, 1);
    }

    @Override
    boolean hasTokens() {
      return false;
    }

    @Override
    LockKind kind() {
      return LockKind.SEMAPHORE;
    }
  }

  @Nested
  final class Multi extends OnOneServer {
    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return of.multi(List.of(name, "another-" + name));
    }
  }

  @Nested
  final class Quorum extends LockContract {
    /** Servers take part only after an uptime of this length. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private static List<RedisProcess> servers;
    private final List<RedisLocks> opened = new ArrayList<>();
    private final List<QuorumLocks> quorums = new ArrayList<>();
    private final List<RedisLocks> firsts = new ArrayList<>();

    @BeforeAll
    static void startServers() {
      servers = List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
      QuorumProbe.awaitVoters(servers, LONGEST);
    }

    @AfterAll
    static void stopServers() {
      servers.forEach(RedisProcess::close);
    }

    @Override
    RedisLocks open(LockListener listener, UnaryOperator<RedisLocksBuilder> more) {
      List<RedisLocks> each = new ArrayList<>();
      for (RedisProcess server : servers) {
        each.add(
            more.apply(RedisLocks.builder().url(server.url()))
                .resources(LockTestServer.THREADS)
                .listener(listener)
                .open());
      }
      opened.addAll(each);
      firsts.add(each.get(0));
      quorums.add(QuorumLocks.of(each, LONGEST));
      return each.get(0);
    }

    @Override
    Duration lease() {
      return LONGEST;
    }

    @Override
    void close() {
      super.close();
      opened.forEach(RedisLocks::close);
    }

    @Override
    DistributedLock lock(RedisLocks of, String name) {
      return quorums.get(firsts.indexOf(of)).lock(name);
    }

    @Override
    boolean hasTokens() {
      return false;
    }

    @Override
    LockKind kind() {
      return LockKind.QUORUM;
    }

    @Override
    void takeAway() {
      // Two of the three servers are a majority. The clients of others are the second three.
      opened.subList(3, 5).forEach(this::takeAwayFrom);
    }

    private void takeAwayFrom(RedisLocks server) {
      for (LockInfo held : server.list(LockKind.QUORUM, 10)) {
        server.forceRelease(LockKind.QUORUM, held.name());
      }
    }
  }
}
