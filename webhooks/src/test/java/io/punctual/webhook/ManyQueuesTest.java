package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A target of more queues than a page of their listing has. */
final class ManyQueuesTest {
  private static final int QUEUES = 1001;

  private final Fixture fixture = Fixture.manual();
  private final Map<String, Integer> calls = new ConcurrentHashMap<>();
  private final MemoryStore memory = MemoryStore.builder().clock(fixture.clock).build();
  private final Punctual maker = Punctual.builder().store(memory).timer(fixture.timer()).build();

  @AfterEach
  void close() {
    maker.close();
    fixture.close();
  }

  @Test
  void prefixTarget_takesTheQueuesOfAllPages() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    for (int i = 0; i < QUEUES; i++) {
      fixture.queue("orders." + (1000 + i)).pause();
    }
    String last = "orders." + (999 + QUEUES);
    fixture.queue(last).resume();
    fixture.schedule(last, "a");
    WebhookService service = fixture.start();
    fixture.put(service, spec(receiver.url()));
    fixture.advanceUntil(Duration.ofSeconds(5), () -> receiver.requests().size() == 1);
    assertThat(receiver.requests().get(0).header("webhook-id")).isEqualTo("orders%2E2000:a");
  }

  private static WebhookSpec spec(String url) {
    WebhookSpec usual = Fixture.spec("crm", "orders.", url);
    return new WebhookSpec(
        "crm",
        "orders.",
        true,
        usual.url(),
        List.of(),
        2,
        0,
        usual.per(),
        usual.timeout(),
        usual.retries());
  }

  @Test
  void prefixTarget_looksForItsQueues_withoutTheirCounts() {
    try (Punctual punctual = counting();
        WebhookService unused = start(punctual)) {
      maker.queue("orders.1", Codec.bytes()).pause();
      fixture.advanceUntil(Duration.ofSeconds(5), () -> calls.getOrDefault("queues", 0) > 2);
      assertThat(calls).doesNotContainKey("counts");
    }
  }

  @Test
  void queueThatCanNotBeOpened_isTriedOnceALook() {
    maker.queue("orders.broken", Codec.bytes()).pause();
    try (Punctual punctual = counting();
        WebhookService unused = start(punctual)) {
      fixture.advanceUntil(Duration.ofSeconds(5), () -> calls.getOrDefault("broken", 0) > 20);
      assertThat(calls.get("broken")).isLessThanOrEqualTo(calls.get("queues"));
    }
  }

  private WebhookService start(Punctual punctual) {
    WebhookRecord record = new WebhookRecord(spec("http://127.0.0.1:80/"), List.of(fixture.key()));
    return WebhookService.builder(punctual, fixture.timer())
        .clock(fixture.clock)
        .rules(fixture.rules())
        .configured(List.of(record))
        .start();
  }

  /** Returns a client of the store that counts the calls, and can't open one queue. */
  private Punctual counting() {
    Store counting =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> {
                  calls.merge(method.getName(), 1, Integer::sum);
                  if (method.getName().equals("partitions")
                      && arguments[0].equals("orders.broken")) {
                    calls.merge("broken", 1, Integer::sum);
                    throw new IllegalStateException("injected");
                  }
                  return method.invoke(memory, arguments);
                });
    return Punctual.builder().store(counting).timer(fixture.timer()).build();
  }
}
