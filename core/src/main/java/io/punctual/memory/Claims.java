package io.punctual.memory;

import io.punctual.spi.Call;
import io.punctual.spi.Lane;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases what can be claimed: leases that have run out, by their end, then what is due, by its due
 * time. Guarded by the lane's lock.
 */
final class Claims {
  /** How many bytes one reply may hold beside its first message. */
  static final long REPLY_BYTES = 1 << 20;

  /** How many cancelled messages one claim may discard. */
  private static final int MAX_DISCARDS = Lane.MAX_PAGE;

  private final LaneState lane;

  /** Of the claim under way. */
  private int discards;

  Claims(LaneState lane) {
    this.lane = lane;
  }

  Reply.Claimed claim(Call.Claim asked, EngineTime now) {
    long token = lane.newToken(now);
    long until = now.millisAfter(asked.leaseMillis());
    List<Reply.Leased> leased = new ArrayList<>();
    long bytes = 0;
    discards = 0;
    while (leased.size() < asked.limit()) {
      Item item = next(now.millis());
      if (item == null) {
        break;
      }
      bytes += leased.isEmpty() ? 0 : item.approximateBytes();
      if (bytes > REPLY_BYTES) {
        break;
      }
      lane.lease(item, until, token);
      leased.add(item.toLeased());
    }
    return new Reply.Claimed(leased, List.of(), token, now.micros(), now.until(lane.earliest()));
  }

  /** Answers a claim again: with what is left of it. */
  Reply.Claimed again(long token, List<String> ids, EngineTime now) {
    List<Reply.Leased> leased = new ArrayList<>();
    for (String id : ids) {
      Item item = lane.find(id);
      if (item != null
          && item.isLeasedUnder(token)
          && !item.cancelled
          && item.time > now.millis()) {
        leased.add(item.toLeased());
      }
    }
    return new Reply.Claimed(leased, List.of(), token, now.micros(), 0);
  }

  private @Nullable Item next(long nowMillis) {
    if (lane.isPaused()) {
      return null;
    }
    Item expired = lane.firstExpired(nowMillis);
    while (expired != null && expired.cancelled) {
      if (++discards > MAX_DISCARDS) {
        return null;
      }
      lane.remove(expired);
      expired = lane.firstExpired(nowMillis);
    }
    return expired == null ? lane.firstDue(nowMillis) : expired;
  }
}
