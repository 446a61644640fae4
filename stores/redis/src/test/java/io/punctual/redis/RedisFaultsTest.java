package io.punctual.redis;

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
