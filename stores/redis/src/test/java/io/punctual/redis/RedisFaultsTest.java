package io.punctual.redis;

import org.junit.jupiter.api.Tag;

@Tag("extended")
final class RedisFaultsTest extends FaultContract {
  @Override
  FaultyServers start() {
    return FaultyServers.single();
  }

  @Override
  boolean allInProcesses() {
    return true;
  }
}
