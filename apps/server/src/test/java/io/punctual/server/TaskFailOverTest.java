package io.punctual.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.FreePorts;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task of many redrives, whose two servers are killed in turn. {@code -Dpunctual.dead=1000000}
 * sets the number of dead letters.
 */
@Tag("extended")
final class TaskFailOverTest {
  private static final Logger log = LoggerFactory.getLogger(TaskFailOverTest.class);
  private static final int COUNT = Integer.getInteger("punctual.dead", 50_000);
  private static final int RATE = 10_000;
  private static final int KILLS = 4;
  private static final int STEP = 500;

  /** The changes after the last checkpoint of a killed server, at most. */
  private static final int PAGE = 1_000;

  private static final Pattern RECORD =
      Pattern.compile("\"state\":\"(\\w+)\".*\"changed\":(\\d+),\"gone\":(\\d+)");

  private final int[] ports = {FreePorts.next(), FreePorts.next()};
  private final JavaProcess[] servers = new JavaProcess[2];

  private record Progress(boolean isDone, long changed, long gone) {}

  private static void bury(String url) {
    WheelTimer timer = WheelTimer.create();
    try (Store store = Stores.open(StoreUrl.parse(url), timer)) {
      Partition partition = store.partitions("orders").toCompletableFuture().join().get(0);
      partition.openSession("filling", null).toCompletableFuture().join();
      for (int from = 0, number = 1; from < COUNT; from += STEP, number++) {
        List<Operation> dead = new ArrayList<>();
        for (int i = from; i < Math.min(COUNT, from + STEP); i++) {
          Content content = Content.of(("payload " + i).getBytes(UTF_8));
          dead.add(new Operation.Restore("order-" + i, 1000, 5, new byte[0], 2000 + i, content));
        }
        Call call = new Call("filling", number, number, new Call.Apply(dead, null));
        partition.call(call).toCompletableFuture().join();
      }
    } finally {
      timer.close();
    }
  }

  private void serve(int which, String url) {
    servers[which] =
        JavaProcess.of(ServerMain.class)
            .small()
            .arguments(url, Integer.toString(ports[which]))
            .ready("ready")
            .start();
  }

  private String send(int which, String head, String body) throws IOException {
    try (RawClient client = RawClient.connect(ports[which])) {
      return client
          .request(head + " HTTP/1.1\nContent-Type: application/json\nConnection: close", body)
          .text();
    }
  }

  private Progress progress(int which, String task) throws IOException {
    String record = send(which, "GET /v1/tasks/" + task, "");
    Matcher matcher = RECORD.matcher(record);
    assertThat(matcher.find()).as(record).isTrue();
    return new Progress(
        matcher.group(1).equals("DONE"),
        Long.parseLong(matcher.group(2)),
        Long.parseLong(matcher.group(3)));
  }

  @Test
  void aTaskOfManyRedrives_endsWithTrueCounts() throws IOException {
    String url = RedisProcess.sharedAndEmpty().url();
    bury(url);
    try {
      serve(0, url);
      serve(1, url);
      long begin = System.nanoTime();
      String order = "{\"queue\":\"orders\",\"action\":\"redrive\",\"rate\":" + RATE + "}";
      String begun = send(0, "POST /v1/tasks", order);
      String task = begun.replaceAll("(?s)^\\{\"id\":\"([^\"]+)\".*", "$1");
      for (int kill = 0; kill < KILLS; kill++) {
        int killed = kill % 2;
        long next = (kill + 1L) * COUNT / (KILLS + 1);
        await()
            .atMost(Duration.ofMinutes(10))
            .until(() -> progress(1 - killed, task).changed() >= next);
        servers[killed].kill();
        serve(killed, url);
      }
      await().atMost(Duration.ofMinutes(10)).until(() -> progress(0, task).isDone());

      Progress end = progress(1, task);
      long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
      log.info("{} redrives in {} s, {} kills: {}", COUNT, seconds, KILLS, end);
      assertThat(end.changed()).isBetween((long) COUNT - KILLS * PAGE, (long) COUNT);
      assertThat(end.gone()).isZero();
      try (Punctual punctual = Punctual.open(url)) {
        Counts counts = punctual.queue("orders", Codec.bytes()).counts();
        assertThat(counts.dead()).isZero();
        assertThat(counts.ready()).isEqualTo(COUNT);
      }
    } finally {
      for (JavaProcess server : servers) {
        if (server != null) {
          server.close();
        }
      }
    }
  }
}
