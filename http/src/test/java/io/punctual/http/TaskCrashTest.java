package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.TimedQueue;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A task whose process is killed. */
final class TaskCrashTest {
  private static final int DEAD = 400;

  /** A process with the API; with a second argument, it begins a task. */
  public static final class Server {
    private Server() {}

    /** Runs until it is killed. */
    public static void main(String[] args) throws InterruptedException {
      try (ApiDriver api = new ApiDriver(args[0], builder -> builder)) {
        if (args.length > 1) {
          ApiDriver.Response task =
              api.post("/v1/tasks", "{'queue':'q','action':'delete','rate':100}").is(202);
          System.out.println("task " + task.at("/id").asString());
        }
        System.out.println("ready");
        new CountDownLatch(1).await();
      }
    }
  }

  @Test
  @Tag("extended")
  void taskOfAKilledProcess_goesOnInAnother() {
    String url = RedisProcess.sharedAndEmpty().url();
    try (ApiDriver api = new ApiDriver(url, builder -> builder.readOnly(true))) {
      TimedQueue<byte[]> queue = api.punctual.queue("q", Codec.bytes());
      bury(queue);
      String task;
      try (JavaProcess killed =
          JavaProcess.of(Server.class).small().arguments(url, "begin").ready("ready").start()) {
        task = killed.awaitLine("task ").substring("task ".length());
        await().until(() -> queue.counts().dead() < DEAD - 100);
        killed.kill();
      }
      long left = queue.counts().dead();
      assertThat(left).isPositive();
      try (JavaProcess next =
          JavaProcess.of(Server.class).small().arguments(url).ready("ready").start()) {
        next.expectAlive();
        JsonNode[] record = new JsonNode[1];
        await()
            .atMost(Duration.ofMinutes(2))
            .until(
                () -> {
                  record[0] = api.get("/v1/tasks/" + task).is(200).json();
                  return record[0].get("state").asString().equals("DONE");
                });
        assertThat(queue.counts().dead()).isZero();
        // The changes after the last write of the killed process are in no count.
        assertThat(record[0].get("changed").asLong()).isBetween(left, (long) DEAD);
      }
    }
  }

  private static void bury(TimedQueue<byte[]> queue) {
    for (int i = 0; i < DEAD; i++) {
      queue.schedule(new byte[] {1}, Duration.ZERO);
    }
    for (int buried = 0; buried < DEAD; ) {
      for (Delivery<byte[]> delivery : queue.claim(1000, Duration.ofSeconds(30))) {
        delivery.bury("for the test");
        buried++;
      }
    }
  }
}
