package io.punctual.benchmarks.queue;

import com.github.sonus21.rqueue.annotation.RqueueListener;
import com.github.sonus21.rqueue.core.EndpointRegistry;
import com.github.sonus21.rqueue.core.RqueueEndpointManager;
import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import com.github.sonus21.rqueue.core.RqueueMessageManager;
import com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Rqueue with the beans of its Spring Boot starter. It moves due messages every 100 ms, up to 1,000
 * at once, instead of 100 every 2 s. A message of a dead consumer returns after 30 s instead of 15
 * min. It has no calls for batches and none that don't block, so threads make single calls.
 */
final class RqueueQueue implements QueueContender {
  private static final String QUEUE = "bench";
  private static final int CALLERS = 32;

  private final URI url;
  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

  private AnnotationConfigApplicationContext context;
  private RqueueMessageEnqueuer producer;

  /** A message as Rqueue stores it, in JSON. */
  public record Order(String payload) {}

  /** Passes messages to the handler of the trial. */
  static final class Listener {
    private final Consumer<byte[]> handler;

    Listener(Consumer<byte[]> handler) {
      this.handler = handler;
    }

    @RqueueListener(value = QUEUE, concurrency = "${bench.handlers}", visibilityTimeout = "30000")
    public void handle(Order order) {
      handler.accept(Base64.getDecoder().decode(order.payload()));
    }
  }

  RqueueQueue(String url) {
    this.url = URI.create(url);
    context = open(Map.of("rqueue.system.mode", "PRODUCER"));
    context.refresh();
    context.getBean(RqueueEndpointManager.class).registerQueue(QUEUE);
    producer = context.getBean(RqueueMessageEnqueuer.class);
  }

  private AnnotationConfigApplicationContext open(Map<String, Object> more) {
    Map<String, Object> options =
        new HashMap<>(
            Map.of(
                "rqueue.scheduler.scheduled.message.time.interval", 100,
                "rqueue.scheduler.max.message.count", 1_000,
                "rqueue.latest.version.check.enabled", false));
    options.putAll(more);
    var opened = new AnnotationConfigApplicationContext();
    opened.getEnvironment().getPropertySources().addFirst(new MapPropertySource("bench", options));
    opened.registerBean(
        RedisConnectionFactory.class,
        () -> new LettuceConnectionFactory(url.getHost(), url.getPort()));
    opened.register(RqueueListenerAutoConfig.class);
    return opened;
  }

  @Override
  public Object schedule(BenchMessage message) {
    Order order = new Order(Base64.getEncoder().encodeToString(message.payload()));
    String id = producer.enqueueIn(QUEUE, order, message.delayMillis());
    return Objects.requireNonNull(id, "Rqueue did not schedule; its log has the reason");
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return CompletableFuture.supplyAsync(() -> schedule(message), callers);
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) {
    List<CompletableFuture<Object>> answers = new ArrayList<>();
    for (BenchMessage message : messages) {
      answers.add(CompletableFuture.supplyAsync(() -> schedule(message), callers));
    }
    return answers.stream().map(CompletableFuture::join).toList();
  }

  @Override
  public boolean cancel(Object handle) {
    return context.getBean(RqueueMessageManager.class).deleteMessage(QUEUE, (String) handle);
  }

  /** Opens another context, because the listeners of a context can't be added later. */
  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    context.close();
    EndpointRegistry.delete();
    context = open(Map.of("bench.handlers", handlers));
    context.registerBean(Listener.class, () -> new Listener(handler));
    context.refresh();
    producer = context.getBean(RqueueMessageEnqueuer.class);
  }

  @Override
  public void close() {
    callers.shutdownNow();
    context.close();
    EndpointRegistry.delete();
  }
}
