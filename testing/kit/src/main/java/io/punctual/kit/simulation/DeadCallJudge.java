package io.punctual.kit.simulation;

import io.punctual.Delivery;
import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The dead handler of a process. Checks that the client calls this handler before it buries a
 * message. A call is not required if the user buries the message, if the message is unreadable, or
 * after the attempt {@link #LAST_CALL}. Not thread-safe.
 */
final class DeadCallJudge implements DeadHandler<String> {
  /**
   * The last attempt after which a burial needs a call of the dead handler. If the leases of later
   * attempts expire too, the client buries the message without a call.
   */
  private static final int LAST_CALL = SimulatedWorkers.ATTEMPTS + 3;

  private final SimulationRun world;
  private final Chance chance;
  private final Set<Attempt> called = new HashSet<>();

  private record Attempt(String queue, String id, int attempt) {}

  DeadCallJudge(SimulationRun world) {
    this.world = world;
    this.chance = world.newChance();
  }

  @Override
  public void onDead(Delivery<String> delivery, DeadReason reason, @Nullable Throwable failure) {
    called.add(new Attempt(delivery.queue(), delivery.id(), delivery.attempt()));
    if (chance.of(0.2)) {
      throw new IllegalStateException("simulated: the dead handler failed");
    }
  }

  void on(Event event) {
    if (event instanceof Event.MessageBuried buried
        && buried.reason() != DeadReason.BY_CALLER
        && buried.reason() != DeadReason.UNREADABLE
        && buried.attempt() <= LAST_CALL
        && !called.contains(new Attempt(buried.queue(), buried.id(), buried.attempt()))) {
      world.complain("buried without a call of the dead handler: " + buried);
    }
  }
}
