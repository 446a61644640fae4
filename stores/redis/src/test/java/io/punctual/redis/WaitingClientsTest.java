package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.DueTime;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which client the server wakes when many clients wait for messages of a partition. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class WaitingClientsTest {
  private static final ClientResources THREADS = DefaultClientResources.create();
  private static final String WAITING = "{punctual:q:0}:waiting";
  private static final long DUTY = 1_000_000_000_000_000L;

  private final List<Client> clients = new ArrayList<>();
  private RedisProcess redis;

  /**
   * A client that waits for messages of the first partition of a queue, and makes only manual
   * claims.
   */
  private static final class Client implements AutoCloseable {
    private final RedisStore store;
    private final PartitionUser user;
    private final List<Long> hints = new CopyOnWriteArrayList<>();
    private final Registration registration;

    Client(String url) {
      store = RedisStore.builder().url(url).resources(THREADS).open();
      user = new PartitionUser(store, "q");
      registration = user.partition().onWakeUp(hints::add);
      Awaitility.await().until(() -> !hints.isEmpty());
      hints.clear();
    }

    /** Returns a client that waits, because it has found no message to claim. */
    static Client waiting(String url) {
      Client client = new Client(url);
      assertThat(client.user.claim(10).messages()).isEmpty();
      return client;
    }

    void schedule(String id, long inMillis) {
      user.apply(null, PartitionUser.scheduling(id, new DueTime(true, inMillis), 10));
    }

    long untilNext() {
      return await(store.untilNext(List.of(user.partition())))[0];
    }

    void awaitHint(long leastMicros, long mostMicros) {
      Awaitility.await().until(() -> !hints.isEmpty());
      assertThat(hints.get(0)).isBetween(leastMicros, mostMicros);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    redis.ask("CONFIG", "RESETSTAT");
  }

  @AfterEach
  void stop() {
    clients.forEach(Client::close);
    redis.ask("CONFIG", "SET", "maxmemory", "0");
  }

  @AfterAll
  static void endThreads() throws Exception {
    THREADS.shutdown(0, 1, TimeUnit.SECONDS).get();
  }

  private Client client() {
    Client client = Client.waiting(redis.url());
    clients.add(client);
    return client;
  }

  private Object published() {
    String stats = String.valueOf(redis.ask("INFO", "commandstats"));
    return stats.replaceFirst("(?s).*cmdstat_publish:calls=(\\d+).*", "$1");
  }

  @Test
  void schedule_manyClientsWait_oneIsWoken() {
    for (int i = 0; i < 20; i++) {
      client();
    }
    assertThat(redis.ask("ZCARD", WAITING)).isEqualTo(20L);
    clients.get(7).schedule("a", 50_000);
    Client first = clients.get(0);
    first.awaitHint(20_000_000, 50_001_000);
    assertThat(published()).isEqualTo("1");
    assertThat(clients.stream().filter(client -> !client.hints.isEmpty())).containsExactly(first);
  }

  @Test
  void waitingClients_allCrash_theirKeyExpires() {
    client();
    assertThat((Long) redis.ask("TTL", WAITING)).isBetween(91L, 180L);
  }

  @Test
  void claim_anotherClientIsOnDuty_hasNothingToWaitFor() {
    Client onDuty = client();
    Client other = client();
    other.schedule("a", 50_000);
    assertThat(other.user.claim(10).untilNextMicros()).isEqualTo(Reply.NONE);
    assertThat(onDuty.user.claim(10).untilNextMicros()).isBetween(20_000_000L, 50_001_000L);
  }

  @Test
  void claim_takesSomethingAndHasRoom_isOnDutyFromThenOn() {
    Client former = client();
    Client taker = client();
    taker.user.schedule("due", 10);
    taker.schedule("a", 50_000);
    assertThat(taker.user.claim(10).untilNextMicros()).isBetween(20_000_000L, 50_001_000L);
    assertThat(former.user.claim(10).untilNextMicros()).isEqualTo(Reply.NONE);
  }

  @Test
  void claim_takesItsLimit_anotherClientLearnsWhenTheNextIsDue() {
    Client busy = client();
    Client next = client();
    busy.user.schedule("due", 10);
    busy.schedule("a", 50_000);
    Awaitility.await().until(() -> !busy.hints.isEmpty());
    assertThat(busy.user.claim(1).untilNextMicros()).isZero();
    next.awaitHint(20_000_000, 50_001_000);
    busy.schedule("b", 10_000);
    Awaitility.await().until(() -> next.hints.size() == 2);
  }

  @Test
  void claim_takesItsLimit_otherWorkersOfTheClientClaimToBeRegistered() {
    Client client = client();
    client.user.schedule("due", 10);
    client.awaitHint(0, 0);
    client.hints.clear();
    assertThat(client.user.claim(1).messages()).hasSize(1);
    client.awaitHint(0, 0);
  }

  @Test
  void schedule_clientOnDutyHasDied_anotherIsWoken() {
    Client dead = client();
    Client next = client();
    dead.store.close();
    Awaitility.await()
        .until(
            () -> {
              next.schedule("a" + System.nanoTime(), 50_000 - System.nanoTime() % 20_000);
              return !next.hints.isEmpty();
            });
  }

  @Test
  void handOver_clientOnDutyHasNoRoom_anotherIsWoken() {
    Client busy = client();
    Client next = client();
    busy.schedule("a", 50_000);
    busy.user.partition().handOver();
    next.awaitHint(20_000_000, 50_001_000);
  }

  @Test
  void registrationClosed_clientOnDutyLeaves_anotherIsWoken() {
    Client leaving = client();
    Client next = client();
    leaving.schedule("a", 50_000);
    leaving.registration.close();
    next.awaitHint(20_000_000, 50_001_000);
  }

  @Test
  void untilNext_anotherClientIsOnDuty_toldOnlyWhatIsLate() {
    Client onDuty = client();
    Client other = client();
    other.schedule("far", 50_000);
    assertThat(other.untilNext()).isEqualTo(Reply.NONE);
    assertThat(onDuty.untilNext()).isBetween(20_000_000L, 50_001_000L);
    other.user.schedule("due", 10);
    Awaitility.await().until(() -> other.untilNext() == 0);
  }

  @Test
  void untilNext_clientOnDutyIsSilent_takesOver() {
    Client client = client();
    client.schedule("a", 50_000);
    long longAgo = DUTY + System.currentTimeMillis() - 100_000;
    redis.ask("DEL", WAITING);
    redis.ask("ZADD", WAITING, Long.toString(longAgo), "Pfrozen");
    assertThat(client.untilNext()).isBetween(20_000_000L, 50_001_000L);
    assertThat(redis.ask("ZCARD", WAITING)).isEqualTo(1L);
  }

  @Test
  void claim_clientsAreSilent_areForgotten() {
    long longAgo = System.currentTimeMillis() - 100_000;
    for (int i = 0; i < 10; i++) {
      redis.ask("ZADD", WAITING, Long.toString(longAgo), "Pgone" + i);
    }
    client();
    assertThat(redis.ask("ZCARD", WAITING)).isEqualTo(1L);
  }

  @Test
  void schedule_clientOfAnotherDatabaseWaits_isNotWoken() {
    Client other = Client.waiting(redis.url() + "/1");
    clients.add(other);
    Client here = client();
    here.schedule("a", 50_000);
    here.awaitHint(20_000_000, 50_001_000);
    assertThat(published()).isEqualTo("1");
    assertThat(other.hints).isEmpty();
    assertThat(other.user.claim(10).untilNextMicros()).isEqualTo(Reply.NONE);
  }

  @Test
  void hint_isForeign_wakesAtOnce() {
    Client client = client();
    Object channels = redis.ask("PUBSUB", "CHANNELS", WAITING + ":*");
    redis.ask("PUBLISH", (String) ((List<?>) channels).get(0), "what?");
    client.awaitHint(0, 0);
  }

  /**
   * A client that was opened while the Cluster ran Redis 6.2 still listens to plain channels after
   * an upgrade.
   */
  @Test
  void schedule_clientOfAClusterListensToAPlainChannel_isWoken() {
    try (RedisCluster cluster = RedisCluster.start(1, 0);
        RedisClient old = RedisClient.create(THREADS, cluster.nodes().get(0).url());
        StatefulRedisPubSubConnection<String, String> hints = old.connectPubSub();
        Client sharded = Client.waiting(cluster.url() + "?partitions=1")) {
      List<String> heard = new CopyOnWriteArrayList<>();
      hints.addListener(
          new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
              heard.add(message);
            }
          });
      hints.sync().subscribe(WAITING + ":Pold");
      String heardNow = Long.toString(DUTY + 2 * System.currentTimeMillis());
      cluster.nodes().get(0).ask("ZADD", WAITING, heardNow, "Pold");
      sharded.schedule("a", 50_000);
      Awaitility.await().until(() -> !heard.isEmpty());
      cluster.nodes().get(0).ask("ZREM", WAITING, "Pold");
      sharded.schedule("b", 20_000);
      Awaitility.await().until(() -> !sharded.hints.isEmpty());
    }
  }

  @Test
  void claim_noMemoryForTheRegistry_knowsItselfWhenTheNextIsDue() {
    Client client = client();
    client.schedule("a", 50_000);
    redis.ask("DEL", WAITING);
    redis.ask("CONFIG", "SET", "maxmemory", "1");
    assertThat(client.untilNext()).isBetween(20_000_000L, 50_001_000L);
    assertThat(client.user.claim(10).untilNextMicros()).isBetween(20_000_000L, 50_001_000L);
  }
}
