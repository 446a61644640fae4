package io.punctual.benchmarks.queue;

import java.time.Instant;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleTrigger;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;

/**
 * Quartz with its clustered store in a database. A message is a trigger of a durable job, with the
 * payload in the trigger's data, and the job requests recovery. A scheduler acquires as many
 * triggers at once as it has threads, instead of a single one. It looks for triggers of other
 * processes every second, which is the smallest interval that Quartz accepts, instead of every 30
 * s. Calls block, so asynchronous calls use as many threads as there are connections.
 */
final class QuartzQueue implements QueueContender {
  private static final int CONNECTIONS = 32;
  private static final String PAYLOAD = "payload";
  private static final JobDetail JOB =
      JobBuilder.newJob(Handling.class)
          .withIdentity("bench")
          .storeDurably()
          .requestRecovery()
          .build();

  private final String url;
  private final ExecutorService callers = Executors.newFixedThreadPool(CONNECTIONS);

  private Scheduler scheduler;

  /** Passes the payload of a trigger to the handler of the trial. */
  private record Handling(Consumer<byte[]> handler) implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      handler.accept((byte[]) context.getMergedJobDataMap().get(PAYLOAD));
    }
  }

  QuartzQueue(String url) throws SchedulerException {
    this.url = url;
    scheduler = open(1);
    scheduler.addJob(JOB, true);
  }

  private Scheduler open(int threads) throws SchedulerException {
    Properties options = new Properties();
    options.putAll(
        Map.ofEntries(
            Map.entry("org.quartz.scheduler.instanceName", "bench"),
            Map.entry("org.quartz.scheduler.instanceId", "AUTO"),
            Map.entry("org.quartz.scheduler.idleWaitTime", "1000"),
            Map.entry("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", "" + threads),
            Map.entry("org.quartz.threadPool.threadCount", "" + threads),
            Map.entry("org.quartz.jobStore.class", JobStoreTX.class.getName()),
            Map.entry(
                "org.quartz.jobStore.driverDelegateClass", PostgreSQLDelegate.class.getName()),
            Map.entry("org.quartz.jobStore.isClustered", "true"),
            Map.entry("org.quartz.jobStore.acquireTriggersWithinLock", "true"),
            Map.entry("org.quartz.jobStore.dataSource", "bench"),
            Map.entry("org.quartz.dataSource.bench.provider", "hikaricp"),
            Map.entry("org.quartz.dataSource.bench.driver", "org.postgresql.Driver"),
            Map.entry("org.quartz.dataSource.bench.URL", url),
            Map.entry("org.quartz.dataSource.bench.maxConnections", "" + CONNECTIONS)));
    return new StdSchedulerFactory(options).getScheduler();
  }

  @Override
  public Object schedule(BenchMessage message) throws SchedulerException {
    Trigger trigger = trigger(message);
    Date unused = scheduler.scheduleJob(trigger);
    return trigger.getKey();
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return schedule(message);
          } catch (SchedulerException e) {
            throw new CompletionException(e);
          }
        },
        callers);
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) throws SchedulerException {
    List<SimpleTrigger> triggers = messages.stream().map(QuartzQueue::trigger).toList();
    Set<Trigger> all = new HashSet<>(triggers);
    scheduler.scheduleJobs(Map.of(JOB, all), true);
    return triggers.stream().map(Trigger::getKey).toList();
  }

  private static SimpleTrigger trigger(BenchMessage message) {
    JobDataMap data = new JobDataMap();
    data.put(PAYLOAD, message.payload());
    long dueMillis = TimeUnit.MICROSECONDS.toMillis(message.dueMicros() + 999);
    return (SimpleTrigger)
        TriggerBuilder.newTrigger()
            .withIdentity(Long.toString(message.number()))
            .forJob(JOB)
            .usingJobData(data)
            .startAt(Date.from(Instant.ofEpochMilli(dueMillis)))
            .build();
  }

  @Override
  public boolean cancel(Object handle) throws SchedulerException {
    return scheduler.unscheduleJob((TriggerKey) handle);
  }

  /** Opens another scheduler, because the number of threads of a scheduler can't be changed. */
  @Override
  public void consume(int handlers, Consumer<byte[]> handler) throws SchedulerException {
    scheduler.shutdown();
    scheduler = open(handlers);
    scheduler.setJobFactory((bundle, its) -> new Handling(handler));
    scheduler.start();
  }

  @Override
  public void close() throws SchedulerException {
    callers.shutdownNow();
    scheduler.shutdown();
  }
}
