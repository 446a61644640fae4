package io.punctual.runtime;

import io.punctual.DeleteQueueOutcome;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A memory store in which the first partition of each queue accepts calls, and answers none while
 * the store is silent. {@link #untilNext} always fails.
 */
final class SilentPartitionStore implements Store {
  private final MemoryStore store;
  private final List<Runnable> unanswered = new CopyOnWriteArrayList<>();
  private volatile boolean silent = true;
  volatile String closedBy = "nobody";
  boolean throwing;
  int questions;

  SilentPartitionStore(MemoryStore store) {
    this.store = store;
  }

  void beSilent() {
    silent = true;
  }

  /** Ends the silence: applies and answers the calls that have arrived. */
  void speak() {
    silent = false;
    List<Runnable> calls = List.copyOf(unanswered);
    unanswered.removeAll(calls);
    calls.forEach(Runnable::run);
  }

  /** Returns whether a call has arrived and is not answered. */
  boolean hasUnanswered() {
    return !unanswered.isEmpty();
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return store
        .partitions(queue)
        .thenApply(
            partitions -> {
              List<Partition> shown = new ArrayList<>(partitions);
              shown.set(0, silent(partitions.get(0)));
              return shown;
            });
  }

  private Partition silent(Partition partition) {
    return (Partition)
        Proxy.newProxyInstance(
            Partition.class.getClassLoader(),
            new Class<?>[] {Partition.class},
            (proxy, method, arguments) -> {
              if (silent && method.getName().equals("call")) {
                return later(partition, (Call) arguments[0]);
              }
              try {
                return method.invoke(partition, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private CompletionStage<Reply> later(Partition partition, Call call) {
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    unanswered.add(() -> answer.complete(partition.call(call).toCompletableFuture().join()));
    return answer;
  }

  @Override
  public String describe() {
    return "silent:";
  }

  @Override
  public Set<Capability> capabilities() {
    return store.capabilities();
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return store.queues();
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return store.delete(queue);
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    questions++;
    IllegalStateException away = new IllegalStateException("away");
    if (throwing) {
      throw away;
    }
    return CompletableFuture.failedStage(away);
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return store.safetyCheckInterval(partitions);
  }

  @Override
  public void close() {
    closedBy = Thread.currentThread().getName();
    store.close();
  }
}
