package io.punctual.internal.client;

import io.punctual.AsyncHandler;
import io.punctual.AsyncTimedQueue;
import io.punctual.BatchHandler;
import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Counts;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Durability;
import io.punctual.EnlistedQueue;
import io.punctual.Forecast;
import io.punctual.Handler;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Transaction;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadLetters;
import io.punctual.internal.deadletter.ClientDeadLetters;
import io.punctual.internal.deadletter.RetentionLoop;
import io.punctual.internal.handler.HandlerCall;
import io.punctual.internal.message.Checks;
import io.punctual.internal.queue.Changes;
import io.punctual.internal.queue.ClientParts;
import io.punctual.internal.queue.Enlisted;
import io.punctual.internal.queue.ManualClaims;
import io.punctual.internal.queue.QueueAdmin;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.queue.ReceiptSettlements;
import io.punctual.internal.queue.Scheduling;
import io.punctual.internal.runtime.ApplicableOptions;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.task.WaitingTargets;
import io.punctual.internal.worker.QueueWorker;
import io.punctual.spi.Capability;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The implementation of {@link TimedQueue} by a client. Thread-safe. */
final class ClientQueue<T> implements TimedQueue<T> {
  private final QueueView<T> view;
  private final ClientParts client;
  private final Scheduling<T> scheduling;
  private final Changes<T> changes;
  private final QueueAdmin<T> admin;
  private final DeadLetters<T> deadLetters;
  private final ReceiptSettlements<T> settling;
  private final ManualClaims<T> claims;
  private final AsyncTimedQueue<T> async;

  ClientQueue(QueueView<T> view) {
    this.view = view;
    this.client = view.client();
    this.scheduling = new Scheduling<>(view);
    this.changes = new Changes<>(view);
    this.admin = new QueueAdmin<>(view);
    this.deadLetters = new ClientDeadLetters<>(view, admin);
    this.settling = new ReceiptSettlements<>(view, admin);
    this.claims = new ManualClaims<>(view);
    this.async = new AsyncClientQueue<>(view, scheduling, changes, admin, settling, claims);
  }

  @Override
  public String name() {
    return view.queue();
  }

  @Override
  public int partitions() {
    return view.partitions().all().size();
  }

  @Override
  public AsyncTimedQueue<T> async() {
    return async;
  }

  @Override
  public Scheduled schedule(Message<T> message, IfPresent ifPresent) {
    return view.await(() -> scheduling.schedule(message, ifPresent, view.waiting().nanos()));
  }

  @Override
  public List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent) {
    return view.await(() -> scheduling.scheduleAll(messages, ifPresent, view.waiting().nanos()));
  }

  @Override
  public CancelOutcome cancel(String id) {
    return view.await(() -> changes.cancel(id));
  }

  @Override
  public List<CancelOutcome> cancelAll(Collection<String> ids) {
    return view.await(() -> changes.cancelAll(ids));
  }

  @Override
  public List<SettleOutcome> settle(Collection<? extends Settlement> settlements) {
    return view.await(() -> settling.settle(settlements));
  }

  @Override
  public RescheduleOutcome reschedule(String id, Due due) {
    return view.await(() -> changes.reschedule(id, due));
  }

  @Override
  public RescheduleOutcome runNow(String id) {
    return view.await(() -> changes.runNow(id));
  }

  @Override
  public Task<TaskProgress> change(
      MessageFilter filter, MessageChange change, TaskOptions options) {
    client.require(Capability.BROWSE);
    client.require(
        change instanceof MessageChange.Cancel ? Capability.CANCEL : Capability.RESCHEDULE);
    return WaitingTargets.start(view, filter, change, options);
  }

  @Override
  public Worker work(Handler<T> handler) {
    return startSingle(client.workerDefaults(name()), handler);
  }

  @Override
  public Worker work(WorkerOptions options, Handler<T> handler) {
    checkSingle(options);
    return startSingle(options, handler);
  }

  private Worker startSingle(WorkerOptions options, Handler<T> handler) {
    return start(options, new HandlerCall.Single<>(Objects.requireNonNull(handler, "handler")), 1);
  }

  @Override
  public Worker workStages(AsyncHandler<T> handler) {
    return startStages(client.workerDefaults(name()), handler);
  }

  @Override
  public Worker workStages(WorkerOptions options, AsyncHandler<T> handler) {
    checkSingle(options);
    return startStages(options, handler);
  }

  private Worker startStages(WorkerOptions options, AsyncHandler<T> handler) {
    return start(options, new HandlerCall.Async<>(Objects.requireNonNull(handler, "handler")), 1);
  }

  @Override
  public Worker workBatches(BatchHandler<T> handler) {
    return startBatches(client.workerDefaults(name()), handler);
  }

  @Override
  public Worker workBatches(WorkerOptions options, BatchHandler<T> handler) {
    ApplicableOptions.check(options, any -> true, "A worker", "");
    return startBatches(options, handler);
  }

  private Worker startBatches(WorkerOptions options, BatchHandler<T> handler) {
    return start(
        options,
        new HandlerCall.Batch<>(Objects.requireNonNull(handler, "handler")),
        options.batchSize());
  }

  /** The defaults of a queue may have options of batches, since they are for any worker. */
  private static void checkSingle(WorkerOptions options) {
    ApplicableOptions.check(
        options,
        name -> !name.startsWith("batch"),
        "A worker with a handler of single messages",
        "use workBatches for batches");
  }

  private Worker start(WorkerOptions options, HandlerCall<T> call, int batchSize) {
    Objects.requireNonNull(options, "options");
    client.requireOpen();
    QueueWorker<T> worker =
        new QueueWorker<>(
            client.env(),
            client.consumers(),
            view.partitions(),
            view.codec(),
            view.durability(),
            view.rules(),
            options,
            call,
            batchSize);
    worker.start();
    new RetentionLoop(view, options.deadLetterRetention(), worker).start();
    return worker;
  }

  @Override
  public List<Delivery<T>> claim(int max, ClaimOptions options) {
    return claims.claim(max, options);
  }

  @Override
  public List<Message<T>> take(int max, ClaimOptions options) {
    return claims.take(max, options);
  }

  @Override
  public Optional<StoredMessage<T>> find(String id) {
    return view.await(() -> admin.find(id));
  }

  @Override
  public List<Optional<StoredMessage<T>>> findAll(Collection<String> ids) {
    return view.await(() -> admin.findAll(ids));
  }

  @Override
  public Page<StoredMessage<T>> browse(MessageQuery query) {
    return view.await(() -> admin.browse(query));
  }

  @Override
  public Counts counts() {
    return view.await(admin::counts);
  }

  @Override
  public Forecast forecast(Instant from, Instant to, int buckets) {
    return view.await(() -> admin.forecast(from, to, buckets));
  }

  @Override
  public void pause(PauseNote note) {
    view.await(() -> admin.pause(note));
  }

  @Override
  public void resume() {
    view.await(admin::resume);
  }

  @Override
  public void setLimits(QueueLimits limits) {
    view.await(() -> admin.limit(limits));
  }

  @Override
  public QueueLimits limits() {
    return view.await(admin::limits);
  }

  @Override
  public long purge(Set<State> states) {
    // A purge of many messages may exceed the time-out; the store bounds each step of a purge.
    return Waiting.forEndOf(() -> admin.purge(states));
  }

  @Override
  public DeadLetters<T> deadLetters() {
    client.require(Capability.DEAD_LETTERS);
    return deadLetters;
  }

  @Override
  public EnlistedQueue<T> inTransaction(Transaction transaction) {
    client.require(Capability.TRANSACTIONS);
    return new Enlisted<>(view, transaction);
  }

  @Override
  public TimedQueue<T> withDurability(Durability other) {
    client.require(Capability.DURABILITY);
    return new ClientQueue<>(view.with(Objects.requireNonNull(other, "durability")));
  }

  @Override
  public TimedQueue<T> withTimeout(Duration timeout) {
    return new ClientQueue<>(view.with(view.env().waiting(Checks.timeout(timeout, "timeout"))));
  }

  @Override
  public TimedQueue<T> withDeadHandler(DeadHandler<T> handler) {
    Objects.requireNonNull(handler, "handler");
    return new ClientQueue<>(view.with(view.rules().withDeadHandler(handler)));
  }

  @Override
  public String toString() {
    return "TimedQueue[" + name() + " in " + client.describeStore() + "]";
  }
}
