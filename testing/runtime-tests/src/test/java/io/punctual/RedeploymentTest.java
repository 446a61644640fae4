package io.punctual;

import io.punctual.kit.process.Redeployment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests that an application server can drop the classes of an application that has ended. */
final class RedeploymentTest {
  /** An application that schedules a message and handles it. */
  public static final class Shop implements Redeployment.Application {
    @Override
    public void run(List<String> arguments) throws Exception {
      try (Punctual punctual = Punctual.open(arguments.get(0))) {
        TimedQueue<String> queue = punctual.queue("orders", Codec.string());
        CountDownLatch handled = new CountDownLatch(1);
        Worker unused = queue.work(delivery -> handled.countDown());
        queue.schedule(Message.of("a").id("a"));
        handled.await();
      }
    }
  }

  @Test
  void close_applicationHasEnded_itsClassLoaderGoes() throws Exception {
    Redeployment.expectClassLoaderToGo(Redeployment.Threads.KEPT, Shop.class, "memory:");
  }
}
