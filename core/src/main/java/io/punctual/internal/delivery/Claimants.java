package io.punctual.internal.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The names of those for whom this client claimed the messages that it holds, in the order of the
 * claims. The store does not know the names, so that a claim costs nothing more. Thread-safe.
 */
public final class Claimants {
  /** The largest number of messages whose claimants are known. */
  static final int MOST = 10_000;

  /**
   * How long a name is kept after the end of the lease that this client knows: a different process
   * may have extended the lease.
   */
  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);

  @GuardedBy("this") private final Map<Place, Claim> claims = new LinkedHashMap<>();

  /** The number of claims at which the map is cleaned up next. */
  @GuardedBy("this") private int full = MOST / 10;

  /** When a map that is full may be cleaned up next, on the timer's clock; null if at once. */
  @GuardedBy("this") private @Nullable Long nextCleanUp;

  private record Place(String queue, String id) {}

  /**
   * A claimed message.
   *
   * @param hash the {@link #hash} of the delivery
   * @param name the name of the claimant
   * @param sinceNanos the time of the claim, on the timer's clock
   */
  public record Claim(String hash, String name, HeldLease lease, long sinceNanos) {
    private boolean isOver(long nowNanos) {
      return (lease.isSettled() && !lease.isUncommitted())
          || lease.isKnownLost()
          || lease.remainingNanos(nowNanos) < -KEPT_NANOS;
    }
  }

  /** Returns a short text that differs for almost all deliveries. */
  public static String hash(String queue, String id, int attempt) {
    long hash = attempt;
    for (String part : List.of(queue, id)) {
      for (int i = 0; i < part.length(); i++) {
        hash = 31 * hash + part.charAt(i);
      }
      hash = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
    }
    return Long.toUnsignedString(hash ^ (hash >>> 29), 36);
  }

  /**
   * Notes that messages were claimed.
   *
   * @param name the name of the claimant, or null if it has none
   */
  public synchronized void claimed(
      @Nullable String name, List<? extends ClientDelivery<?>> deliveries, long nowNanos) {
    for (ClientDelivery<?> delivery : deliveries) {
      Place place = new Place(delivery.queue(), delivery.id());
      claims.remove(place);
      if (name != null && hasRoom(nowNanos)) {
        String hash = hash(delivery.queue(), delivery.id(), delivery.attempt());
        claims.put(place, new Claim(hash, name, delivery.held(), nowNanos));
      }
    }
  }

  /** Returns whether no claim is noted. */
  public synchronized boolean isEmpty() {
    return claims.isEmpty();
  }

  @GuardedBy("this") private boolean hasRoom(long nowNanos) {
    if (claims.size() >= full && (nextCleanUp == null || nowNanos - nextCleanUp >= 0)) {
      cleanUp(nowNanos);
      full = Math.min(MOST, Math.max(MOST / 10, 2 * claims.size()));
      nextCleanUp = nowNanos + TimeUnit.SECONDS.toNanos(1);
    }
    return claims.size() < MOST;
  }

  @GuardedBy("this") private void cleanUp(long nowNanos) {
    claims.values().removeIf(each -> each.isOver(nowNanos));
  }

  /** Notes that a message was settled by its id and token. */
  public synchronized void left(String queue, String id) {
    claims.remove(new Place(queue, id));
  }

  /** Returns the name of the claimant of a delivery, or null if it is not known. */
  public synchronized @Nullable String of(String queue, String id, int attempt) {
    Claim claim = claims.get(new Place(queue, id));
    return claim != null && claim.hash().equals(hash(queue, id, attempt)) ? claim.name() : null;
  }

  /** Returns the claims that are not over, the first claim first. */
  public synchronized List<Claim> open(long nowNanos) {
    cleanUp(nowNanos);
    return new ArrayList<>(claims.values());
  }
}
