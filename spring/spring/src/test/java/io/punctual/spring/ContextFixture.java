package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Message;
import io.punctual.State;
import io.punctual.StoredMessage;
import org.junit.jupiter.api.AfterEach;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** A context with listeners on the memory store, which each test refreshes. */
abstract class ContextFixture {
  final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

  @AfterEach
  void close() {
    context.close();
  }

  <B> B start(Class<B> listener, Class<?>... more) {
    context.register(ListenerTest.Base.class, listener);
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

  /** Waits until the message 1 is dead, and returns it. */
  StoredMessage<byte[]> dead(String queue) {
    var messages = context.getBean(PunctualQueues.class).get(queue, byte[].class);
    await()
        .untilAsserted(
            () ->
                assertThat(messages.find("1"))
                    .get()
                    .extracting(StoredMessage::state)
                    .isEqualTo(State.DEAD));
    return messages.find("1").orElseThrow();
  }
}
