package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.embedded.WakeUps;
import io.punctual.jdbc.sql.Hints;
import io.punctual.spi.Reply;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Wakes up the claimers of this client. A hint reaches all clients that share a queue, but the
 * claim of one of them is enough: of the client on duty. The other clients do not wake up, unless
 * their safety checks find an overdue message, or their own changes make a message due. A client
 * takes the duty when its claim takes messages of which other clients know as well. If it has no
 * room, it gives the duty up, and each client then waits for a random time of up to 20
 * milliseconds, so that few of them claim before one takes the duty. While a different client is on
 * duty, {@link StandbyPace} makes the safety checks rare.
 *
 * <p>Without notifications of other clients, all hints and times pass unchanged. Thread-safe; the
 * monitor guards all state, and no listener is called under it.
 */
final class Duty {
  /** The range of the waits while nobody is on duty. */
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A message counts as due this number of microseconds before its time. */
  private static final long DUE_MICROS = 10_000;

  /** How long a hint for other clients waits for a claim of this client that makes it needless. */
  private static final long OWN_CLAIM_MILLIS = 250;

  /** A message that is due for this time is overdue: the client on duty does not claim it. */
  private static final long OVERDUE_MILLIS = 200;

  /** The time after which the client on duty notifies the others again, if it claims messages. */
  private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final String queue;
  private final WakeUps wakeUps;
  private final @Nullable Hints others;
  private final String self;
  private final LongSupplier nanoTime;
  private final Timer timer;
  private final LongUnaryOperator random;
  private final StandbyPace pace;

  /** The client on duty, or empty if nobody is. */
  private String onDuty = "";

  /** Whether a different client has been on duty. */
  private boolean isShared;

  /** Whether the claimers wake up at {@link #wakeNanos}. */
  private boolean isHeld;

  private long wakeNanos;

  /**
   * The latest time of the database's clock, in microseconds, at which a reason for the held
   * wake-up was known. A claim that began later has seen the messages.
   */
  private long heldMicros;

  /** The number of own changes by which a message became due. */
  private long dueChanges;

  /** The number of {@link #dueChanges} at the begin of the last claim. */
  private long claimedChanges;

  /** Whether other clients may know of the messages that the next claim takes. */
  private boolean isKnownToOthers = true;

  /** Whether the last check found an overdue message, which this client has not claimed. */
  private boolean isOverdue;

  private long notifiedNanos;

  /**
   * The earliest time of a message that this client knows, in milliseconds from 1970; {@link
   * Long#MAX_VALUE} if there is none.
   */
  private long nextMillis = Long.MAX_VALUE;

  /** Runs tasks after a delay. */
  interface Timer {
    void after(long nanos, Runnable task);
  }

  record Claim(long changes, boolean isKnownToOthers) {}

  /**
   * Creates an instance.
   *
   * @param others the notifications between clients, or null if there are none
   * @param random returns a random number from 0 to its argument
   */
  Duty(
      String queue,
      WakeUps wakeUps,
      @Nullable Hints others,
      LongSupplier nanoTime,
      Timer timer,
      LongUnaryOperator random) {
    this.queue = queue;
    this.wakeUps = wakeUps;
    this.others = others;
    this.self = others == null ? "" : others.client();
    this.nanoTime = nanoTime;
    this.timer = timer;
    this.random = random;
    pace = new StandbyPace(nanoTime, random);
  }

  /**
   * Sends hints after a commit of this client.
   *
   * @param earliestMillis the earliest time at which a changed message can be claimed, or {@link
   *     Long#MAX_VALUE} if there is none
   */
  void changed(long earliestMillis, EngineTime now) {
    if (earliestMillis == Long.MAX_VALUE) {
      return;
    }
    long until = now.until(earliestMillis);
    boolean isDue = until <= DUE_MICROS;
    boolean wakes;
    synchronized (this) {
      dueChanges += isDue ? 1 : 0;
      wakes = isDue || !isOnStandby();
      nextMillis = Math.min(nextMillis, earliestMillis);
    }
    if (others != null) {
      boolean mayClaim = isDue && !wakeUps.isEmpty();
      others.changed(queue, earliestMillis, until, mayClaim ? OWN_CLAIM_MILLIS : 0);
    }
    if (wakes) {
      wakeUps.send(until);
    }
  }

  private boolean isOnStandby() {
    return !onDuty.isEmpty() && !onDuty.equals(self);
  }

  synchronized Claim begin() {
    // Without a change of this client, the claimers woke up at a time that other clients know.
    Claim claim = new Claim(dueChanges, isKnownToOthers || dueChanges == claimedChanges);
    claimedChanges = dueChanges;
    isKnownToOthers = false;
    isOverdue = false;
    nextMillis = Long.MAX_VALUE;
    return claim;
  }

  /**
   * Notes the reply of a claim that met no locked message, and returns the time for the claimers
   * until the next claim, in microseconds: {@link Reply#NONE} if they wait for a hint.
   */
  long claimed(Claim claim, Reply.Claimed reply) {
    long until = reply.untilNextMicros();
    if (others == null || until <= DUE_MICROS) {
      return until;
    }
    boolean took = !reply.messages().isEmpty() || !reply.unreadable().isEmpty();
    // A client that only polls would leave the next messages to nobody.
    boolean isWaiting = !wakeUps.isEmpty();
    boolean notifies;
    synchronized (this) {
      nextMillis = Math.min(nextMillis, millis(reply.engineMicros(), until));
      if (claim.changes == dueChanges) {
        others.withdraw(queue);
      }
      long now = nanoTime.getAsLong();
      boolean isRepeated = onDuty.equals(self) && now - notifiedNanos < REPEAT_NANOS;
      notifies = took && isWaiting && claim.isKnownToOthers && !isRepeated;
      if (notifies) {
        notifiedNanos = now;
      }
    }
    if (notifies) {
      others.onDuty(queue, reply.engineMicros());
      return until;
    }
    return later(until, reply.engineMicros());
  }

  private static long millis(long micros, long until) {
    return until == Reply.NONE ? Long.MAX_VALUE : Math.floorDiv(micros + until, 1_000);
  }

  /** Sets the number of clients with workers of this queue. */
  synchronized void setClients(int clients) {
    pace.setClients(clients);
  }

  /** Returns whether this client makes the safety check of the queue now. */
  synchronized boolean isCheckDue() {
    return !isOnStandby() || pace.isDue();
  }

  /** Notes a safety check that did not fail. */
  synchronized void checked() {
    pace.checked();
  }

  /**
   * Notes the result of a safety check, and returns the time for the claimers until the next claim.
   *
   * @param until the time in microseconds until the next message can be claimed
   * @param firstMillis the time of that message, in milliseconds from 1970
   */
  long checked(long until, long firstMillis, EngineTime now) {
    boolean isLate = until == 0 && now.millis() - firstMillis >= OVERDUE_MILLIS;
    synchronized (this) {
      isKnownToOthers |= isLate;
      isOverdue = isLate;
      nextMillis = Math.min(nextMillis, millis(now.micros(), until));
    }
    return isLate ? 0 : later(until, now.micros());
  }

  private synchronized long later(long until, long micros) {
    if (!isShared || onDuty.equals(self) || wakeUps.isEmpty()) {
      return until;
    }
    if (onDuty.isEmpty() && until != Reply.NONE) {
      hold(until, micros);
    }
    return Reply.NONE;
  }

  /**
   * Receives the hint of a client that has changed messages.
   *
   * @param until the time in microseconds until the first of them can be claimed
   * @param micros the time of the database's clock when the hint was sent
   */
  void changedBy(String client, long until, long micros) {
    if (client.equals(self)) {
      return;
    }
    synchronized (this) {
      isKnownToOthers = true;
      nextMillis = Math.min(nextMillis, millis(micros, until));
      if (until <= DUE_MICROS && client.equals(onDuty)) {
        onDuty = "";
      }
      if (isOnStandby()) {
        return;
      }
      if (isShared && onDuty.isEmpty()) {
        hold(until, micros);
        return;
      }
    }
    wakeUps.send(until);
  }

  /**
   * Receives the notification of a client that has no room for the next messages.
   *
   * @param until the time in microseconds until the next message, or {@link Reply#NONE}
   * @param micros the time of the database's clock when the notification was sent
   */
  synchronized void noRoomAt(String client, long until, long micros) {
    if (client.equals(onDuty) || onDuty.isEmpty()) {
      onDuty = "";
      isKnownToOthers = true;
      if (!client.equals(self)) {
        isShared = true;
        hold(until, micros);
      }
    }
  }

  /**
   * Receives the notification of a client that has taken the duty.
   *
   * @param claimMicros the time of its claim by the database's clock, in microseconds from 1970
   */
  synchronized void takenBy(String client, long claimMicros) {
    if (!isOnStandby()) {
      pace.begin();
    }
    onDuty = client;
    isOverdue = false;
    if (!client.equals(self)) {
      isShared = true;
      isHeld &= heldMicros > claimMicros;
    }
  }

  /**
   * Notes that messages are due for which the claimers of this client have no room. If they are
   * overdue, the client on duty is gone, or has no room either.
   */
  void handOver() {
    if (others != null && !others.sendNow(queue)) {
      boolean all;
      synchronized (this) {
        all = isOverdue;
      }
      giveUp(all, Long.MIN_VALUE);
    }
  }

  /**
   * Gives up the duty if this client is on duty, because its last claimer does not wait any more.
   */
  void stopped() {
    long next;
    synchronized (this) {
      next = nextMillis;
    }
    giveUp(false, next);
  }

  /**
   * Ends the duty of this client.
   *
   * @param all whether to end the duty of a different client, too
   */
  private void giveUp(boolean all, long next) {
    String ended;
    synchronized (this) {
      ended = all || onDuty.equals(self) ? onDuty : "";
      onDuty = ended.isEmpty() ? onDuty : "";
    }
    if (!ended.isEmpty() && others != null) {
      others.noRoom(ended, queue, next);
    }
  }

  /** Forgets the other clients, because notifications may have been lost. */
  void forgetOthers() {
    boolean wasShared;
    synchronized (this) {
      wasShared = isShared;
      isShared = false;
      isHeld = false;
      onDuty = "";
    }
    if (wasShared) {
      wakeUps.send(0);
    }
  }

  /** Holds a wake-up until it is the turn of this client. The caller holds the monitor. */
  private void hold(long until, long micros) {
    long nanos = TimeUnit.MICROSECONDS.toNanos(Math.max(0, until)) + random.applyAsLong(WAIT_NANOS);
    if (until > Hints.SOON_MICROS || wakeUps.isEmpty()) {
      return;
    }
    long at = nanoTime.getAsLong() + nanos;
    heldMicros = isHeld ? Math.max(heldMicros, micros) : micros;
    if (!isHeld || at - wakeNanos < 0) {
      isHeld = true;
      wakeNanos = at;
      timer.after(nanos, this::wake);
    }
  }

  private void wake() {
    synchronized (this) {
      if (!isHeld || wakeNanos - nanoTime.getAsLong() > 0) {
        return;
      }
      isHeld = false;
    }
    wakeUps.send(0);
  }
}
