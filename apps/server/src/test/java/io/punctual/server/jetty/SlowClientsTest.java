package io.punctual.server.jetty;

import static org.awaitility.Awaitility.await;

import io.punctual.http.exchange.Call;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;

/** Tests that the looks for slow clients go on. */
final class SlowClientsTest {
  /** Has no memory for the second look, and hurries. */
  private static final class FailingScheduler extends ScheduledExecutorScheduler {
    final AtomicInteger looks = new AtomicInteger();

    @Override
    public Scheduler.Task schedule(Runnable task, long delay, TimeUnit unit) {
      if (!(task instanceof SlowClients)) {
        return super.schedule(task, delay, unit);
      }
      if (looks.incrementAndGet() == 2) {
        throw new OutOfMemoryError("injected");
      }
      return super.schedule(task, 1, TimeUnit.MILLISECONDS);
    }
  }

  @Test
  void nextLookCanNotBePlanned_isPlannedSoon() throws Exception {
    FailingScheduler scheduler = new FailingScheduler();
    Server server = new Server(null, scheduler, null);
    ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory());
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ExchangeHandler handler =
        new ExchangeHandler(head -> (Call) null, TrustedProxies.of(List.of()), 1 << 20);
    server.addBean(new SlowClients(connector, handler, Duration.ofSeconds(10), 0));
    server.start();
    try {
      await().until(() -> scheduler.looks.get() > 4);
    } finally {
      server.stop();
    }
  }
}
