package io.punctual.httpstore;

import static io.punctual.kit.kill.KillPlan.LENGTH;
import static io.punctual.kit.kill.KillPlan.MESSAGES;

import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.kill.Handling;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.Role;
import io.punctual.kit.kill.Traffic;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests clients of servers while connections, requests and servers fail. No message is lost or
 * early, and none is delivered after a confirmed cancel or ack. {@link KillPlan} determines how
 * long faults last.
 */
@Tag("extended")
@Timeout(value = 2, unit = TimeUnit.HOURS)
final class HttpFaultsTest {
  private static final Duration SILENCE = Duration.ofSeconds(5);

  @TempDir private Path folder;
  private final List<AutoCloseable> started = new ArrayList<>();
  private KillPlan plan;
  private KillRun run;

  @BeforeEach
  void begin(TestInfo test) {
    plan = KillPlan.ofFaults("HttpFaultsTest." + test.getDisplayName());
  }

  @AfterEach
  void end() throws Exception {
    if (run != null) {
      run.close();
    }
    for (int i = started.size() - 1; i >= 0; i--) {
      started.get(i).close();
    }
  }

  private <T extends AutoCloseable> T started(T part) {
    started.add(part);
    return part;
  }

  private String journal() {
    return "journal:" + folder.resolve("journal");
  }

  private JavaProcess server(String store, int port) {
    return started(
        JavaProcess.of(ServerMain.class)
            .small()
            .arguments(store, Integer.toString(port))
            .ready("ready")
            .start());
  }

  private static int port(JavaProcess server) {
    return Integer.parseInt(server.awaitLine("ready ").substring("ready ".length()));
  }

  private void traffic(String url) {
    run = new KillRun(folder, url + "?timeout=1s", plan.seed());
    for (Role role : List.of(Handling.of(1), Traffic.of(MESSAGES, LENGTH))) {
      run.startThread(role);
    }
    run.awaitReady();
  }

  private FaultProxy behindFaults() {
    FaultProxy proxy = started(FaultProxy.to("127.0.0.1", port(server(journal(), 0))));
    traffic("http://127.0.0.1:" + proxy.port());
    return proxy;
  }

  @Test
  void connections_cutAllTheTime_loseNothing() {
    FaultProxy proxy = behindFaults();
    plan.repeat(Duration.ofMillis(100), proxy::cut);
    run.judge().expectClean();
  }

  @Test
  void replies_lost_loseNothing() {
    FaultProxy proxy = behindFaults();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          proxy.swallow(Direction.TO_CLIENT);
          KillPlan.during(KillPlan.atMost(SILENCE));
          proxy.heal();
        });
    run.judge().expectClean();
  }

  @Test
  void clientsAndServer_partitioned_loseNothing() {
    FaultProxy proxy = behindFaults();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          proxy.blackHole();
          KillPlan.during(KillPlan.atMost(SILENCE));
          proxy.heal();
        });
    run.judge().expectClean();
  }

  @Test
  void server_frozen_losesNothing() {
    JavaProcess server = server(journal(), 0);
    traffic("http://127.0.0.1:" + port(server));
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          server.freeze();
          KillPlan.during(KillPlan.atMost(SILENCE));
          server.thaw();
        });
    run.judge().expectClean();
  }

  @Test
  void server_killedAgainAndAgain_losesNothing() {
    JavaProcess[] server = {server(journal(), 0)};
    int port = port(server[0]);
    traffic("http://127.0.0.1:" + port);
    plan.repeat(
        Duration.ofMillis(700),
        () ->
            run.crash(
                () -> {
                  server[0].kill();
                  server[0] = server(journal(), port);
                }));
    run.judge().expectClean();
  }

  @Test
  void requests_repeatedDelayedAndLost_loseNothing() {
    ReverseProxy proxy = started(ReverseProxy.to(port(server(journal(), 0))));
    traffic(proxy.url());
    proxy.repeat(2);
    proxy.delay(20);
    proxy.lose(5);
    KillPlan.during(LENGTH);
    proxy.repeat(0);
    proxy.lose(0);
    run.judge().expectClean();
  }

  @Test
  void twoServers_behindAProxyThatChanges_loseNothing() {
    RedisProcess redis = started(RedisProcess.builder().appendOnly("always").start());
    JavaProcess one = server(redis.url(), 0);
    JavaProcess[] other = {server(redis.url(), 0)};
    int port = port(other[0]);
    ReverseProxy proxy = started(ReverseProxy.to(port(one), port));
    traffic(proxy.url());
    proxy.delay(10);
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          other[0].kill();
          KillPlan.during(Duration.ofMillis(300));
          other[0] = server(redis.url(), port);
        });
    run.judge().expectClean();
  }
}
