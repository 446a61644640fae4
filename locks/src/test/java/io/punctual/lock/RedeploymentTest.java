package io.punctual.lock;

import io.punctual.kit.process.Redeployment;
import io.punctual.kit.redis.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that an application server can drop the classes of an application that has ended. */
final class RedeploymentTest {
  /** An application that acquires a lock of two kinds. */
  public static final class Shop implements Redeployment.Application {
    @Override
    public void run(List<String> arguments) throws InterruptedException {
      try (RedisLocks locks = RedisLocks.open(arguments.get(0))) {
        locks.mutex("a").acquire().close();
        locks.fair("b").acquire().close();
      }
    }
  }

  @Test
  void close_applicationHasEnded_itsClassLoaderGoes() throws Exception {
    Redeployment.expectClassLoaderToGo(
        Redeployment.Threads.RENEWED, Shop.class, RedisProcess.sharedAndEmpty().url());
  }
}
