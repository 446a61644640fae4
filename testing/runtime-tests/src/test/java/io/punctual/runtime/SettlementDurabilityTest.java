package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the durability that the settlements of workers and manual claims ask for. */
class SettlementDurabilityTest {
  private static final Durability TWO_REPLICAS = new Durability(false, 2);

  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final Map<String, Durability> asked = new TreeMap<>();
  private final Punctual punctual = Punctual.builder().store(durable()).timer(clock).build();
  private final TimedQueue<String> queue =
      punctual.queue("orders", Codec.string()).withDurability(TWO_REPLICAS);

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  /**
   * Returns a memory store that pretends to have replicas, and that records the durability of
   * operations.
   */
  private Store durable() {
    return proxy(
        Store.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "capabilities" -> EnumSet.allOf(Capability.class);
              case "partitions" ->
                  ((CompletionStage<?>) method.invoke(memory, arguments))
                      .thenApply(
                          partitions ->
                              ((List<?>) partitions).stream().map(this::durable).toList());
              default -> method.invoke(memory, arguments);
            });
  }

  private Partition durable(Object partition) {
    return proxy(
        Partition.class,
        (proxy, method, arguments) -> {
          return method.getName().equals("call")
              ? ((Partition) partition).call(recorded((Call) arguments[0]))
              : method.invoke(partition, arguments);
        });
  }

  /**
   * Records the durability of the operations of a call, and returns the call without the
   * durability, because the memory store has no replicas.
   */
  private Call recorded(Call call) {
    if (!(call.body() instanceof Call.Apply apply)) {
      return call;
    }
    Durability durability = apply.durability() == null ? Durability.NONE : apply.durability();
    for (Operation operation : apply.operations()) {
      asked.put(operation.getClass().getSimpleName(), durability);
    }
    return new Call(
        call.session(),
        call.number(),
        call.lowestUnanswered(),
        new Call.Apply(apply.operations(), null));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Test
  void work_withDurability_settlementsAskForIt() {
    queue.work(
        inline().build(),
        delivery -> {
          if (delivery.attempt() == 1) {
            throw new IllegalStateException("once");
          }
        });
    queue.schedule(Message.of("a").id("a"));
    clock.advance(Duration.ofMinutes(5));
    assertThat(asked).containsEntry("Retry", TWO_REPLICAS).containsEntry("Ack", TWO_REPLICAS);
  }

  @Test
  void claim_withDurability_settlementsAskForIt() {
    queue.schedule(Message.of("a").id("a"));
    queue.claim(1, Duration.ZERO).get(0).bury("unwanted");
    assertThat(asked).containsEntry("Bury", TWO_REPLICAS);
  }
}
