package io.punctual.kit.simulation;

import io.punctual.kit.simulation.Engine.PartitionId;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Operation.Settlement;
import io.punctual.spi.Reply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that clients follow the session protocol. All calls of a session with the same number have
 * the same body or no operations. A client releases the stored answer to a call only after the
 * answer has arrived. Only settlements may be applied twice. Not thread-safe.
 */
final class ProtocolJudge {
  private final List<String> complaints;
  private final Map<Session, Long> lastNumbers = new HashMap<>();
  private final Map<Session, Map<Long, Call.Body>> bodies = new HashMap<>();
  private final Map<Session, Set<Long>> arrived = new HashMap<>();
  private final IdentityHashMap<Operation, Boolean> carriedOut = new IdentityHashMap<>();
  private boolean lenient;

  ProtocolJudge(List<String> complaints) {
    this.complaints = complaints;
  }

  private record Session(PartitionId partition, String id) {}

  void opened(PartitionId partition, String session, @Nullable String replaces) {
    lastNumbers.putIfAbsent(new Session(partition, session), 0L);
    if (replaces != null) {
      forgotten(partition, replaces);
    }
  }

  void forgotten(PartitionId partition, String session) {
    lastNumbers.remove(new Session(partition, session));
  }

  /**
   * Stops the check for changes that are applied twice. The engine has lost its last changes (a
   * roll-back), so it may have to apply a change a second time.
   */
  void rolledBack() {
    lenient = true;
  }

  /** Checks a call that a client sends, for the first time or again. */
  void sent(PartitionId partition, Call call) {
    Session session = new Session(partition, call.session());
    Call.Body before =
        bodies.computeIfAbsent(session, key -> new HashMap<>()).put(call.number(), call.body());
    if (before != null && !before.equals(call.body()) && !isNothing(call.body())) {
      complaints.add("call " + call.number() + " was " + before + " and became " + call.body());
    }
    Set<Long> known = arrived.getOrDefault(session, Set.of());
    for (long number = 1; number < call.lowestUnanswered(); number++) {
      if (!known.contains(number)) {
        complaints.add("the answer to " + number + " never arrived, but may be forgotten: " + call);
        return;
      }
    }
  }

  private static boolean isNothing(Call.Body body) {
    return body instanceof Call.Apply apply && apply.operations().isEmpty();
  }

  /**
   * Notes the number of a call whose answer has arrived at the client. Ignores failures and replies
   * without an answer, after which the client sends the call again.
   */
  void arrived(PartitionId partition, Call call, @Nullable Reply reply) {
    if (reply instanceof Reply.Applied
        || reply instanceof Reply.Claimed
        || reply instanceof Reply.Forgotten) {
      arrived
          .computeIfAbsent(new Session(partition, call.session()), key -> new HashSet<>())
          .add(call.number());
    }
  }

  /**
   * Checks an answer of the engine. Only the first answer to a number shows that the engine has
   * applied the call now; a later answer repeats the first answer, or reports a failure.
   *
   * @return whether the engine has applied the call now
   */
  boolean answered(PartitionId partition, Call call, @Nullable Reply reply) {
    Session session = new Session(partition, call.session());
    Long last = lastNumbers.get(session);
    boolean isNew = last != null && call.number() == last + 1;
    if (!isNew || !(reply instanceof Reply.Applied || reply instanceof Reply.Claimed)) {
      return false;
    }
    lastNumbers.put(session, call.number());
    if (call.body() instanceof Call.Apply apply && !lenient) {
      apply.operations().forEach(this::carriedOut);
    }
    return true;
  }

  private void carriedOut(Operation operation) {
    if (!(operation instanceof Settlement) && carriedOut.put(operation, true) != null) {
      complaints.add("carried out twice: " + operation);
    }
  }
}
