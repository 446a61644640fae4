package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Message;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand targets, of which a hundred hang and a hundred reset their connections. */
@Tag("extended")
final class ManyTargetsTest {
  private static final int TARGETS = 1000;
  private static final int EACH = 10;
  private static final int WARM = 20;
  private static final Duration SPAN = Duration.ofSeconds(10);

  private final Queue<Long> lateness = new ConcurrentLinkedQueue<>();
  private final AtomicInteger hanging = new AtomicInteger();
  private final AtomicInteger resets = new AtomicInteger();

  /** The path says what the receiver does, and the body when the message was due. */
  private final class Receiving extends Handler.Abstract.NonBlocking {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      String path = Request.getPathInContext(request);
      if (path.startsWith("/hang")) {
        hanging.incrementAndGet();
        return true;
      }
      if (path.startsWith("/reset")) {
        resets.incrementAndGet();
        request.getConnectionMetaData().getConnection().getEndPoint().close();
        return true;
      }
      long now = System.currentTimeMillis();
      Content.Source.asString(
          request,
          StandardCharsets.UTF_8,
          new org.eclipse.jetty.util.Promise.Invocable.NonBlocking<String>() {
            @Override
            public void succeeded(String due) {
              lateness.add(now - Long.parseLong(due));
              response.setStatus(200);
              response.write(true, ByteBuffer.allocate(0), callback);
            }

            @Override
            public void failed(Throwable failure) {
              callback.failed(failure);
            }
          });
      return true;
    }
  }

  @Test
  void targetsThatHangOrReset_delayNoOthers() throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server, 1, 1);
    connector.setHost("127.0.0.1");
    connector.setIdleTimeout(600_000);
    server.addConnector(connector);
    server.setHandler(new Receiving());
    server.start();
    try (Fixture fixture = Fixture.real()) {
      int port = connector.getLocalPort();
      List<WebhookRecord> targets = new ArrayList<>();
      for (int i = 0; i < TARGETS; i++) {
        String kind = i % 10 == 0 ? "hang" : i % 10 == 5 ? "reset" : "good";
        WebhookSpec spec =
            WebhookSpec.of(
                "target-" + i, "queue-" + i, "http://127.0.0.1:" + port + "/" + kind + "/" + i);
        targets.add(
            new WebhookRecord(
                spec, List.of(WebhookKey.generate(WebhookKey.Kind.HMAC, Instant.now()))));
      }
      WebhookService service =
          WebhookService.builder(fixture.punctual, fixture.timer())
              .rules(NetworkRules.allowing(List.of("127.0.0.0/8"), java.util.Set.of(port), true))
              .configured(targets)
              .start();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> service.list().size() == TARGETS);
      warm(fixture);
      lateness.clear();
      long begin = System.currentTimeMillis() + 2000;
      Duration cpu = cpu();
      for (int i = 0; i < TARGETS; i++) {
        for (int j = 0; j < EACH; j++) {
          long due = begin + (j * TARGETS + i) * SPAN.toMillis() / (TARGETS * EACH);
          fixture
              .queue("queue-" + i)
              .async()
              .schedule(
                  Message.of(Long.toString(due).getBytes(StandardCharsets.UTF_8))
                      .dueAt(Instant.ofEpochMilli(due)));
        }
      }
      int good = TARGETS * 8 / 10 * EACH;
      Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> lateness.size() >= good);
      long[] all = lateness.stream().mapToLong(Long::longValue).sorted().toArray();
      System.out.printf(
          "%d calls of 800 targets in %d s, beside 100 targets that hang (%d calls) and 100 that"
              + " reset (%d calls): lateness p50 %d ms, p99 %d ms, most %d ms; %d ms of CPU%n",
          all.length,
          SPAN.toSeconds(),
          hanging.get(),
          resets.get(),
          all[all.length / 2],
          all[all.length * 99 / 100],
          all[all.length - 1],
          cpu().minus(cpu).toMillis());
      assertThat(hanging.get()).isGreaterThanOrEqualTo(100);
      assertThat(resets.get()).isGreaterThanOrEqualTo(100);
      service.drain(Duration.ZERO).toCompletableFuture().join();
      service.close();
    } finally {
      server.stop();
    }
  }

  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private void warm(Fixture fixture) {
    for (int j = 0; j < WARM; j++) {
      for (int i = 0; i < TARGETS; i++) {
        if (i % 5 != 0) {
          fixture
              .queue("queue-" + i)
              .async()
              .schedule(
                  Message.of(
                          Long.toString(System.currentTimeMillis())
                              .getBytes(StandardCharsets.UTF_8))
                      .dueIn(Duration.ZERO));
        }
      }
    }
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> lateness.size() >= TARGETS * 8 / 10 * WARM);
  }
}
