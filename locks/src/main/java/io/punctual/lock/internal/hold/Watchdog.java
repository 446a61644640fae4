package io.punctual.lock.internal.hold;

import io.punctual.internal.log.Logs;
import io.punctual.lock.internal.client.ClientCard;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockConfirmation;
import io.punctual.lock.internal.client.RequestBatches;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.timer.Timeout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Watches the leases of the locks that a client holds. It renews a lease after a third of its
 * length, unless the options of the lock forbid it; one script renews a batch of leases. It notices
 * when a lease has ended. A lock that was granted to a waiter can have a short first lease, and is
 * then renewed at once. A renewal that fails, or that too few replicas confirm, is repeated until
 * the lease ends. Uses a timer task for each lock, and no thread of its own. Thread-safe.
 */
public final class Watchdog {
  private static final Logger log = Logs.of(Watchdog.class);

  private static final int GRIDS_A_WAIT = 4;
  private static final int RETRIES_A_LEASE = 10;

  private final LockClient client;
  private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
  private final ClientCard card;
  private final RequestBatches<ServerHold> renewing;

  /**
   * Creates a watchdog.
   *
   * @param name the name of this process; may be empty
   */
  Watchdog(LockClient client, String name) {
    this.client = client;
    this.card = new ClientCard(client, name, () -> !holds.isEmpty());
    this.renewing =
        new RequestBatches<>(
            client,
            ServerHold::handle,
            this::renewHeld,
            (hold, error) -> {}); // the planned check of the lease renews it
  }

  public LockClient client() {
    return client;
  }

  /** Returns the card that names this process to operators while it holds locks. */
  public ClientCard card() {
    return card;
  }

  /**
   * Watches a lock from its acquisition to its release or loss. If the lease of a new grant is
   * already due for a renewal, this method sends it, so that the holder does not begin with the
   * short lease of a waiter.
   */
  public void watch(Hold hold) {
    holds.add(hold);
    card.show();
    if (hold instanceof ServerHold first && first.isNewGrant() && isDue(hold)) {
      planCheck(hold);
      renewHeld(List.of(first));
    } else {
      planRenewal(hold);
    }
    if (client.isClosed()) {
      CompletableFuture<?> unused = hold.giveBack();
    }
  }

  void forget(Hold hold) {
    holds.remove(hold);
  }

  /** Returns the locks that the client holds. */
  public Set<Hold> holds() {
    return holds;
  }

  /**
   * Plans the next renewal or, if the lock is not renewed, a look at the end of its lease. The time
   * of a renewal is chosen so that locks of about the same age are renewed at the same moment, by
   * one script.
   */
  private void planRenewal(Hold hold) {
    if (!hold.options().renewed()) {
      plan(hold, hold.remainingNanos());
      return;
    }
    long wait = untilRenewalNanos(hold);
    long grid = Long.highestOneBit(Math.max(1, wait / GRIDS_A_WAIT));
    long early = Math.floorMod(client.nanoTime() + wait, grid);
    plan(hold, client.after(wait - early, () -> renew(hold)));
  }

  private static long untilRenewalNanos(Hold hold) {
    long lease = TimeUnit.MILLISECONDS.toNanos(hold.options().leaseMillis());
    // An extended lease lasts longer, but is renewed as often as before, so that a loss is noticed
    // as soon as before.
    return Math.max(0, Math.min(hold.remainingNanos(), lease) - lease / 3 * 2);
  }

  private static boolean isDue(Hold hold) {
    return hold.options().renewed() && hold.remainingNanos() > 0 && untilRenewalNanos(hold) == 0;
  }

  private void plan(Hold hold, long nanos) {
    plan(hold, client.after(nanos, () -> look(hold)));
  }

  /** Sets the next task for a hold; a hold that can no longer be watched is lost. */
  private void plan(Hold hold, @Nullable Timeout next) {
    hold.plan(next);
    if (next == null && !client.isClosed()) {
      hold.lose("the timer failed, so its lease can't be watched");
    }
  }

  private void look(Hold hold) {
    if (hold.remainingNanos() <= 0) {
      hold.lose("its lease ran out");
    } else if (hold.options().renewed()) {
      renew(hold);
    } else {
      plan(hold, hold.remainingNanos());
    }
  }

  /** Renews the lease, and plans to check it again in case no reply arrives. */
  public void renew(Hold hold) {
    if (hold.remainingNanos() <= 0) {
      look(hold);
      return;
    }
    planCheck(hold);
    hold.renew();
  }

  /** Plans to check a lease again in case that the reply to its renewal does not arrive. */
  private void planCheck(Hold hold) {
    plan(hold, Math.max(hold.remainingNanos() / 2, 1));
  }

  /** Renews a lease together with the leases of other locks. */
  void gather(ServerHold hold) {
    renewing.add(hold);
  }

  /** Renews the locks of a batch that are still held. */
  private void renewHeld(List<ServerHold> batch) {
    List<ServerHold> held = batch.stream().filter(Hold::isHeld).toList();
    if (!held.isEmpty()) {
      renewBatch(held);
    }
  }

  private void renewBatch(List<ServerHold> batch) {
    long sentAt = client.nanoTime();
    client
        .requests()
        .renew(batch.stream().map(ServerHold::handle).toList())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(batch, answer, sentAt);
              } else if (RequestBatches.isOneToBlame(batch, failure)) {
                batch.forEach(one -> renewBatch(List.of(one)));
              } else {
                batch.forEach(this::tryAgain);
              }
            });
  }

  private void answered(List<ServerHold> batch, RedisReply answer, long sentAt) {
    LockReplyReader reply = new LockReplyReader(answer);
    Map<LockOptions, List<ServerHold>> unproven = new HashMap<>();
    for (ServerHold hold : batch) {
      long until = LockLease.until(sentAt, hold.options().leaseMillis());
      if (reply.number() != hold.firstToken()) {
        hold.lose("it expired, or was taken away");
      } else if (hold.options().isDurable()) {
        unproven.computeIfAbsent(hold.options(), options -> new ArrayList<>()).add(hold);
      } else {
        renewed(hold, until);
      }
    }
    unproven.forEach(
        (options, holds) -> confirm(holds, LockLease.until(sentAt, options.leaseMillis())));
  }

  /** Asks for the confirmation of renewals of locks with the same options. */
  private void confirm(List<ServerHold> holds, long until) {
    long millis = LockLease.millisUntil(until, client.nanoTime());
    LockConfirmation.confirm(
            client,
            holds.stream().map(hold -> hold.handle().lasting(millis)).toList(),
            holds.stream().map(ServerHold::firstToken).toList())
        .thenAccept(
            reasons -> {
              for (int i = 0; i < holds.size(); i++) {
                confirmed(holds.get(i), until, reasons.get(i));
              }
            });
  }

  /**
   * Counts a renewal only if the replicas confirm it: a replica that lacks the renewal would end
   * the lease early after a fail-over.
   */
  private void confirmed(Hold hold, long until, @Nullable String why) {
    if (why == null) {
      renewed(hold, until);
    } else {
      log.debug("Lock '{}' was not renewed, as {}", hold.name(), why);
      tryAgain(hold);
    }
  }

  /** Records a confirmed renewal, and plans the next renewal. */
  public void renewed(Hold hold, long until) {
    hold.renewed(until);
    planRenewal(hold);
  }

  /** Plans to repeat a renewal that the server, or enough replicas, did not confirm. */
  public void tryAgain(Hold hold) {
    long lease = TimeUnit.MILLISECONDS.toNanos(hold.options().leaseMillis());
    plan(hold, Math.max(0, Math.min(hold.remainingNanos(), lease / RETRIES_A_LEASE)));
  }
}
