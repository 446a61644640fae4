package io.punctual.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/**
 * Runs ShedLock's own tests of a lock provider, which include concurrent processes, on a server.
 */
@Timeout(300)
class PunctualLockProviderTest extends AbstractExtensibleLockProviderIntegrationTest {
  private static RedisProcess redis;

  private final RedisLocks locks = RedisLocks.open(redis.url());
  private final ExtensibleLockProvider provider = new PunctualLockProvider(locks);

  @BeforeAll
  static void start() {
    redis = RedisProcess.shared();
  }

  @AfterEach
  void close() {
    locks.close();
  }

  @Override
  protected ExtensibleLockProvider getLockProvider() {
    return provider;
  }

  @Override
  protected void assertUnlocked(String lockName) {
    assertThat(locks.find(LockKind.MUTEX, lockName)).isEmpty();
  }

  @Override
  protected void assertLocked(String lockName) {
    assertThat(locks.find(LockKind.MUTEX, lockName))
        .hasValueSatisfying(lock -> assertThat(lock.holders()).hasSize(1));
  }
}
