package io.punctual.internal;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Counts;
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
import org.jspecify.annotations.Nullable;

/** A queue as a user holds it. Thread-safe. */
final class ClientQueue<T> implements TimedQueue<T> {
  private final Client client;
  private final QueueLanes lanes;
  private final Codec<T> codec;
  private final @Nullable Durability durability;
  private final Scheduling<T> scheduling;
  private final QueueAdmin<T> admin;

  ClientQueue(Client client, QueueLanes lanes, Codec<T> codec, @Nullable Durability durability) {
    this.client = client;
    this.lanes = lanes;
    this.codec = codec;
    this.durability = durability;
    this.scheduling = new Scheduling<>(lanes, codec, client.env(), client.madeIds(), durability);
    this.admin = new QueueAdmin<>(client, lanes, codec, durability);
  }

  @Override
  public String name() {
    return lanes.queue();
  }

  @Override
  public int lanes() {
    return lanes.all().size();
  }

  @Override
  public Scheduled schedule(Message<T> message, IfPresent ifPresent) {
    Scheduling.Pending pending = begin(message, ifPresent);
    return Waiting.forAnswer(pending.answer(), pending.id());
  }

  private Scheduling.Pending begin(Message<T> message, IfPresent ifPresent) {
    client.requireOpen();
    return scheduling.schedule(message, Objects.requireNonNull(ifPresent, "ifPresent"));
  }

  @Override
  public CompletionStage<Scheduled> scheduleAsync(Message<T> message, IfPresent ifPresent) {
    return begin(message, ifPresent).answer();
  }

  @Override
  public List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent) {
    return Waiting.forAnswer(scheduleAllAsync(messages, ifPresent));
  }

  @Override
  public CompletionStage<List<Scheduled>> scheduleAllAsync(
      Collection<Message<T>> messages, IfPresent ifPresent) {
    client.requireOpen();
    return scheduling.scheduleAll(messages, Objects.requireNonNull(ifPresent, "ifPresent"));
  }

  @Override
  public CancelOutcome cancel(String id) {
    return Waiting.forAnswer(cancelAsync(id), id);
  }

  @Override
  public CompletionStage<CancelOutcome> cancelAsync(String id) {
    client.require(Capability.CANCEL);
    OutcomeTicket<CancelOutcome> ticket =
        new OutcomeTicket<>(o -> OutcomeTicket.as(Outcome.OfCancel.class, o).outcome());
    return submit(new Operation.Cancel(id), ticket);
  }

  @Override
  public RescheduleOutcome reschedule(String id, Due due) {
    return Waiting.forAnswer(rescheduleAsync(id, due), id);
  }

  @Override
  public CompletionStage<RescheduleOutcome> rescheduleAsync(String id, Due due) {
    return reschedule(new Operation.Reschedule(id, DueTime.of(due)));
  }

  @Override
  public RescheduleOutcome runNow(String id) {
    return Waiting.forAnswer(runNowAsync(id), id);
  }

  @Override
  public CompletionStage<RescheduleOutcome> runNowAsync(String id) {
    return reschedule(new Operation.RunNow(id));
  }

  private CompletionStage<RescheduleOutcome> reschedule(Operation operation) {
    client.require(Capability.RESCHEDULE);
    OutcomeTicket<RescheduleOutcome> ticket =
        new OutcomeTicket<>(o -> OutcomeTicket.as(Outcome.OfReschedule.class, o).outcome());
    return submit(operation, ticket);
  }

  private <R> CompletionStage<R> submit(Operation operation, OutcomeTicket<R> ticket) {
    client.requireOpen();
    Checks.id(operation.id());
    lanes.of(operation.id()).session().submit(operation, durability, ticket);
    return ticket;
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
        new QueueWorker<>(client, lanes, codec, durability, options, call, batchSize);
    worker.start();
    return worker;
  }

  @Override
  public List<Delivery<T>> claim(int max, Duration lease, Duration wait) {
    CompletableFuture<List<Delivery<T>>> claim = claimAsync(max, lease, wait).toCompletableFuture();
    try {
      return Waiting.forAnswer(claim);
    } finally {
      claim.cancel(false);
    }
  }

  @Override
  public CompletionStage<List<Delivery<T>>> claimAsync(int max, Duration lease, Duration wait) {
    client.requireOpen();
    Checks.range(max, 1, 1000, "max");
    Settling settling =
        new Settling(
            lanes.queue(), client.env(), lanes.log(), durability, Settling.SettlementWatch.NONE);
    Intake<T> intake = new Intake<>(codec, RetryPolicy.DEFAULT, settling);
    HandClaim<T> claim =
        new HandClaim<>(client, lanes, intake, max, Checks.lease(lease), DueTime.delayMillis(wait));
    return claim.start();
  }

  @Override
  public Optional<StoredMessage<T>> find(String id) {
    return Waiting.forAnswer(findAsync(id));
  }

  @Override
  public CompletionStage<Optional<StoredMessage<T>>> findAsync(String id) {
    return admin.find(id);
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
    return new ClientQueue<>(client, lanes, codec, Objects.requireNonNull(other, "durability"));
  }

  @Override
  public String toString() {
    return "TimedQueue[" + name() + " in " + client.describeStore() + "]";
  }
}
