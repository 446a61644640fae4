package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.RedisHandshakeHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Promise;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.WakeUp;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Tests faults and races while a store opens its connections. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class RedisOpeningTest {
  /** Delays the activation of each connection until after its handshake, as a busy machine does. */
  private static final class LateActivation implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      ChannelHandlerContext handshake = channel.pipeline().context(RedisHandshakeHandler.class);
      channel
          .pipeline()
          .addAfter(
              handshake.name(),
              "late",
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                  context
                      .executor()
                      .schedule(context::fireChannelActive, 50, TimeUnit.MILLISECONDS);
                }
              });
    }
  }

  @Test
  void open_handshakeEndsBeforeTheConnectionIsActive_waitsUntilItIs() throws Exception {
    ClientResources resources =
        DefaultClientResources.builder().nettyCustomizer(new LateActivation()).build();
    RedisURI uri;
    try (RedisProcess redis = RedisProcess.builder().config("requirepass", "secret").start()) {
      uri = RedisURI.create(redis.url());
      uri.setCredentialsProvider(() -> Mono.just(RedisCredentials.just(null, "secret")));
      try (RedisStore store = RedisStore.builder().uri(uri).resources(resources).open()) {
        PartitionUser user = new PartitionUser(store, "q");
        user.schedule("a", 10);
        CompletableFuture<Long> woken = new CompletableFuture<>();
        WakeUp listener = woken::complete;
        try (var hints = user.partition().onWakeUp(listener)) {
          assertThat(woken.get(60, TimeUnit.SECONDS)).isZero();
        }
      }
    } finally {
      resources.shutdown(0, 0, TimeUnit.SECONDS).get();
    }
  }

  /**
   * Records whether threads are allocated while a different client releases them. Lettuce fails in
   * this case.
   */
  private static final class WatchedThreads extends DefaultEventLoopGroupProvider {
    private final List<String> mistakes = new CopyOnWriteArrayList<>();
    private final AtomicReference<Runnable> onRelease = new AtomicReference<>();
    private volatile boolean releasing;

    WatchedThreads() {
      super(2);
    }

    @Override
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
      if (releasing) {
        mistakes.add("lent while taken back");
      }
      return super.allocate(type);
    }

    @Override
    public Promise<Boolean> release(
        EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
      releasing = true;
      try {
        Runnable task = onRelease.getAndSet(null);
        if (task != null) {
          task.run();
        }
        return super.release(group, quietPeriod, timeout, unit);
      } finally {
        releasing = false;
      }
    }
  }

  @Test
  void open_lastUserOfSharedThreadsIsClosing_getsLivingThreads()
      throws InterruptedException, ExecutionException {
    WatchedThreads threads = new WatchedThreads();
    ClientResources resources =
        DefaultClientResources.builder().eventLoopGroupProvider(threads).build();
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try {
      AtomicReference<RedisStore> opened = new AtomicReference<>();
      Thread opener = new Thread(() -> opened.set(open(redis, resources)));
      RedisStore last = open(redis, resources);
      threads.onRelease.set(
          () -> {
            opener.start();
            Awaitility.await()
                .until(
                    () -> opener.getState() == Thread.State.BLOCKED || !threads.mistakes.isEmpty());
          });
      last.close();
      Awaitility.await().until(() -> opener.getState() == Thread.State.TERMINATED);
      assertThat(threads.mistakes).isEmpty();
      assertThat(opened.get()).isNotNull();
      opened.get().close();
    } finally {
      resources.shutdown(0, 0, TimeUnit.SECONDS).get();
      threads.shutdown(0, 0, TimeUnit.SECONDS).get();
    }
  }

  private static RedisStore open(RedisProcess redis, ClientResources resources) {
    return RedisStore.builder().url(redis.url()).resources(resources).open();
  }

  @Test
  void open_passwordMissing_saysWhatTheServerSays() throws Exception {
    try (RedisProcess redis = RedisProcess.builder().config("requirepass", "secret").start()) {
      String url = "redis://127.0.0.1:" + redis.port();
      assertThatThrownBy(() -> RedisStore.builder().url(url).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContainingAll("NOAUTH", "redis://:PASSWORD@")
          .hasMessageNotContaining("Unable to connect");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/99", "/99?proxy=true", "/999999999"})
  void open_databaseThatTheServerLacks_isRefusedWithTheRemedy(String path) {
    String url = "redis://127.0.0.1:" + RedisProcess.shared().port() + path;
    assertThatThrownBy(() -> RedisStore.builder().url(url).open())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll("DB index is out of range", "a smaller number in the URL")
        .hasMessageContaining("'databases'");
  }

  @Test
  void open_databaseOfACluster_isRefusedWithTheRemedy() {
    try (RedisCluster cluster = RedisCluster.start(1, 0)) {
      int port = cluster.nodes().get(0).port();
      RedisURI node = RedisURI.builder().withHost("127.0.0.1").withPort(port).build();
      node.setDatabase(1);
      assertThatThrownBy(() -> RedisStore.builder().uri(node).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContainingAll("SELECT is not allowed", "redis-cluster://host:port");
      assertThatThrownBy(() -> RedisStore.builder().cluster(List.of(node)).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContainingAll("SELECT is not allowed", "only database 0");
      String wrong = "redis-cluster://:wrong@127.0.0.1:" + port;
      assertThatThrownBy(() -> RedisStore.builder().url(wrong).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("take the password out of the URL");
      RedisStore.builder().url("redis-cluster://127.0.0.1:" + port + "/0").open().close();
    }
  }

  @Test
  void open_silentNodeAndNoTimeoutInItsUri_fails() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      RedisURI node =
          RedisURI.builder()
              .withHost("127.0.0.1")
              .withPort(silent.getLocalPort())
              .withTimeout(Duration.ZERO)
              .build();
      Duration timeout = Duration.ofMillis(200);
      RedisStoreBuilder builder =
          RedisStore.builder()
              .cluster(List.of(node))
              .connectTimeout(timeout)
              .commandTimeout(timeout);
      assertThat(CompletableFuture.supplyAsync(builder::open))
          .failsWithin(60, TimeUnit.SECONDS)
          .withThrowableThat()
          .withCauseInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void close_sharedThreadsWereShutDownBefore_closes() throws Exception {
    // Nobody closes the connections, so the server is not the shared one.
    try (RedisProcess redis = RedisProcess.start()) {
      ClientResources resources = DefaultClientResources.create();
      RedisStore store = open(redis, resources);
      resources.shutdown(0, 0, TimeUnit.SECONDS).get();
      assertThatCode(store::close).doesNotThrowAnyException();
    }
  }

  @Test
  void close_again_doesNothing() {
    RedisStore store = RedisStore.builder().url(RedisProcess.sharedAndEmpty().url()).open();
    store.close();
    assertThatCode(store::close).doesNotThrowAnyException();
  }
}
