package io.punctual.kit.simulation;

import io.punctual.PunctualException;
import io.punctual.Worker;
import java.time.Duration;
import java.util.List;

/** Injects random faults, about every 300 ms, until the fault schedule ends them. */
final class FaultInjector {
  private static final long PAUSE = 300 * Chance.MILLI;
  private static final long FROZEN = 800 * Chance.MILLI;
  private static final long DOWN = 500 * Chance.MILLI;

  private final SimulationRun world;
  private final Chance chance;

  FaultInjector(SimulationRun world) {
    this.world = world;
    this.chance = world.newChance();
  }

  void start() {
    world.scheduler().schedule(chance.around(PAUSE), this::turn);
  }

  private void turn() {
    if (world.weather().isFair()) {
      return;
    }
    RunParameters parameters = world.parameters();
    List<Node> running = world.running();
    if (!running.isEmpty()) {
      disturb(chance.of(running), parameters);
    }
    if (chance.of(parameters.clockSteps())) {
      int most = chance.of(0.2) ? 60_000 : 3_000;
      world.engine().clock().step(Duration.ofMillis(chance.between(-most, most)));
    }
    if (chance.of(parameters.sessionLosses())) {
      world
          .engine()
          .loseSession(chance.of(world.engine().partitions(world.anyQueue(chance))), chance);
    }
    if (chance.of(parameters.rollbacks())) {
      world.engine().rollBack(chance.between(1, 30));
    }
    if (chance.of(parameters.administration())) {
      world.administrator().act(world.anyQueue(chance), chance);
    }
    if (parameters.limited() && chance.of(0.1)) {
      world.administrator().limit(world.anyQueue(chance));
    }
    start();
  }

  private void disturb(Node node, RunParameters parameters) {
    if (chance.of(parameters.cuts())) {
      node.transport().cut(chance.around(DOWN));
    }
    if (chance.of(parameters.freezes())) {
      node.process().freeze(chance.around(FROZEN));
    }
    if (chance.of(parameters.kills())) {
      node.kill();
      world.scheduler().schedule(chance.around(FROZEN), world::replaceNode);
    } else if (chance.of(parameters.closings())) {
      node.later(0, () -> close(node));
    }
  }

  private void close(Node node) {
    if (world.weather().isFair()) {
      return;
    }
    if (chance.of(0.5) && node.hasWorkers()) {
      closeInBackground(node.takeWorker(chance));
    } else {
      node.close(Duration.ofMillis(chance.between(0, 3_000)));
      world.scheduler().schedule(chance.around(FROZEN), world::replaceNode);
    }
  }

  /**
   * Closes a worker without a wait for its handlers, because the simulation has no thread that
   * could wait. The thread is interrupted, so the call returns early with an exception, and the
   * close continues in the background.
   */
  private void closeInBackground(Worker worker) {
    Thread.currentThread().interrupt();
    try {
      worker.close(Duration.ofMillis(chance.between(0, 2_000)));
    } catch (PunctualException goesOn) {
      // The interrupt has ended the wait. The close continues.
    } finally {
      boolean unused = Thread.interrupted();
    }
  }
}
