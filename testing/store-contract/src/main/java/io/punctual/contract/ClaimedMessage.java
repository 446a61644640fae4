package io.punctual.contract;

import io.punctual.spi.Reply;
import java.nio.charset.StandardCharsets;

/**
 * A claimed message with its fencing token, and the engine times of the claim and of the lease's
 * end.
 */
record ClaimedMessage(Reply.Leased message, long token, long engineMicros, long leasedUntilMillis) {
  static ClaimedMessage of(Reply.Leased message, Reply.Claimed claim, long leaseMillis) {
    long untilMillis = Math.floorDiv(claim.engineMicros() + 999, 1000L) + leaseMillis;
    return new ClaimedMessage(message, claim.token(), claim.engineMicros(), untilMillis);
  }

  String id() {
    return message.id();
  }

  int attempt() {
    return message.attempt();
  }

  String payload() {
    return new String(message.content().payload(), StandardCharsets.UTF_8);
  }

  String history() {
    return new String(message.history(), StandardCharsets.UTF_8);
  }

  ClaimedMessage withToken(long other) {
    return new ClaimedMessage(message, other, engineMicros, leasedUntilMillis);
  }
}
