package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.LockHandle;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LockCommandTest {
  private static RedisProcess redis;
  private static RedisLocks locks;

  private final Cli cli = new Cli();

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    locks = RedisLocks.builder().url(redis.url()).name("billing").open();
  }

  @AfterAll
  static void stop() {
    locks.close();
    redis.close();
  }

  @BeforeEach
  void useIt() {
    cli.environment.put("PUNCTUAL_STORE", redis.url());
  }

  @Test
  void list_hasEachHolderOfEachKind() throws InterruptedException {
    try (LockHandle invoice = locks.mutex("invoice:42").acquire();
        LockHandle permit = locks.semaphore("pool", 3).acquire()) {
      Cli.Result table = cli.run("lock", "list");
      Cli.Result rows = cli.run("lock", "list", "-o", "json");

      assertThat(table.exitCode()).isZero();
      assertThat(table.out())
          .startsWith("KIND")
          .containsPattern("mutex +invoice:42 +\\S.* +" + invoice.fencingToken());
      assertThat(rows.json().size()).isEqualTo(2);
      assertThat(rows.json().get(0).get("kind").asString()).isEqualTo("mutex");
      assertThat(rows.json().get(0).get("fencingToken").asLong()).isEqualTo(invoice.fencingToken());
      assertThat(rows.json().get(1).has("fencingToken")).isFalse();
      assertThat(permit.isHeld()).isTrue();
    }
    assertThat(cli.run("lock", "list", "-o", "json").json().isEmpty()).isTrue();
  }

  @Test
  void list_namesTheProcessThatHoldsALock() throws InterruptedException {
    long pid = ProcessHandle.current().pid();
    try (LockHandle handle = locks.mutex("named").acquire()) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> cli.run("lock", "show", "named").out().contains(pid + "@"));

      assertThat(cli.run("lock", "show", "named").out())
          .containsPattern("named +" + pid + "@\\S+ billing +" + handle.fencingToken());
      Cli.Result json = cli.run("lock", "list", "-o", "json");
      assertThat(json.json().get(0).get("holder").asString()).isEqualTo(handle.id());
      assertThat(json.json().get(0).get("pid").asLong()).isEqualTo(pid);
      assertThat(json.json().get(0).get("client").asString()).isEqualTo("billing");
      assertThat(json.json().get(0).get("host").asString()).isNotEmpty();
    }
  }

  @Test
  void show_unknown_isThree() throws InterruptedException {
    try (LockHandle handle = locks.mutex("a").acquire()) {
      assertThat(cli.run("lock", "show", "a").out()).contains("mutex");
      assertThat(handle.isHeld()).isTrue();
    }
    Cli.Result result = cli.run("lock", "show", "a");
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.err()).contains("'a'");
  }

  @Test
  void release_takesItAway_onlyByForce() throws InterruptedException {
    try (LockHandle handle = locks.mutex("b").acquire()) {
      assertThat(cli.run("lock", "release", "b").exitCode()).isEqualTo(2);
      assertThat(handle.isHeld()).isTrue();
      assertThat(cli.run("lock", "release", "b", "--force").exitCode()).isZero();
      assertThat(cli.run("lock", "release", "b", "--force").exitCode()).isEqualTo(3);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> locks.mutex("b").tryAcquire().map(LockHandle::release).isPresent());
    }
  }

  @Test
  void release_takesTheKindAsTheListNamesIt() throws InterruptedException {
    try (LockHandle handle = locks.readWrite("c").write().acquire()) {
      String kind = cli.run("lock", "show", "c", "-o", "json").json().get(0).get("kind").asString();

      assertThat(cli.run("lock", "release", "c", "--force", "--kind", kind).exitCode()).isZero();

      assertThat(handle.isHeld()).as("until it is renewed").isTrue();
      assertThat(locks.find(LockKind.READ_WRITE, "c")).isEmpty();
    }
    Cli.Result wrong = cli.run("lock", "release", "c", "--force", "--kind", "nonsense");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("nonsense");
  }

  @Test
  void anotherStore_isWrongUsage() {
    cli.environment.put("PUNCTUAL_STORE", "memory:");

    Cli.Result result = cli.run("lock", "list");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("redis://");
    assertThat(cli.run("lock").exitCode()).isEqualTo(2);
  }
}
