package io.punctual.internal.claim;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.LeaseEnd;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.WakeTime;
import io.punctual.internal.partition.Wakeable;
import io.punctual.internal.runtime.Baton;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.session.ClaimCallback;
import io.punctual.internal.session.SessionLostException;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The manual claims of one {@linkplain ClaimLines.Kind kind} that wait for messages of one
 * partition, in the order of their arrival. They share one claim in flight and one {@link
 * WakeTime}, so that a due message costs one call, and not one call for each waiting caller.
 * Members that have not asked the partition yet share the next claim. If a message may be due, the
 * first member claims. While messages stay due, the number of members that share a claim doubles
 * with each claim. The next claim waits until all receivers of the last reply were notified,
 * because receivers often claim again.
 *
 * <p>A line with a {@link ClaimPrefetch} claims messages in advance, and the next members receive
 * them without a call. Messages without a receiver go back to the queue soon. Thread-safe.
 */
final class ClaimLine implements Wakeable, ClaimCallback {
  private static final List<Member> NOBODY = List.of();

  private final Environment env;
  private final PartitionClient partition;
  private final Call.Claim kind;
  private final ReentrantLock lock = new ReentrantLock();

  @SuppressWarnings("GuardedBy") // The baton holds the lock when it calls {@link #act}.
  private final Baton baton = new Baton(lock, this::act);

  private final Runnable claim = this::claim;

  @GuardedBy("lock") private final LineMembers members = new LineMembers();

  @GuardedBy("lock") private final WakeTime next;

  /** Whether the line is registered for hints. */
  @GuardedBy("lock") private boolean registered;

  /** The members that share the claim in flight; empty if there is no claim. */
  @GuardedBy("lock") private List<Member> sharing = NOBODY;

  /** The number of messages that the members of {@link #sharing} want together. */
  @GuardedBy("lock") private int wanted;

  /** The largest number of waiting members that share the next claim. */
  @GuardedBy("lock") private int crowd = 1;

  /** The value of {@link Environment#wallAheadNanos} at the last claim. */
  private volatile long wallAheadNanos;

  private final ClaimPrefetch prefetch;

  /** Runs when the line becomes empty after its last member has left. */
  private final Consumer<ClaimLine> onEmpty;

  /**
   * A manual claim in the line of one partition. The line holds its lock when it calls {@link
   * #reserve}.
   */
  interface Member {
    /** Returns the largest number of messages for this member. */
    int max();

    /**
     * Reserves the member for a claim; returns false if the member is reserved already, waits no
     * more, or has not asked the partition yet.
     */
    boolean reserve();

    /** Returns whether the caller still waits. */
    boolean isWaiting();

    /**
     * Receives this member's part of a reply, which may be empty. The reservation ends when the
     * member has processed this part. Must not throw, because the following members would lose
     * their parts.
     */
    void answered(Reply.Claimed part, ClaimLease lease);

    /** Returns messages without a receiver to the queue; see {@link ClaimMode#giveBack}. */
    CompletableFuture<?> giveBack(Reply.Claimed part, ClaimLease lease);

    /** Ends the reservation, because the claim was never sent. */
    void withdrawn();

    /** Ends the reservation, because the claim has ended without a reply. */
    void failed(RuntimeException reason);
  }

  /**
   * Creates a line.
   *
   * @param kind an example of the line's claims, which have its lease and mode, but not its limit
   * @param prefetch the largest number of messages that wait for a later member; 0 or more
   * @param onEmpty runs without the lock once the line has no members, no claim without a reply,
   *     and no waiting messages
   */
  ClaimLine(
      Environment env,
      PartitionClient partition,
      Call.Claim kind,
      int prefetch,
      Consumer<ClaimLine> onEmpty) {
    this.env = env;
    this.next = new WakeTime(env, this::run);
    this.partition = partition;
    this.kind = kind;
    this.prefetch = new ClaimPrefetch(env, prefetch, this::checkEmpty);
    this.onEmpty = onEmpty;
  }

  /** Adds a member at the end of the line. */
  void add(Member member) {
    lock.lock();
    try {
      members.add(member);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Marks the line as registered for hints, unless it has no members; returns whether the caller
   * must register it now. The registration waits until a member needs hints, because it costs calls
   * of the store.
   */
  boolean awaitsHints() {
    lock.lock();
    try {
      boolean registers = !registered && !members.isEmpty();
      registered |= registers;
      return registers;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks the partition for messages for a reserved member. A claim that is in flight already does
   * not serve the member.
   */
  void ask(Member member) {
    lock.lock();
    try {
      members.ask(member);
    } finally {
      lock.unlock();
    }
    run();
  }

  /** Removes a member; returns whether the line has no other members. */
  boolean remove(Member member) {
    lock.lock();
    try {
      members.remove(member);
      if (!members.isEmpty()) {
        return false;
      }
      registered = false;
      next.cancelTimer();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the line has no members, no claim in flight, and no prefetch. */
  boolean isEmpty() {
    lock.lock();
    try {
      return members.isEmpty() && !members.isAsking() && sharing.isEmpty() && prefetch.isIdle();
    } finally {
      lock.unlock();
    }
  }

  private void checkEmpty() {
    if (isEmpty()) {
      onEmpty.accept(this);
    }
  }

  CompletableFuture<?> close() {
    return prefetch.close();
  }

  /**
   * Handles the removal of a member. If the member does not share a claim yet, its reservation
   * ends. If the claim was not sent yet, and no member that shares it waits any more, the claim is
   * withdrawn; the other members then claim, because a message may be due.
   */
  void removed(Member member) {
    boolean neverAsked;
    lock.lock();
    try {
      neverAsked = members.stopAsking(member);
    } finally {
      lock.unlock();
    }
    if (neverAsked) {
      member.withdrawn();
    }
    withdrawUseless();
    checkEmpty();
  }

  private void withdrawUseless() {
    List<Member> useless;
    lock.lock();
    try {
      useless = sharing;
      if (useless.isEmpty()
          || useless.stream().anyMatch(Member::isWaiting)
          || !partition.session().withdraw(this)) {
        return;
      }
      sharing = List.of();
    } finally {
      lock.unlock();
    }
    useless.forEach(Member::withdrawn);
    wake(0);
  }

  @Override
  public void wake(long untilNextMicros) {
    lock.lock();
    try {
      next.lower(env.nanoTime(), untilNextMicros);
    } finally {
      lock.unlock();
    }
    run();
  }

  /**
   * If no claim is in flight, hands out the messages that wait for a member. Then claims if a
   * member asks or the wake time has come, otherwise sets the timer.
   */
  void run() {
    baton.run();
  }

  @GuardedBy("lock") private void act() {
    if (!sharing.isEmpty() || members.isEmpty()) {
      return;
    }
    while (prefetch.hasMessages()) {
      Member member = members.firstReserved();
      if (member == null) {
        return;
      }
      ClaimPrefetch.@Nullable Stock part = prefetch.take(member.max());
      if (part == null) {
        members.ask(member);
        break;
      }
      baton.unlocked(() -> member.answered(part.claimed(), part.lease()));
    }
    boolean isDue = next.hasCome(env.nanoTime());
    List<Member> chosen = new ArrayList<>();
    int limit = isDue ? members.addWaiting(chosen, crowd) : 0;
    limit = members.addAsking(chosen, limit);
    if (!chosen.isEmpty()) {
      sharing = chosen;
      wanted = limit;
      next.clear();
      baton.unlocked(claim);
    } else if (!isDue && next.isKnown()) {
      // If the timer is closed, the members wait until a hint arrives or the client closes.
      boolean unused = next.setTimer();
    }
  }

  /** Sends the claim that {@link #sharing} share. */
  private void claim() {
    try {
      int limit;
      lock.lock();
      try {
        limit = wanted;
      } finally {
        lock.unlock();
      }
      int most = Math.min(Partition.MAX_PAGE, limit + prefetch.ask());
      wallAheadNanos = env.wallAheadNanos();
      partition.session().claim(new Call.Claim(most, kind.leaseMillis(), kind.atMostOnce()), this);
    } catch (Throwable e) {
      failed(new SessionLostException());
      throw e;
    }
  }

  @Override
  public void claimed(Reply.Claimed claimed, long firstSentNanos) {
    boolean moreAreDue = !claimed.messages().isEmpty() && claimed.untilNextMicros() == 0;
    try {
      ClaimLease lease =
          ClaimLease.of(claimed, partition.session(), end(firstSentNanos), env.nanoTime());
      handOver(claimed, lease, moreAreDue);
    } catch (Throwable e) {
      failed(new SessionLostException());
      throw e;
    }
    try {
      partition.claimed(claimed);
    } finally {
      List<Member> unused = end(claimed.untilNextMicros(), moreAreDue);
      run();
      checkEmpty();
    }
  }

  private LeaseEnd end(long firstSentNanos) {
    long nanos = firstSentNanos + TimeUnit.MILLISECONDS.toNanos(kind.leaseMillis());
    return new LeaseEnd(nanos, wallAheadNanos);
  }

  /**
   * Distributes the messages of a reply, except those that the prefetch keeps: first to members
   * that still wait, then to the other members, which return their messages to the queue.
   */
  private void handOver(Reply.Claimed claimed, ClaimLease lease, boolean moreAreDue) {
    Map<Boolean, List<Member>> byWaiting =
        sharing().stream().collect(Collectors.partitioningBy(Member::isWaiting));
    List<Member> receivers = new ArrayList<>(byWaiting.getOrDefault(true, List.of()));
    receivers.addAll(byWaiting.getOrDefault(false, List.of()));
    List<Reply.Unreadable> unreadable = claimed.unreadable();
    ClaimPrefetch.Stock all = new ClaimPrefetch.Stock(claimed, lease, receivers.get(0));
    int end = prefetch.keepRest(all, receivers.stream().mapToInt(Member::max).sum(), moreAreDue);
    int from = 0;
    for (int i = 0; i < receivers.size(); i++) {
      Member receiver = receivers.get(i);
      int to = i == receivers.size() - 1 ? end : Math.min(end, from + receiver.max());
      receiver.answered(all.part(from, to, unreadable).claimed(), lease);
      from = to;
      unreadable = List.of();
    }
  }

  private List<Member> sharing() {
    lock.lock();
    try {
      return sharing;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void failed(RuntimeException reason) {
    end(0, false).forEach(member -> member.failed(reason));
    run();
    checkEmpty();
  }

  /** Ends the claim in flight; returns the members that shared it. */
  private List<Member> end(long untilNextMicros, boolean moreAreDue) {
    lock.lock();
    try {
      List<Member> shared = sharing;
      sharing = NOBODY;
      crowd = moreAreDue ? Math.min(2 * crowd, Partition.MAX_PAGE) : 1;
      next.lower(env.nanoTime(), untilNextMicros);
      return shared;
    } finally {
      lock.unlock();
    }
  }
}
