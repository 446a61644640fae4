package io.punctual.kit.simulation;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A user of a queue in a process: schedules, cancels, reschedules, claims and settles messages,
 * with few different ids.
 */
final class User {
  /** How long ids are remembered: longer than a run, so that no id is forgotten in a run. */
  private static final Duration REMEMBERED = Duration.ofDays(1);

  private static final int MOST_UNANSWERED = 12;
  private static final long PAUSE = 120 * Chance.MILLI;

  private final SimulationRun world;
  private final Node node;
  private final TimedQueue<String> queue;
  private final Chance chance;

  User(SimulationRun world, Node node, TimedQueue<String> queue) {
    this.world = world;
    this.node = node;
    this.queue = queue;
    this.chance = world.newChance();
  }

  void start() {
    node.later(chance.around(PAUSE), this::turn);
  }

  private void turn() {
    if (!node.isRunning() || world.isQuiet()) {
      return;
    }
    if (node.unanswered() > MOST_UNANSWERED) {
      start();
      return;
    }
    try {
      act();
    } catch (PunctualException refused) {
      // The client was closed; the recording contains the failed call.
    }
    start();
  }

  private void act() {
    switch (chance.between(0, 11)) {
      case 0, 1, 2, 3, 4 -> node.expect(queue.async().schedule(message(), mode()));
      case 5 -> node.expect(queue.async().scheduleAll(messages(), mode()));
      case 6, 7 -> node.expect(queue.async().cancel(id()));
      case 8 -> node.expect(queue.async().reschedule(id(), due()));
      case 9 -> node.expect(queue.async().runNow(id()));
      case 10 -> claim();
      default -> {
        node.expect(queue.async().cancel("none"));
        node.expect(queue.async().schedule(message()));
        node.expect(queue.async().cancel(id()));
      }
    }
  }

  /** Schedules a message, and a second message at about the time at which the first is claimed. */
  void scheduleTwo() {
    node.expect(queue.async().schedule(Message.of("first")));
    node.later(
        chance.between(0L, 2 * Chance.MILLI),
        () -> node.expect(queue.async().schedule(Message.of("second"))));
  }

  private String id() {
    return "id-" + chance.between(1, world.parameters().ids());
  }

  private IfPresent mode() {
    return chance.of(List.of(IfPresent.values()));
  }

  private List<Message<String>> messages() {
    List<Message<String>> messages = new ArrayList<>();
    for (int i = chance.between(1, 5); i > 0; i--) {
      messages.add(message());
    }
    return messages;
  }

  private Message<String> message() {
    Message<String> message = Message.of("payload").due(due());
    if (chance.of(0.05)) {
      Instant wanted = world.engine().clock().instant().plusMillis(chance.between(-100, 3_000));
      message = message.notAfter(wanted);
    }
    if (chance.of(0.1)) {
      message = message.rememberFor(REMEMBERED);
    }
    return chance.of(0.8) ? message.id(id()) : message;
  }

  private Due due() {
    Duration delay = Duration.ofMillis(chance.of(0.4) ? 0 : chance.between(0, 2_500));
    return chance.of(0.7) ? Due.after(delay) : Due.at(world.engine().clock().instant().plus(delay));
  }

  private void claim() {
    // Claims with the same lease share calls, so half of the claims have the same lease.
    Duration lease = Duration.ofMillis(chance.of(0.5) ? 500 : chance.between(20, 1_500));
    Duration wait = Duration.ofMillis(chance.of(0.3) ? 0 : chance.between(0, 1_000));
    var claim =
        queue.async().claim(chance.between(1, 4), ClaimOptions.DEFAULT.lease(lease).maxWait(wait));
    node.expect(claim);
    claim.whenComplete(
        (deliveries, failure) -> {
          if (deliveries != null) {
            deliveries.forEach(delivery -> settleLater(delivery, lease));
          }
        });
  }

  private void settleLater(Delivery<String> delivery, Duration lease) {
    long most = world.weather().isFair() ? Chance.MILLI : lease.toNanos() * 2;
    node.later(chance.between(0L, most), () -> settle(delivery));
  }

  private void settle(Delivery<String> delivery) {
    int what = world.weather().isFair() ? 0 : chance.between(0, 7);
    switch (what) {
      case 4 -> node.expect(delivery.async().retry(Duration.ofMillis(chance.between(0, 500))));
      case 5 -> node.expect(delivery.async().bury("buried manually"));
      case 6 -> node.expect(delivery.async().release());
      case 7 -> {
        Duration more = Duration.ofMillis(chance.between(10, 500));
        node.expect(delivery.async().extend(more));
        settleLater(delivery, more);
      }
      default -> node.expect(delivery.async().ack());
    }
  }
}
