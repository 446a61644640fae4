package io.punctual.contract;

import io.punctual.spi.Reply;
import java.nio.charset.StandardCharsets;

/** A message as it was claimed: what came, under which token, and when by the engine's clock. */
record Held(Reply.Leased message, long token, long engineMicros, long leasedUntilMillis) {
  static Held of(Reply.Leased message, Reply.Claimed claim, long leaseMillis) {
    long untilMillis = Math.floorDiv(claim.engineMicros() + 999, 1000L) + leaseMillis;
    return new Held(message, claim.token(), claim.engineMicros(), untilMillis);
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

  /** As if it had been claimed under another token. */
  Held withToken(long other) {
    return new Held(message, other, engineMicros, leasedUntilMillis);
  }
}
