package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** Tests that the endpoints need few calls of a store with many queues. */
class ManyQueuesEndpointTest {
  private static final int QUEUES = 1100;

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final MemoryStore memory = MemoryStore.builder().build();
  private final Punctual punctual = Punctual.builder().store(recording(memory)).build();
  private final PunctualEndpointProperties properties =
      new PunctualEndpointProperties(Show.NEVER, Set.of());

  /** Returns the store, whose calls are noted by name and number of arguments. */
  private Store recording(Store store) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, args) -> {
              if (method.getName().equals("close")) {
                return null; // Both clients use the store.
              }
              calls.add(method.getName() + "/" + method.getParameterCount());
              try {
                return method.invoke(store, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @BeforeEach
  void fill() {
    try (Punctual filler = Punctual.builder().store(recording(memory)).build()) {
      for (int i = 0; i < QUEUES; i++) {
        filler
            .queue("q-" + i, Codec.string())
            .schedule(Message.of("x").id("a").dueIn(Duration.ofHours(1)));
      }
    }
    calls.clear();
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  @Test
  void listing_opensNoQueue() {
    Object body = new PunctualEndpoint(punctual, properties).queues(null, null, null).getBody();

    assertThat(body).isInstanceOf(Map.class);
    assertThat((Map<?, ?>) ((Map<?, ?>) body).get("queues")).hasSize(1000);
    assertThat(calls).as(calls.toString()).hasSizeLessThan(5).doesNotContain("partitions/1");
  }

  @Test
  void lookUps_listNoNamesOfOtherQueues() {
    Object queue =
        new PunctualEndpoint(punctual, properties).queue(SecurityContext.NONE, "q-1", null);
    Object message =
        new PunctualEndpoint(punctual, properties).message(SecurityContext.NONE, "q-1", "a");
    Object groups =
        new PunctualDeadLettersEndpoint(punctual, properties).groups(SecurityContext.NONE, "q-1");

    assertThat(queue).isNotNull();
    assertThat(message).isNotNull();
    assertThat(groups).isNotNull();
    assertThat(calls).isNotEmpty().doesNotContain("queues/0");
  }
}
