package io.punctual.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which servers may form a quorum, and when they take part. */
@Timeout(300)
final class QuorumServersTest {
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private List<RedisProcess> servers;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeEach
  void start() {
    servers = List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    servers.forEach(RedisProcess::close);
  }

  private static RedisLocksBuilder builder(String url) {
    return RedisLocks.builder().url(url).resources(LockTestServer.THREADS);
  }

  private RedisLocks connect(String url) {
    RedisLocks locks = builder(url).open();
    opened.add(locks);
    return locks;
  }

  private QuorumLocks open(String... urls) {
    QuorumLocks locks =
        QuorumLocks.open(Stream.of(urls).map(QuorumServersTest::builder).toList(), LONGEST);
    opened.add(locks);
    return locks;
  }

  private QuorumLocks openAll() {
    return open(servers.stream().map(RedisProcess::url).toArray(String[]::new));
  }

  @Test
  void minority_thatIsAwayAtTheStart_takesPartWhenItIsBack() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    servers.get(0).kill();
    QuorumLocks locks = openAll();

    try (LockHandle without = locks.lock("a").acquire()) {
      assertThat(without.isHeld()).isTrue();
    }
    servers.get(0).restart();
    QuorumProbe.awaitVoters(servers, LONGEST);
    // The locks try to open an unavailable server only upon a request, so the test sends requests
    // until the server takes part.
    await()
        .until(
            () -> {
              try (LockHandle with = locks.lock("a").acquire()) {
                return with.isHeld() && hasLock(servers.get(0));
              }
            });
    servers.get(1).kill();
    try (LockHandle handle = locks.lock("a").acquire()) {
      assertThat(handle.isHeld()).as("by the first and the third").isTrue();
    }
  }

  private static boolean hasLock(RedisProcess server) {
    return !((List<?>) requireNonNull(server.ask("KEYS", "*:quorum:a"))).isEmpty();
  }

  @Test
  void majority_thatIsAwayAtTheStart_isAnError() {
    servers.get(0).kill();
    servers.get(1).kill();

    assertThatThrownBy(this::openAll)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("2 of 3 servers");
  }

  @Test
  void serverThatWillNotDo_isAnErrorAtTheStart() {
    servers.get(2).ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");

    assertThatThrownBy(this::openAll)
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("noeviction");
  }

  @Test
  void serverThatIsNamedTwice_isRefused() {
    String first = servers.get(0).url();
    String again = first.replace("127.0.0.1", "localhost");
    RedisLocks one = connect(first);

    assertThatThrownBy(() -> QuorumLocks.of(List.of(one, one, one), LONGEST))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("same server");
    assertThatThrownBy(() -> open(first, servers.get(1).url(), again))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("localhost")
        .hasMessageContaining("same server");
  }

  @Test
  void serverThatComesBackAsAnotherOfThem_hasNoSecondVote() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    String first = servers.get(0).url();
    int port = servers.get(2).port();
    servers.get(2).kill();
    QuorumLocks locks = open(first, servers.get(1).url(), "redis://127.0.0.1:" + port);

    // The first server now listens on the port of the third server.
    servers.get(0).ask("CONFIG", "SET", "port", Integer.toString(port));
    servers.get(1).kill();

    assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ofSeconds(4)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void sentinels_areNoIndependentServer() {
    try (RedisSentinels sentinels = RedisSentinels.start(0)) {
      assertThatThrownBy(() -> open(servers.get(0).url(), servers.get(1).url(), sentinels.url()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not an independent server");
    }
  }

  @Test
  void close_givesBackWhatWasHeld() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    QuorumLocks locks = openAll();
    LockHandle handle = locks.lock("a").acquire();
    locks.close();

    assertThat(handle.isHeld()).isFalse();
    assertThat(openAll().lock("a").tryAcquire()).as("before its lease ends").isPresent();
  }
}
