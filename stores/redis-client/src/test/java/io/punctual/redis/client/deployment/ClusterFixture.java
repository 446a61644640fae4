package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * A scripted Cluster of two nodes, and a third that may join: the lower half of the slots is on the
 * first node, the upper half on the second node.
 */
final class ClusterFixture {
  static final int HALF = 8192;
  static final int LAST = 16383;

  /** The pause before a refresh of the map. */
  static final Duration REFRESH = Duration.ofMillis(100);

  /** A key in the lower half of the slots, and a key in the upper half. */
  static final String LOW = keyIn(0, HALF - 1);

  static final String HIGH = keyIn(HALF, LAST);

  final ManualTimer timer = new ManualTimer();
  final ScriptedClient client = new ScriptedClient();
  final ScriptedServer one = node(7001);
  final ScriptedServer two = node(7002);
  final ScriptedServer three = node(7003);
  final List<CompletableFuture<Void>> ends = new ArrayList<>();
  final List<String> seen = new ArrayList<>();
  final Cluster cluster = cluster(Settings.plain());

  ClusterFixture() {
    announceHalves();
  }

  private ScriptedServer node(int port) {
    return Node.clustered(client.server(port)).answer("CLUSTER MYID", Resp.text("id" + port));
  }

  Cluster cluster(RedisSettings settings) {
    List<RedisURI> seeds =
        List.of(RedisURI.create("10.0.0.1", 7001), RedisURI.create("10.0.0.2", 7002));
    RightsProbe rights = new RightsProbe(Scripts.of("return ''"), List.of("probe"));
    return new Cluster(client, seeds, settings, timer, rights, ends::add);
  }

  private static String keyIn(int first, int last) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> "key" + i)
        .filter(key -> SlotMap.slotOf(bytes(key)) >= first && SlotMap.slotOf(bytes(key)) <= last)
        .findFirst()
        .orElseThrow();
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static int slot(String key) {
    return SlotMap.slotOf(bytes(key));
  }

  static String range(int first, int last, int node) {
    return Resp.range(first, last, "10.0.0." + (node - 7000), node);
  }

  /** Lets all nodes reply with this map. */
  void announce(String... ranges) {
    List.of(one, two, three).forEach(node -> node.answer("CLUSTER SLOTS", Resp.slots(ranges)));
  }

  void announceHalves() {
    announce(range(0, HALF - 1, 7001), range(HALF, LAST, 7002));
  }

  /** Fetches the map and checks the nodes, then forgets the requests of the checks. */
  ClusterFixture open() {
    cluster.check();
    return this;
  }

  /**
   * Fetches the map that the nodes reply with. Waits long enough that a node whose connection waits
   * for other replies is passed over.
   */
  void refresh() {
    cluster.refresh();
    timer.advance(REFRESH.plusSeconds(1));
  }

  CompletableFuture<RedisReply> get(String key) {
    return cluster.link(bytes(key)).send(Request.of(CommandType.GET, key));
  }

  /** Returns the requests to a node that are not part of checks or refreshes. */
  static List<String> gets(ScriptedServer node) {
    return node.requests().stream().filter(request -> request.startsWith("GET")).toList();
  }

  static long refreshes(ScriptedServer node) {
    return node.requests().stream().filter("CLUSTER SLOTS"::equals).count();
  }

  long refreshes() {
    return refreshes(one) + refreshes(two) + refreshes(three);
  }

  Subscriber subscriber() {
    return new Subscriber() {
      @Override
      public void begun() {
        seen.add("begun");
      }

      @Override
      public void message(byte[] message) {
        seen.add(new String(message, UTF_8));
      }
    };
  }
}
