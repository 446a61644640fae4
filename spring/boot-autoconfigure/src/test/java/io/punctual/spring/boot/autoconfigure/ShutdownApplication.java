package io.punctual.spring.boot.autoconfigure;

import io.punctual.Delivery;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The process of {@link ShutdownTest}. The handlers of the queue {@code held} and the web requests
 * wait until a byte arrives on the standard input. The handlers of the queue {@code busy} do not
 * wait. At their end, all handlers and requests use Spring Data's connections.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@Import(ShutdownApplication.Requests.class)
class ShutdownApplication {
  private static final CountDownLatch GATE = new CountDownLatch(1);

  private final StringRedisTemplate redis;

  ShutdownApplication(StringRedisTemplate redis) {
    this.redis = redis;
  }

  public static void main(String[] arguments) throws IOException {
    var context =
        (ServletWebServerApplicationContext)
            SpringApplication.run(ShutdownApplication.class, arguments);
    System.out.println("READY " + context.getWebServer().getPort());
    if (System.in.read() >= 0) {
      GATE.countDown();
    }
  }

  @PunctualListener(value = "held", concurrency = "4")
  void hold(String text, Delivery<String> delivery) {
    System.out.println("HELD " + delivery.id());
    awaitGate();
    count(delivery);
  }

  /** Waits for the byte, and ignores interrupts to test handlers that ignore them. */
  private static void awaitGate() {
    try {
      GATE.await();
    } catch (InterruptedException e) {
      awaitGate();
    }
  }

  @PunctualListener(value = "busy", concurrency = "4")
  void run(String text, Delivery<String> delivery) {
    count(delivery);
  }

  private void count(Delivery<String> delivery) {
    redis.opsForHash().increment(delivery.queue() + "-runs", delivery.id(), 1);
  }

  @EventListener
  void closing(ContextClosedEvent event) {
    System.out.println("CLOSING");
  }

  @RestController
  static class Requests {
    private final PunctualTemplate punctual;
    private final StringRedisTemplate redis;

    Requests(PunctualTemplate punctual, StringRedisTemplate redis) {
      this.punctual = punctual;
      this.redis = redis;
    }

    @GetMapping("/place")
    String place() {
      System.out.println("REQUEST");
      awaitGate();
      punctual.schedule("late", "order", Duration.ofHours(1));
      return "order " + redis.opsForValue().increment("orders");
    }
  }
}
