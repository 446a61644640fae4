package io.punctual.internal.client;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.DeadHandler;
import io.punctual.DeadLetters;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Durability;
import io.punctual.Forecast;
import io.punctual.Handler;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Page;
import io.punctual.RescheduleOutcome;
import io.punctual.RetryPolicy;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.internal.partition.PendingChange;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.CallerThread;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.internal.worker.FailureRules;
import io.punctual.internal.worker.HandlerCall;
import io.punctual.internal.worker.Intake;
import io.punctual.internal.worker.ManualClaim;
import io.punctual.internal.worker.QueueWorker;
import io.punctual.internal.worker.Settling;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A queue as users see it. Thread-safe. */
final class ClientQueue<T> implements TimedQueue<T> {
  private final Client client;
  private final QueuePartitions partitions;
  private final Codec<T> codec;
  private final @Nullable Durability durability;
  private final Waiting waiting;
  private final FailureRules<T> rules;
  private final Scheduling<T> scheduling;
  private final QueueAdmin<T> admin;

  ClientQueue(
      Client client,
      QueuePartitions partitions,
      Codec<T> codec,
      @Nullable Durability durability,
      Waiting waiting,
      FailureRules<T> rules) {
    this.rules = rules;
    this.waiting = waiting;
    this.client = client;
    this.partitions = partitions;
    this.codec = codec;
    this.durability = durability;
    this.scheduling = new Scheduling<>(partitions, codec, client.env(), client.ids(), durability);
    this.admin = new QueueAdmin<>(client, partitions, codec, durability, waiting);
  }

  @Override
  public String name() {
    return partitions.queue();
  }

  @Override
  public int partitions() {
    return partitions.all().size();
  }

  @Override
  public Scheduled schedule(Message<T> message, IfPresent ifPresent) {
    return waiting.await(() -> submit(message, ifPresent, waiting.nanos()));
  }

  @Override
  public CompletionStage<Scheduled> scheduleAsync(Message<T> message, IfPresent ifPresent) {
    return visible(submit(message, ifPresent, 0));
  }

  private Awaited<Scheduled> submit(Message<T> message, IfPresent ifPresent, long roomNanos) {
    client.requireOpen();
    return scheduling.schedule(message, Objects.requireNonNull(ifPresent, "ifPresent"), roomNanos);
  }

  private <R> CompletionStage<R> visible(Awaited<R> call) {
    return client.env().callbacks().of(call.answer());
  }

  @Override
  public List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent) {
    return waiting.await(() -> submit(messages, ifPresent, waiting.nanos()));
  }

  @Override
  public CompletionStage<List<Scheduled>> scheduleAllAsync(
      Collection<Message<T>> messages, IfPresent ifPresent) {
    return visible(submit(messages, ifPresent, 0));
  }

  private Awaited<List<Scheduled>> submit(
      Collection<Message<T>> messages, IfPresent ifPresent, long roomNanos) {
    client.requireOpen();
    return scheduling.scheduleAll(
        messages, Objects.requireNonNull(ifPresent, "ifPresent"), roomNanos);
  }

  @Override
  public CancelOutcome cancel(String id) {
    return waiting.await(() -> submitCancel(id));
  }

  @Override
  public CompletionStage<CancelOutcome> cancelAsync(String id) {
    return visible(submitCancel(id));
  }

  private Awaited<CancelOutcome> submitCancel(String id) {
    client.require(Capability.CANCEL);
    OutcomeCallback<CancelOutcome> ticket =
        new OutcomeCallback<>(o -> OutcomeCallback.as(Outcome.OfCancel.class, o).outcome());
    return submit(new Operation.Cancel(id), ticket);
  }

  @Override
  public RescheduleOutcome reschedule(String id, Due due) {
    return waiting.await(() -> reschedule(new Operation.Reschedule(id, DueTime.of(due))));
  }

  @Override
  public CompletionStage<RescheduleOutcome> rescheduleAsync(String id, Due due) {
    return visible(reschedule(new Operation.Reschedule(id, DueTime.of(due))));
  }

  @Override
  public RescheduleOutcome runNow(String id) {
    return waiting.await(() -> reschedule(new Operation.RunNow(id)));
  }

  @Override
  public CompletionStage<RescheduleOutcome> runNowAsync(String id) {
    return visible(reschedule(new Operation.RunNow(id)));
  }

  private Awaited<RescheduleOutcome> reschedule(Operation operation) {
    client.require(Capability.RESCHEDULE);
    OutcomeCallback<RescheduleOutcome> ticket =
        new OutcomeCallback<>(o -> OutcomeCallback.as(Outcome.OfReschedule.class, o).outcome());
    return submit(operation, ticket);
  }

  private <R> Awaited<R> submit(Operation operation, OutcomeCallback<R> ticket) {
    client.requireOpen();
    Checks.id(operation.id());
    partitions.of(operation.id()).session().submit(operation, durability, ticket);
    return new PendingChange<>(partitions, operation, ticket);
  }

  @Override
  public Worker work(WorkerOptions options, Handler<T> handler) {
    return start(options, new HandlerCall.Single<>(Objects.requireNonNull(handler, "handler")), 1);
  }

  @Override
  public Worker workAsync(WorkerOptions options, AsyncHandler<T> handler) {
    return start(options, new HandlerCall.Async<>(Objects.requireNonNull(handler, "handler")), 1);
  }

  @Override
  public Worker workBatch(WorkerOptions options, BatchHandler<T> handler) {
    Objects.requireNonNull(options, "options");
    return start(
        options,
        new HandlerCall.Batch<>(Objects.requireNonNull(handler, "handler")),
        options.batchSize());
  }

  private Worker start(WorkerOptions options, HandlerCall<T> call, int batchSize) {
    Objects.requireNonNull(options, "options");
    client.requireOpen();
    QueueWorker<T> worker =
        new QueueWorker<>(
            client.env(),
            client.consumers(),
            partitions,
            codec,
            durability,
            rules,
            options,
            call,
            batchSize);
    worker.start();
    return worker;
  }

  @Override
  public List<Delivery<T>> claim(int max, Duration lease, Duration wait) {
    CallerThread caller = new CallerThread();
    return Waiting.forEndOf(
        () ->
            new AwaitedClaim<>(
                name(), startClaim(max, lease, wait, waiting.timeout(), caller), caller));
  }

  @Override
  public CompletionStage<List<Delivery<T>>> claimAsync(int max, Duration lease, Duration wait) {
    Environment env = client.env();
    return env.callbacks()
        .of(startClaim(max, lease, wait, env.operationTimeout(), env.callbacks()::execute));
  }

  private CompletableFuture<List<Delivery<T>>> startClaim(
      int max, Duration lease, Duration wait, Duration silence, Executor decoder) {
    client.requireOpen();
    Checks.range(max, 1, 1000, "max");
    long leaseMillis = Checks.lease(lease);
    long waitMillis = DueTime.delayMillis(wait);
    Settling settling =
        new Settling(
            partitions.queue(),
            client.env(),
            partitions.log(),
            durability,
            Settling.SettlementWatch.NONE);
    Intake<T> intake = new Intake<>(codec, rules, settling);
    return new ManualClaim<>(
            client.env(),
            client.consumers(),
            partitions,
            intake,
            decoder,
            max,
            leaseMillis,
            waitMillis,
            silence)
        .start();
  }

  @Override
  public Optional<StoredMessage<T>> find(String id) {
    return admin.find(id);
  }

  @Override
  public CompletionStage<Optional<StoredMessage<T>>> findAsync(String id) {
    return admin.findAsync(id);
  }

  @Override
  public Page<StoredMessage<T>> browse(State state, Optional<String> cursor, int limit) {
    return admin.browse(state, cursor, limit);
  }

  @Override
  public Counts counts() {
    return admin.counts();
  }

  @Override
  public Forecast forecast(Instant from, Instant to, int buckets) {
    return admin.forecast(from, to, buckets);
  }

  @Override
  public void pause() {
    admin.pause(true);
  }

  @Override
  public void resume() {
    admin.pause(false);
  }

  @Override
  public long purge(Set<State> states) {
    return admin.purge(states);
  }

  @Override
  public DeadLetters<T> deadLetters() {
    client.require(Capability.DEAD_LETTERS);
    return admin;
  }

  @Override
  public TimedQueue<T> withDurability(Durability other) {
    client.require(Capability.DURABILITY);
    return new ClientQueue<>(
        client, partitions, codec, Objects.requireNonNull(other, "durability"), waiting, rules);
  }

  @Override
  public TimedQueue<T> withTimeout(Duration timeout) {
    return new ClientQueue<>(
        client,
        partitions,
        codec,
        durability,
        new Waiting(Checks.timeout(timeout, "timeout")),
        rules);
  }

  @Override
  public TimedQueue<T> withDeadHandler(DeadHandler<T> handler) {
    return with(rules.withDeadHandler(Objects.requireNonNull(handler, "handler")));
  }

  @Override
  public TimedQueue<T> withClaimPolicy(RetryPolicy policy) {
    return with(rules.withPolicy(Objects.requireNonNull(policy, "policy")));
  }

  private TimedQueue<T> with(FailureRules<T> others) {
    return new ClientQueue<>(client, partitions, codec, durability, waiting, others);
  }

  @Override
  public String toString() {
    return "TimedQueue[" + name() + " in " + client.describeStore() + "]";
  }
}
