package io.punctual.memory;

import io.punctual.embedded.ClaimSelection;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.embedded.SessionAnswer;
import io.punctual.embedded.Slots;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;

/** Executes claims, and answers repeated claims. Guarded by the partition's lock. */
final class Claims {
  private final PartitionState partition;
  private final PartitionRules<Operation> rules;
  private final ClaimSelection selection;

  Claims(PartitionState partition, MemoryTable table, PartitionRules<Operation> rules) {
    this.partition = partition;
    this.rules = rules;
    selection = new ClaimSelection(table);
  }

  Reply.Claimed claim(Call.Claim asked, String session, EngineTime now) {
    long token = partition.newToken(now);
    long until = now.millisAfter(asked.leaseMillis());
    List<Reply.Leased> leased = new ArrayList<>();
    int limit = selection.begin(asked.limit(), now);
    while (leased.size() < limit) {
      int slot = selection.next(leased.isEmpty(), now.millis());
      if (slot == Slots.NONE) {
        break;
      }
      Item item = partition.items().get(slot);
      partition.lease(item, until, token);
      item.holder = session;
      leased.add(item.toLeased());
      if (asked.atMostOnce()) {
        partition.remove(item);
      }
    }
    partition.limits().delivered(leased.size(), now);
    boolean isShort = leased.size() < asked.limit() && partition.isShort(now);
    return new Reply.Claimed(
        leased,
        List.of(),
        token,
        now.micros(),
        partition.limits().until(partition.earliest(now), now),
        isShort);
  }

  /**
   * Answers a claim again, with the messages of the first answer that are still claimed, as {@link
   * PartitionRules#isStillClaimed} decides.
   */
  Reply.Claimed again(SessionAnswer.Claimed<?> answer, EngineTime now) {
    List<Reply.Leased> leased = new ArrayList<>();
    for (String id : answer.ids()) {
      Item item = partition.find(id);
      if (item != null && rules.isStillClaimed(item.slot, answer.token(), now)) {
        leased.add(item.toLeased());
      }
    }
    return new Reply.Claimed(leased, List.of(), answer.token(), now.micros(), 0);
  }
}
