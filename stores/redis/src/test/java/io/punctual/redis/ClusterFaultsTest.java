package io.punctual.redis;

import org.junit.jupiter.api.Tag;

@Tag("faults")
final class ClusterFaultsTest extends FaultContract {
  @Override
  FaultyServers start() {
    return FaultyServers.cluster();
  }
}
