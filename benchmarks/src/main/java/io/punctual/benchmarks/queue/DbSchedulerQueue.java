package io.punctual.benchmarks.queue;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceException;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler with its documented options for throughput: lock-and-fetch of up to 20 executions
 * for each thread, and a polling interval of 100 ms instead of 10 s. Payloads are stored as bytes.
 * Its calls block, so asynchronous calls use as many threads as there are connections.
 */
final class DbSchedulerQueue implements QueueContender {
  private static final TaskDescriptor<byte[]> TASK = TaskDescriptor.of("bench", byte[].class);
  private static final int CONNECTIONS = 32;
  private static final Duration POLL = Duration.ofMillis(100);

  /** The scheduler fetches again when it has fewer fetched executions than this for each thread. */
  private static final double FETCH_BELOW = 4;

  /** The largest number of fetched executions for each thread. */
  private static final double FETCH_UP_TO = 20;

  /**
   * The interval of heartbeats. A process counts as dead after six missed heartbeats, which take 30
   * s, like a lease.
   */
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  private final HikariDataSource connections;
  private final SchedulerClient client;
  private final ExecutorService callers = Executors.newFixedThreadPool(CONNECTIONS);

  private @Nullable Scheduler scheduler;

  /** Stores bytes unchanged. */
  private static final class Bytes implements Serializer {
    @Override
    public byte[] serialize(Object data) {
      return (byte[]) data;
    }

    @Override
    public <T> T deserialize(Class<T> type, byte[] data) {
      return type.cast(data);
    }
  }

  DbSchedulerQueue(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url + "&reWriteBatchedInserts=true");
    config.setMaximumPoolSize(CONNECTIONS);
    connections = new HikariDataSource(config);
    client = SchedulerClient.Builder.create(connections).serializer(new Bytes()).build();
  }

  @Override
  public Object schedule(BenchMessage message) {
    String id = id(message);
    boolean unused = client.scheduleIfNotExists(instance(message));
    return id;
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return CompletableFuture.supplyAsync(
        () -> client.scheduleIfNotExists(instance(message)), callers);
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) {
    List<SchedulableInstance<?>> instances =
        messages.stream().<SchedulableInstance<?>>map(DbSchedulerQueue::instance).toList();
    client.scheduleBatch(instances);
    return messages.stream().map(DbSchedulerQueue::id).toList();
  }

  private static String id(BenchMessage message) {
    return Long.toString(message.number());
  }

  private static SchedulableInstance<byte[]> instance(BenchMessage message) {
    TaskInstance<byte[]> task = TASK.instance(id(message)).data(message.payload()).build();
    return SchedulableInstance.of(task, Instant.EPOCH.plus(message.dueMicros(), ChronoUnit.MICROS));
  }

  @Override
  public boolean cancel(Object handle) {
    try {
      client.cancel(TASK.instanceId((String) handle));
      return true;
    } catch (TaskInstanceException notThere) {
      return false;
    }
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    OneTimeTask<byte[]> task =
        Tasks.oneTime(TASK).execute((instance, context) -> handler.accept(instance.getData()));
    Scheduler started =
        Scheduler.create(connections, List.of(task))
            .serializer(new Bytes())
            .threads(handlers)
            .pollingInterval(POLL)
            .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
            .heartbeatInterval(HEARTBEAT)
            .build();
    started.start();
    scheduler = started;
  }

  @Override
  public void close() {
    if (scheduler != null) {
      scheduler.stop();
    }
    callers.shutdownNow();
    connections.close();
  }
}
