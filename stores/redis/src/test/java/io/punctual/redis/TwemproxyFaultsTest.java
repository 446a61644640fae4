package io.punctual.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.TwemproxyProcess;
import org.junit.jupiter.api.Tag;

@Tag("faults")
final class TwemproxyFaultsTest extends FaultContract {
  @Override
  FaultyServers start() {
    assumeTrue(
        TwemproxyProcess.isInstalled(),
        "Twemproxy is not installed; on Debian: apt-get install nutcracker");
    return FaultyServers.twemproxy();
  }
}
