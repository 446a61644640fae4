package io.punctual.memory;

import io.punctual.embedded.EngineTime;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases what can be claimed: leases that have run out, by their end, then what is due, by its due
 * time. Guarded by the partition's lock.
 */
final class Claims {
  /** How many bytes one reply may hold beside its first message. */
  static final long REPLY_BYTES = 1 << 20;

  /** How many cancelled messages one claim may discard. */
  private static final int MAX_DISCARDS = Partition.MAX_PAGE;

  private final PartitionState partition;

  /** Of the claim under way. */
  private int discards;

  Claims(PartitionState partition) {
    this.partition = partition;
  }

  Reply.Claimed claim(Call.Claim asked, EngineTime now) {
    long token = partition.newToken(now);
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
      partition.lease(item, until, token);
      leased.add(item.toLeased());
    }
    return new Reply.Claimed(
        leased, List.of(), token, now.micros(), now.until(partition.earliest()));
  }

  /** Answers a claim again: with what is left of it. */
  Reply.Claimed again(long token, List<String> ids, EngineTime now) {
    List<Reply.Leased> leased = new ArrayList<>();
    for (String id : ids) {
      Item item = partition.find(id);
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
    if (partition.isPaused()) {
      return null;
    }
    Item expired = partition.firstExpired(nowMillis);
    while (expired != null && expired.cancelled) {
      if (++discards > MAX_DISCARDS) {
        return null;
      }
      partition.remove(expired);
      expired = partition.firstExpired(nowMillis);
    }
    return expired == null ? partition.firstDue(nowMillis) : expired;
  }
}
