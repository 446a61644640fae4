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
import java.util.function.Consumer;

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

  /**
   * Executes a claim.
   *
   * @param remember receives the answer to a repetition, before any message is claimed: if an error
   *     strikes later, the repetition returns the messages that were claimed before the error
   */
  <A> Reply.Claimed claim(
      Call.Claim asked, String session, EngineTime now, Consumer<SessionAnswer<A>> remember) {
    long token = partition.newToken(now);
    long until = now.millisAfter(asked.leaseMillis());
    List<Reply.Leased> leased = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    remember.accept(
        asked.atMostOnce()
            ? new SessionAnswer.Taken<>(
                new Reply.Claimed(leased, List.of(), token, now.micros(), 0))
            : new SessionAnswer.Claimed<>(token, ids));
    int limit = selection.begin(asked.limit(), now);
    while (leased.size() < limit) {
      int slot = selection.next(leased.isEmpty(), now.millis());
      if (slot == Slots.NONE) {
        break;
      }
      Item item = partition.items().get(slot);
      leased.add(item.toLeased(item.attempts + 1));
      if (asked.atMostOnce()) {
        partition.remove(item);
      } else {
        ids.add(item.id);
        partition.lease(item, until, token);
        item.holder = session;
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
        leased.add(item.toLeased(item.attempts));
      }
    }
    return new Reply.Claimed(leased, List.of(), answer.token(), now.micros(), 0);
  }
}
