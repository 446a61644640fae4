package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A context with listeners on the memory store. Each test registers its beans and refreshes the
 * context.
 */
abstract class ContextFixture {
  record Order(String id, int amount) {}

  @Configuration(proxyBeanMethods = false)
  @EnablePunctual
  static class Base {
    @Bean
    Punctual punctual() {
      return Punctual.open("memory:");
    }

    @Bean
    PunctualQueues queues(Punctual punctual) {
      return new PunctualQueues(punctual, PunctualCodecs.standard());
    }

    @Bean
    PunctualTemplate template(PunctualQueues queues) {
      return new PunctualTemplate(queues);
    }
  }

  /** The values that a listener's method received. */
  static class Received {
    final BlockingQueue<Object> values = new LinkedBlockingQueue<>();

    void add(Object value) {
      values.add(value);
    }

    Object next() throws InterruptedException {
      Object value = values.poll(60, TimeUnit.SECONDS);
      assertThat(value).as("a call of the listener").isNotNull();
      return value;
    }
  }

  final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

  @AfterEach
  void close() {
    context.close();
  }

  <B> B start(Class<B> listener, Class<?>... more) {
    context.register(Base.class, listener);
    if (more.length > 0) {
      context.register(more);
    }
    context.refresh();
    return context.getBean(listener);
  }

  PunctualTemplate template() {
    return context.getBean(PunctualTemplate.class);
  }

  PunctualListenerRegistry registry() {
    return context.getBean(PunctualListenerRegistry.class);
  }

  void schedule(String queue, Object payload) {
    template().schedule(queue, Message.of(payload).id("1"));
  }

  static Message<Order> order(String id) {
    return Message.of(new Order(id, 5)).id(id).header("tenant", "a");
  }

  long count(String queue) {
    return counts(queue).pending();
  }

  Counts counts(String queue) {
    return context.getBean(PunctualQueues.class).get(queue, byte[].class).counts();
  }

  /** Waits until the message with the id "1" is dead, and returns it. */
  StoredMessage<byte[]> dead(String queue) {
    return dead(queue, "1");
  }

  /** Waits until a message is dead, and returns it. */
  StoredMessage<byte[]> dead(String queue, String id) {
    var messages = context.getBean(PunctualQueues.class).get(queue, byte[].class);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(messages.find(id))
                    .get()
                    .extracting(StoredMessage::state)
                    .isEqualTo(State.DEAD));
    return messages.find(id).orElseThrow();
  }
}
