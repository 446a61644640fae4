package io.punctual.benchmarks.queue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.JobNotFoundException;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * JobRunr with the smallest poll interval that it accepts, 5 s instead of 15 s. According to its
 * documentation, it hands a job over up to one poll interval before the job is due. Its calls
 * block, so asynchronous calls use as many threads as there are connections.
 */
final class JobRunrQueue implements QueueContender {
  private static final int CONNECTIONS = 32;

  /** The poll interval; JobRunr refuses a shorter interval. */
  private static final int POLL_SECONDS = 5;

  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_MILLIS = 50;

  private final HikariDataSource connections;
  private final JsonMapper json = new Jackson3JsonMapper();
  private final StorageProvider storage;
  private final JobRequestScheduler client;
  private final ExecutorService callers = Executors.newFixedThreadPool(CONNECTIONS);

  private @Nullable BackgroundJobServer server;

  /** A message as JobRunr stores it, in JSON. */
  public record Order(String payload) implements JobRequest {
    @Override
    public Class<Handler> getJobRequestHandler() {
      return Handler.class;
    }
  }

  /** Passes messages to the handler of a trial. */
  public static final class Handler implements JobRequestHandler<Order> {
    private final Consumer<byte[]> handler;

    Handler(Consumer<byte[]> handler) {
      this.handler = handler;
    }

    @Override
    public void run(Order order) {
      handler.accept(Base64.getDecoder().decode(order.payload()));
    }
  }

  /** Returns the same handler for each job. */
  private record Activator(Handler handler) implements JobActivator {
    @Override
    public <T> T activateJob(Class<T> type) {
      return type.cast(handler);
    }
  }

  JobRunrQueue(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url + "&reWriteBatchedInserts=true");
    config.setMaximumPoolSize(CONNECTIONS);
    connections = new HikariDataSource(config);
    storage = new PostgresStorageProvider(connections);
    storage.setJobMapper(new JobMapper(json));
    client = new JobRequestScheduler(storage);
  }

  @Override
  public Object schedule(BenchMessage message) {
    return client.create(job(message, UUID.randomUUID())).asUUID();
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return CompletableFuture.supplyAsync(() -> schedule(message), callers);
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) {
    List<UUID> ids = messages.stream().map(message -> UUID.randomUUID()).toList();
    List<JobBuilder> jobs = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      jobs.add(job(messages.get(i), ids.get(i)));
    }
    client.create(jobs.stream());
    return ids;
  }

  private static JobBuilder job(BenchMessage message, UUID id) {
    return JobBuilder.aJob()
        .withId(id)
        .scheduleAt(Instant.EPOCH.plus(message.dueMicros(), ChronoUnit.MICROS))
        .withJobRequest(new Order(Base64.getEncoder().encodeToString(message.payload())));
  }

  @Override
  public boolean cancel(Object handle) {
    try {
      client.delete((UUID) handle);
      return true;
    } catch (JobNotFoundException notThere) {
      return false;
    }
  }

  /**
   * Waits for the tasks of the first start. These tasks rewrite all jobs. If a job is cancelled
   * meanwhile, the server never runs any job.
   */
  private static void awaitReady(BackgroundJobServer server) throws InterruptedException {
    long start = System.nanoTime();
    while (server.isNotReadyToProcessJobs()) {
      if (System.nanoTime() - start > START_NANOS) {
        throw new IllegalStateException("JobRunr was not ready in time; see its log");
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) throws InterruptedException {
    BackgroundJobServer started =
        new BackgroundJobServer(
            storage,
            json,
            new Activator(new Handler(handler)),
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(handlers)
                .andPollIntervalInSeconds(POLL_SECONDS));
    server = started;
    started.start();
    awaitReady(started);
  }

  @Override
  public void close() {
    if (server != null) {
      server.stop();
    }
    callers.shutdownNow();
    connections.close();
  }
}
