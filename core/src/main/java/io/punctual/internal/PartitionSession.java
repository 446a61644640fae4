package io.punctual.internal;

import io.punctual.ClientBusyException;
import io.punctual.ClientClosedException;
import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's ordered conversation with one partition, in which every operation takes effect once,
 * however often calls and answers are lost.
 *
 * <p><b>Gathering.</b> What is asked for while calls are under way waits for the next one, which
 * takes all that has come by then. So one thread keeps its latency, and many share a round trip.
 * Claims are calls of their own; claims and operations take turns. A partition that {@linkplain
 * Partition#prefersBatching gathers} has one small call at a time, and the next is sent when all
 * who waited for the last were told: who asks again then shares it. Of others two are under way.
 * What nobody waits for, the acks of handlers that have ended, lingers for up to a millisecond
 * before such a partition, or until a call leaves that it can go with: a thousand calls a second
 * are fewer than one for each answer.
 *
 * <p><b>Numbers.</b> Calls are numbered, and {@link #flights} holds those without an answer, in
 * order. When one fails or meets a {@link Reply.Gap}, nothing new is sent; once no sending is under
 * way, all flights are sent again in order under their numbers, and the partition answers from
 * memory what it has carried out already.
 *
 * <p><b>A lost session</b> ({@link Reply.NoSession}, or a gap that shows that the partition has
 * forgotten what it confirmed) is replaced by a new one. Flights that the partition certainly never
 * ran in the history it now lives in are sent again; of the others, settlements are too (their
 * token makes that harmless), claims are abandoned, and the rest end as "outcome unknown".
 *
 * <p><b>A queue with another number of partitions</b> than the client believes refuses everything;
 * then nothing is sent any more, and what waits moves to the sessions of the right partitions.
 *
 * <p><b>Threads.</b> {@link #lock} guards all state. Only the thread that holds {@link #pumping}
 * calls the partition, without the lock, so calls leave in the order of their numbers, and a
 * partition that answers at once does not recurse. Whoever waits is told without the lock and after
 * the next call has left. Thread-safe.
 */
final class PartitionSession {
  private static final Logger log = LoggerFactory.getLogger(PartitionSession.class);
  private static final int FLIGHTS = 64;
  private static final String NO_CONFIRMATION = "no confirmation within the operation time-out";
  private static final String CLOSED_EARLY = "the client was closed before a confirmation";
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum Phase {
    /**
     * The partition has no session for this client; one is opened as soon as there is something to
     * do.
     */
    ABSENT,
    /** A session is being opened. */
    OPENING,
    /** Calls go out. */
    OPEN,
    /** A call failed; waits until no sending is under way. */
    REPAIRING,
    /** Waits before trying again. */
    PAUSING,
    /**
     * The queue has another number of partitions than this client believes: nothing is sent any
     * more, and what is asked for waits until {@link #moveTo} says where to.
     */
    MISLED
  }

  private record ClaimRequest(Call.Claim claim, ClaimCallback ticket) {}

  private final Partition partition;
  private final Environment env;
  private final StoreHealth health;
  private final String client;
  private final ReentrantLock lock = new ReentrantLock();

  private Phase phase = Phase.ABSENT;
  private final OperationQueue operations;
  private final ArrayDeque<ClaimRequest> claims = new ArrayDeque<>();
  private final ArrayDeque<InFlightCall> flights = new ArrayDeque<>();
  private final UnconfirmedCalls unconfirmed = new UnconfirmedCalls();
  private final Tidings tidings;
  private volatile @Nullable Thread pumping;

  /** How many threads are telling those whose next operations are to share a call. */
  private int telling;

  /** Whether the last call was a claim, so that it is the operations' turn. */
  private boolean claimedLast;

  private int sessions;
  private String session = "";
  private @Nullable String lostSession;
  private long nextNumber = 1;
  private long highestAnswered;

  /** In a repair: the session is gone. */
  private boolean sessionLost;

  /** In a repair: numbers from here on were never run in the partition's present history. */
  private long neverRunFrom = Long.MAX_VALUE;

  /** Where everything goes from now on, and why. */
  private @Nullable Function<String, PartitionSession> successors;

  private Partition.@Nullable PartitionCountException mistake;
  private final CompletableFuture<@Nullable Void> moved = new CompletableFuture<>();
  private final Runnable misled;

  private int failuresInARow;
  private boolean sweeping;
  private boolean lingering;
  private @Nullable CompletableFuture<@Nullable Void> closing;

  /** Creates one whose sessions' ids begin with {@code client}, which is unique to this client. */
  PartitionSession(Partition partition, Environment env, StoreHealth health, String client) {
    this(partition, env, health, client, () -> {});
  }

  /** The same; {@code misled} is told when the partition says that the queue has another number. */
  PartitionSession(
      Partition partition, Environment env, StoreHealth health, String client, Runnable misled) {
    this.misled = misled;
    this.operations = new OperationQueue(env.backlog());
    this.partition = partition;
    this.tidings = new Tidings(partition.queue());
    this.env = env;
    this.health = health;
    this.client = client;
  }

  /** Asks for a change. The ticket may be told before this returns. */
  void submit(Operation operation, @Nullable Durability durability, OperationCallback ticket) {
    submit(List.of(operation), durability, List.of(ticket));
  }

  /** Asks for changes in this order, one ticket each. */
  void submit(
      List<Operation> those, @Nullable Durability durability, List<OperationCallback> tickets) {
    long deadline = env.nanoTime() + env.operationTimeoutNanos();
    lock.lock();
    try {
      RuntimeException refusal = refusal(those);
      for (int i = 0; i < those.size(); i++) {
        OperationCallback ticket = tickets.get(i);
        if (refusal == null && ticket.isWithdrawn()) {
          tellNotDone(new InFlightCall.PendingOperation(those.get(i), ticket, deadline));
        } else if (refusal == null) {
          operations.add(
              new InFlightCall.PendingOperation(those.get(i), ticket, deadline), durability);
        } else {
          tidings.add(() -> ticket.failed(refusal));
        }
      }
      sweepLater();
    } finally {
      lock.unlock();
    }
    pump();
  }

  /** Asks for a settlement whose answer nobody waits for. */
  void submitPatiently(
      Operation.Settlement settlement, @Nullable Durability durability, OperationCallback ticket) {
    if (!partition.prefersBatching()) {
      submit(settlement, durability, ticket);
      return;
    }
    long deadline = env.nanoTime() + env.operationTimeoutNanos();
    boolean first = false;
    lock.lock();
    try {
      RuntimeException refusal = refusal(List.of(settlement));
      if (refusal == null) {
        operations.addPatient(
            new InFlightCall.PendingOperation(settlement, ticket, deadline), durability);
        if (operations.size() >= Math.min(Partition.MANY_OPERATIONS, env.operationLimit() / 2)) {
          operations.hurry();
        }
        first = !lingering && !operations.isUrgent();
        lingering |= first;
      } else {
        tidings.add(() -> ticket.failed(refusal));
      }
      sweepLater();
    } finally {
      lock.unlock();
    }
    if (first) {
      linger();
    }
    pump();
  }

  private void linger() {
    try {
      env.timer().schedule(LINGER_NANOS, this::lingered);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the client", timerClosed);
      lingered();
    }
  }

  private void lingered() {
    lock.lock();
    try {
      lingering = false;
    } finally {
      lock.unlock();
    }
    hurry();
  }

  /** Lets what lingers leave as soon as it can. */
  void hurry() {
    lock.lock();
    try {
      operations.hurry();
    } finally {
      lock.unlock();
    }
    pump();
  }

  /** A batch is taken whole or not at all; a settlement is always taken. */
  private @Nullable RuntimeException refusal(List<Operation> those) {
    if (closing != null) {
      return closed();
    }
    boolean settles = !those.isEmpty() && those.get(0) instanceof Operation.Settlement;
    return settles || operations.size() < env.operationLimit()
        ? null
        : new ClientBusyException(
            "Queue '"
                + partition.queue()
                + "' has "
                + operations.size()
                + " operations waiting for the store and accepts no more; nothing was done. Wait"
                + " for answers before you send more, or raise the client's operationLimit");
  }

  /** Asks for messages. The ticket may be told before this returns. */
  void claim(int limit, long leaseMillis, ClaimCallback ticket) {
    lock.lock();
    try {
      Partition.PartitionCountException elsewhere = mistake;
      if (elsewhere != null) {
        tidings.add(() -> ticket.abandoned(elsewhere));
      } else if (closing == null) {
        claims.add(new ClaimRequest(new Call.Claim(limit, leaseMillis), ticket));
      } else {
        tidings.add(() -> ticket.abandoned(closed()));
      }
    } finally {
      lock.unlock();
    }
    pump();
  }

  /**
   * Takes a claim back that no call carries yet; returns whether it was. Its ticket is not told.
   */
  boolean withdraw(ClaimCallback ticket) {
    lock.lock();
    try {
      return claims.removeIf(request -> request.ticket() == ticket);
    } finally {
      lock.unlock();
    }
  }

  private static RuntimeException closed() {
    return new ClientClosedException("The client is closed; nothing was done. Open another one");
  }

  private void pump() {
    List<Runnable> news;
    lock.lock();
    try {
      if (pumping == Thread.currentThread()) {
        return;
      }
      if (pumping == null) {
        sendAll();
      }
      news = tidings.take();
    } finally {
      lock.unlock();
    }
    tidings.run(news);
  }

  /** Sends what can be sent; the lock is held, and given up while the partition is called. */
  private void sendAll() {
    pumping = Thread.currentThread();
    try {
      for (Runnable step = nextStep(); step != null; step = nextStep()) {
        lock.unlock();
        try {
          step.run();
        } finally {
          lock.lock();
        }
      }
    } finally {
      pumping = null;
    }
  }

  private @Nullable Runnable nextStep() {
    if (successors != null && (phase == Phase.MISLED || flights.isEmpty())) {
      return moving(successors);
    }
    return switch (phase) {
      case ABSENT -> hasWork() ? open() : finishClosing();
      case OPEN -> nextSending();
      case OPENING, REPAIRING, PAUSING -> null;
      case MISLED -> finishClosing();
    };
  }

  private boolean hasWork() {
    return !flights.isEmpty() || !operations.isEmpty() || !claims.isEmpty();
  }

  private Runnable open() {
    phase = Phase.OPENING;
    String id = client + Integer.toString(sessions, Character.MAX_RADIX);
    String replaces = lostSession;
    return () ->
        stage(() -> partition.openSession(id, replaces))
            .whenComplete((nothing, error) -> arrived(() -> opened(id, error)));
  }

  private @Nullable Runnable nextSending() {
    for (InFlightCall flight : flights) {
      if (!flight.inFlight) {
        return sending(flight);
      }
    }
    InFlightCall flight = nextFlight();
    if (flight == null) {
      return hasWork() ? null : finishClosing();
    }
    flight.number = nextNumber++;
    flights.add(flight);
    return sending(flight);
  }

  private @Nullable InFlightCall nextFlight() {
    if (flights.size() >= FLIGHTS || successors != null) {
      return null;
    }
    boolean operationsNext = claims.isEmpty() || claimedLast;
    if (operationsNext && operations.isUrgent() && telling == 0 && mayApply()) {
      claimedLast = false;
      return operations.takeFlight(partition.operationsPerCall());
    }
    ClaimRequest request = claims.poll();
    if (request == null) {
      return null;
    }
    claimedLast = true;
    operations.hurry();
    return InFlightCall.of(request.claim(), request.ticket());
  }

  /** Many calls that wait for a confirmation hold up the next one. */
  private boolean mayApply() {
    return unconfirmed.operations() < env.operationLimit()
        && InFlightCall.mayApply(flights, partition.prefersBatching());
  }

  private Runnable sending(InFlightCall flight) {
    flight.inFlight = true;
    flight.answeredWhenSent = highestAnswered;
    if (!flight.sent) {
      flight.sent = true;
      flight.firstSentNanos = env.nanoTime();
    }
    Call call =
        new Call(
            session, flight.number, flights.element().number, flight.body(), flight.mayHaveRun);
    return () ->
        stage(() -> partition.call(call))
            .whenComplete((reply, error) -> arrived(() -> ended(flight, reply, error)));
  }

  /** An answer comes on the thread that asked, if it is there already, or on the store's own. */
  private void arrived(Runnable answer) {
    if (pumping == Thread.currentThread()) {
      answer.run();
    } else {
      BlockingGuard.owned(answer);
    }
  }

  /** A question to a store. */
  interface Asking<T> {
    CompletionStage<T> ask();
  }

  /** Asks; what is thrown instead of an answer fails the stage. */
  static <T> CompletionStage<T> stage(Asking<T> asking) {
    try {
      return asking.ask();
    } catch (Throwable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void opened(String id, @Nullable Throwable error) {
    lock.lock();
    try {
      if (error == null) {
        session = id;
        lostSession = null;
        phase = Phase.OPEN;
        well();
      } else {
        openFailed(StoreFailures.unwrap(error));
      }
    } finally {
      lock.unlock();
    }
    pump();
  }

  private void openFailed(Throwable failure) {
    if (failure instanceof Partition.PartitionCountException count) {
      misled(count);
      return;
    }
    phase = Phase.ABSENT;
    if (failure instanceof Partition.PartitionException refused) {
      flights.forEach(flight -> refuse(flight, refused));
      flights.clear();
      refuseAll(refused);
    }
    trouble(failure);
    pause();
  }

  private void ended(InFlightCall flight, @Nullable Reply reply, @Nullable Throwable error) {
    lock.lock();
    try {
      flight.inFlight = false;
      // Whom a claim tells has work to do first; whom an operation tells may ask again at once.
      boolean carries = flight.operations() > 0;
      if (reply != null) {
        answered(flight, reply);
      } else {
        failed(
            flight,
            error == null ? new PunctualException("no reply") : StoreFailures.unwrap(error));
      }
      if (phase == Phase.REPAIRING && flights.stream().noneMatch(f -> f.inFlight)) {
        repair();
      }
      if (partition.prefersBatching() && carries) {
        tellFirst();
      }
    } finally {
      lock.unlock();
    }
    pump();
  }

  /** The lock is held, and given up meanwhile. */
  private void tellFirst() {
    List<Runnable> news = tidings.take();
    telling++;
    lock.unlock();
    try {
      tidings.run(news);
    } finally {
      lock.lock();
      telling--;
    }
  }

  private void answered(InFlightCall flight, Reply reply) {
    if (reply instanceof Reply.Applied applied) {
      arrived(flight);
      tellPassengers(flight, applied);
    } else if (reply instanceof Reply.Claimed claimed) {
      arrived(flight);
      ClaimCallback ticket = flight.claimTicket();
      if (ticket != null) {
        tidings.add(() -> ticket.claimed(claimed, flight.firstSentNanos));
      }
    } else if (reply instanceof Reply.Gap gap) {
      if (gap.expected() <= flight.answeredWhenSent) {
        sessionLost = true;
        neverRunFrom = Math.min(neverRunFrom, gap.expected());
      }
      phase = Phase.REPAIRING;
    } else if (reply instanceof Reply.NoSession) {
      sessionLost = true;
      phase = Phase.REPAIRING;
    } else {
      flights.remove(flight);
      giveUp(flight, true);
    }
  }

  private void arrived(InFlightCall flight) {
    flights.remove(flight);
    highestAnswered = Math.max(highestAnswered, flight.number);
    failuresInARow = 0;
    well();
  }

  private void well() {
    if (health.isTroubled(this)) {
      tidings.add(() -> health.answered(this, partition.queue()));
    }
  }

  /**
   * An extension counts once it is carried out: it is trusted as the claim was, which no replica
   * confirms either.
   */
  private void tellPassengers(InFlightCall flight, Reply.Applied applied) {
    CompletionStage<@Nullable String> confirmation = applied.confirmation();
    List<InFlightCall.PendingOperation> waiting = new ArrayList<>();
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < flight.operations(); i++) {
      InFlightCall.PendingOperation passenger = flight.passengers().get(i);
      Outcome outcome = applied.outcomes().get(i);
      if (confirmation == null || passenger.operation() instanceof Operation.Extend) {
        long sent = flight.firstSentNanos;
        tidings.add(() -> passenger.ticket().completed(outcome, sent));
      } else {
        waiting.add(passenger);
        outcomes.add(outcome);
      }
    }
    if (confirmation != null && !waiting.isEmpty()) {
      var call = new UnconfirmedCalls.Unconfirmed(waiting, outcomes, flight.firstSentNanos);
      unconfirmed.add(call);
      tidings.add(() -> awaitConfirmation(call, confirmation));
    }
  }

  private void awaitConfirmation(
      UnconfirmedCalls.Unconfirmed call, CompletionStage<@Nullable String> confirmation) {
    CompletionStage<?> unused =
        confirmation.whenComplete(
            (why, failure) ->
                arrived(() -> confirmed(call, failure == null ? why : reason(failure))));
  }

  private static String reason(Throwable failure) {
    return StoreFailures.forReport(failure).toString();
  }

  private void confirmed(UnconfirmedCalls.Unconfirmed call, @Nullable String why) {
    lock.lock();
    try {
      if (unconfirmed.remove(call)) {
        tidings.addAll(call.callbacks(partition.queue(), why));
        if (partition.prefersBatching()) {
          tellFirst();
        }
      }
    } finally {
      lock.unlock();
    }
    pump();
  }

  private void failed(InFlightCall flight, Throwable failure) {
    if (failure instanceof Partition.PartitionCountException count) {
      mistake = count;
      phase = Phase.REPAIRING;
      return;
    }
    if (failure instanceof Partition.PartitionException refused) {
      refuse(flight, refused);
    } else if (failure instanceof Partition.NotSentException) {
      flight.sent = flight.mayHaveRun;
    } else {
      flight.mayHaveRun = true;
      flight.failure = failure;
    }
    trouble(failure);
    phase = Phase.REPAIRING;
  }

  private void trouble(Throwable failure) {
    if (closing == null || !(failure instanceof Partition.NotSentException)) {
      tidings.add(() -> health.failed(this, partition.queue(), failure));
    }
  }

  /** The partition will not do it. Its number still has to be used, by a call that does nothing. */
  private void refuse(InFlightCall flight, Partition.PartitionException refused) {
    if (flight.isEmpty()) {
      refuseAll(refused);
      return;
    }
    for (InFlightCall.PendingOperation passenger : flight.passengers()) {
      if (flight.mayHaveRun) {
        RuntimeException failure = unknown(passenger, flight);
        tidings.add(() -> passenger.ticket().failed(failure));
      } else {
        refuse(passenger, refused);
      }
    }
    ClaimCallback claim = flight.claimTicket();
    if (claim != null) {
      tidings.add(() -> claim.abandoned(refused));
    }
    flight.empty();
  }

  private void refuse(
      InFlightCall.PendingOperation passenger, Partition.PartitionException refused) {
    RuntimeException failure =
        InFlightCall.refused(passenger.operation(), partition.queue(), refused);
    tidings.add(() -> passenger.ticket().failed(failure));
  }

  private void refuseAll(Partition.PartitionException refused) {
    operations.drain(passenger -> refuse(passenger, refused));
    for (ClaimRequest request : claims) {
      tidings.add(() -> request.ticket().abandoned(refused));
    }
    claims.clear();
  }

  /** Fails the operations whose callers have withdrawn them, if they were certainly not sent. */
  void dropWithdrawn() {
    lock.lock();
    try {
      operations.dropWithdrawn(this::tellNotDone);
      flights.forEach(flight -> flight.dropWithdrawn(this::tellNotDone));
    } finally {
      lock.unlock();
    }
    pump();
  }

  private void repair() {
    flights.forEach(flight -> flight.dropWithdrawn(this::tellNotDone));
    Partition.PartitionCountException elsewhere = mistake;
    if (elsewhere != null) {
      misled(elsewhere);
      return;
    }
    if (sessionLost) {
      startAfresh();
    } else {
      phase = Phase.OPEN;
    }
    pause();
  }

  private void misled(Partition.PartitionCountException why) {
    phase = Phase.MISLED;
    mistake = why;
    well();
    for (ClaimRequest request : claims) {
      tidings.add(() -> request.ticket().abandoned(why));
    }
    claims.clear();
    if (successors == null) {
      tidings.add(misled);
    }
  }

  /**
   * Hands everything that waits here, in its order, to the sessions of the partitions that the
   * queue has in truth, and all that is asked for here later; calls under way are waited for.
   *
   * @param there the session for an id
   * @param why what claims are told
   * @return completes when nothing waits here any more
   */
  CompletableFuture<@Nullable Void> moveTo(
      Function<String, PartitionSession> there, Partition.PartitionCountException why) {
    lock.lock();
    try {
      successors = there;
      mistake = mistake == null ? why : mistake;
      for (ClaimRequest request : claims) {
        tidings.add(() -> request.ticket().abandoned(why));
      }
      claims.clear();
    } finally {
      lock.unlock();
    }
    pump();
    return moved;
  }

  private @Nullable Runnable moving(Function<String, PartitionSession> there) {
    List<Runnable> moves = new ArrayList<>();
    for (InFlightCall flight : flights) {
      if (!flight.mayHaveRun || keepSettlements(flight)) {
        flight.passengers().forEach(p -> moves.add(moving(p, flight.durability(), there)));
        ClaimCallback claim = flight.claimTicket();
        if (claim != null) {
          tidings.add(() -> claim.abandoned(mistake));
        }
      }
    }
    flights.clear();
    operations.drain((passenger, durability) -> moves.add(moving(passenger, durability, there)));
    if (!moves.isEmpty()) {
      return () -> moves.forEach(Runnable::run);
    }
    if (!moved.isDone()) {
      tidings.add(() -> moved.complete(null));
    }
    return finishClosing();
  }

  private static Runnable moving(
      InFlightCall.PendingOperation passenger,
      @Nullable Durability durability,
      Function<String, PartitionSession> there) {
    Operation operation = passenger.operation();
    return () -> there.apply(operation.id()).submit(operation, durability, passenger.ticket());
  }

  private void startAfresh() {
    Iterator<InFlightCall> each = flights.iterator();
    while (each.hasNext()) {
      InFlightCall flight = each.next();
      boolean maybeRun = flight.mayHaveRun && flight.number < neverRunFrom;
      if (flight.isEmpty() || (maybeRun && !keepSettlements(flight))) {
        each.remove();
      }
      flight.sent = false;
      flight.settledBefore |= maybeRun;
      flight.mayHaveRun = false;
    }
    nextNumber = 1;
    for (InFlightCall flight : flights) {
      flight.number = nextNumber++;
    }
    // A session that the partition does not grant may be the session of another client.
    lostSession = neverRunFrom == Long.MAX_VALUE ? null : session;
    sessions++;
    highestAnswered = 0;
    sessionLost = false;
    neverRunFrom = Long.MAX_VALUE;
    phase = Phase.ABSENT;
  }

  /** Gives up what would take effect twice if sent again; returns whether anything is left. */
  private boolean keepSettlements(InFlightCall flight) {
    List<InFlightCall.PendingOperation> settlements = new ArrayList<>();
    for (InFlightCall.PendingOperation passenger : flight.passengers()) {
      if (passenger.operation() instanceof Operation.Settlement) {
        settlements.add(passenger);
      } else {
        RuntimeException failure = unknown(passenger, flight);
        tidings.add(() -> passenger.ticket().failed(failure));
      }
    }
    ClaimCallback claim = flight.claimTicket();
    if (claim != null) {
      tidings.add(() -> claim.abandoned(null));
    }
    if (settlements.isEmpty()) {
      return false;
    }
    flight.keep(settlements);
    return true;
  }

  /** Goes on at once after a first failure, and after a growing pause when they repeat. */
  private void pause() {
    Phase then = phase;
    int failures = failuresInARow++;
    if (failures == 0) {
      return;
    }
    long bound = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures - 1, 20));
    phase = Phase.PAUSING;
    long nanos = bound / 2 + env.randomGenerator().nextLong(bound / 2 + 1);
    tidings.add(() -> env.timer().schedule(nanos, () -> resume(then)));
  }

  private void resume(Phase then) {
    lock.lock();
    try {
      if (phase == Phase.PAUSING) {
        phase = then;
      }
    } finally {
      lock.unlock();
    }
    pump();
  }

  private void sweepLater() {
    if (!sweeping && !(operations.isEmpty() && flights.isEmpty() && unconfirmed.isEmpty())) {
      sweeping = true;
      long nanos = Math.max(0, firstDeadline() - env.nanoTime());
      tidings.add(() -> env.timer().schedule(nanos, this::sweep));
    }
  }

  private long firstDeadline() {
    long latest = env.nanoTime() + env.operationTimeoutNanos();
    return InFlightCall.firstDeadline(
        flights, unconfirmed.firstDeadline(operations.firstDeadline(latest)));
  }

  private void sweep() {
    lock.lock();
    try {
      sweeping = false;
      long now = env.nanoTime();
      operations.expire(now, this::tellNotDone);
      unconfirmed
          .removeExpired(now)
          .forEach(call -> tidings.addAll(call.callbacks(partition.queue(), NO_CONFIRMATION)));
      for (InFlightCall flight : flights) {
        if (flight.operations() > 0 && flight.deadlineNanos() - now <= 0) {
          giveUp(flight, false);
          flight.empty();
        }
      }
      sweepLater();
    } finally {
      lock.unlock();
    }
    pump();
  }

  private void tellNotDone(InFlightCall.PendingOperation passenger) {
    RuntimeException failure = notDone(passenger);
    tidings.add(() -> passenger.ticket().failed(failure));
  }

  private RuntimeException notDone(InFlightCall.PendingOperation passenger) {
    return closing == null
        ? InFlightCall.notDone(passenger.operation(), partition.queue())
        : InFlightCall.closed(passenger.operation(), partition.queue());
  }

  private RuntimeException unknown(InFlightCall.PendingOperation passenger, InFlightCall flight) {
    return InFlightCall.unknown(passenger.operation(), partition.queue(), flight.failure);
  }

  private void giveUp(InFlightCall flight, boolean unknown) {
    for (InFlightCall.PendingOperation passenger : flight.passengers()) {
      RuntimeException failure =
          unknown || !flight.isCertainlyNotRun() ? unknown(passenger, flight) : notDone(passenger);
      tidings.add(() -> passenger.ticket().failed(failure));
    }
    ClaimCallback claim = flight.claimTicket();
    if (claim != null) {
      tidings.add(() -> claim.abandoned(null));
    }
  }

  /**
   * Takes nothing more, and completes when everything that was asked for has its answer, or when
   * the time is over; then what has none is told so.
   */
  CompletableFuture<@Nullable Void> close(Duration time) {
    CompletableFuture<@Nullable Void> closed;
    lock.lock();
    try {
      if (closing != null) {
        return closing;
      }
      closed = new CompletableFuture<>();
      closing = closed;
      for (ClaimRequest request : claims) {
        tidings.add(() -> request.ticket().abandoned(closed()));
      }
      claims.clear();
      operations.hurry();
      tidings.add(() -> env.timer().schedule(time, this::abandonAll));
    } finally {
      lock.unlock();
    }
    pump();
    return closed;
  }

  private void abandonAll() {
    lock.lock();
    try {
      operations.drain(this::tellNotDone);
      for (InFlightCall flight : flights) {
        giveUp(flight, false);
        flight.empty();
      }
      flights.clear();
      unconfirmed
          .removeAll()
          .forEach(call -> tidings.addAll(call.callbacks(partition.queue(), CLOSED_EARLY)));
      Runnable end = finishClosing();
      if (end != null) {
        tidings.add(end);
      }
    } finally {
      lock.unlock();
    }
    pump();
  }

  private @Nullable Runnable finishClosing() {
    CompletableFuture<@Nullable Void> closed = closing;
    if (closed == null || closed.isDone() || hasWork() || !unconfirmed.isEmpty()) {
      return null;
    }
    String last = session;
    boolean isOpen = phase == Phase.OPEN;
    tidings.add(() -> closed.complete(null));
    closing = CompletableFuture.completedFuture(null);
    return isOpen ? () -> forget(last) : () -> {};
  }

  /** Tells the partition that it may forget the session; if that is lost, it forgets by itself. */
  private void forget(String last) {
    CompletionStage<?> unused = stage(() -> partition.closeSession(last));
  }
}
