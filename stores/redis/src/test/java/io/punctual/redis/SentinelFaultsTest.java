package io.punctual.redis;

import org.junit.jupiter.api.Tag;

@Tag("faults")
final class SentinelFaultsTest extends FaultContract {
  @Override
  FaultyServers start() {
    return FaultyServers.sentinel();
  }
}
