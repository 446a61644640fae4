package io.punctual.kit.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Message;
import io.punctual.kit.history.HistoryReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests runs on {@code memory:}, where each client has a store of its own: a message that a role
 * leaves in its store is lost for the judge.
 */
final class KillRunTest {
  @TempDir private Path directory;
  private KillRun run;

  @BeforeEach
  void create() {
    run = new KillRun(directory, "memory:", 42);
  }

  @AfterEach
  void close() {
    run.close();
  }

  /** Handles a message, and leaves a message that is due later. */
  private record Messages(boolean leavesOne) implements Role {
    @Override
    public boolean produces() {
      return true;
    }

    @Override
    public boolean endsByItself() {
      return true;
    }

    @Override
    public void play(Stage stage) throws InterruptedException {
      try (RecordedClient client = stage.open()) {
        CountDownLatch handled = new CountDownLatch(1);
        client.queue().work(delivery -> handled.countDown());
        client.queue().schedule(Message.of("now").id("handled"));
        if (leavesOne) {
          client.queue().schedule(Message.of("later").id("left").dueIn(Duration.ofHours(1)));
        }
        handled.await();
      }
    }
  }

  /** Waits until the run ends the role. */
  private record Waiting() implements Role {
    @Override
    public void play(Stage stage) throws InterruptedException {
      stage.ready().run();
      try {
        new CountDownLatch(1).await();
      } finally {
        System.out.println(stage.name() + " was ended");
      }
    }
  }

  private record Failing() implements Role {
    @Override
    public void play(Stage stage) {
      throw new IllegalArgumentException("as intended");
    }
  }

  @Test
  void judge_threadAndProcess_readsBothHistories() {
    run.startThread(new Messages(false));
    RoleProcess process = run.start(new Messages(true));
    HistoryReport report = run.judge().report();

    assertThat(report.scheduled()).as("%s", report).isEqualTo(3);
    assertThat(process.hasDeliveries()).isTrue();
  }

  @Test
  void judge_nothingIsLost_isClean() {
    run.startThread(new Messages(false));
    assertThat(run.judge().expectClean().acked()).isOne();
  }

  @Test
  void judge_messageIsLost_failsEachExpectation() {
    run.startThread(new Messages(true));
    Verdict verdict = run.judge();

    assertThat(verdict.lost()).containsExactly(verdict.confirmed().get("left"));
    assertThatThrownBy(verdict::expectClean).hasMessageContaining("promises were broken");
    assertThatThrownBy(verdict::expectNothingLost).hasMessageContaining("were lost");
    assertThatThrownBy(() -> verdict.expectLostWithin(Duration.ofSeconds(1), Long.MAX_VALUE))
        .hasMessageContaining("long before the kill");
  }

  @Test
  void judge_nothingWasDelivered_fails() {
    assertThatThrownBy(run::judge).hasMessageContaining("no message was delivered");
  }

  @Test
  void replaceOne_killsTheProcess_andStartsItsRoleAgain() {
    RoleProcess first = run.start(new Waiting());
    run.replaceOne(Waiting.class);
    run.awaitReady();

    assertThat(first.process().isAlive()).isFalse();
    assertThat(first.process().log()).doesNotContain("was ended");
    assertThat(run.killed()).containsExactly("waiting-0");
  }

  @Test
  void end_interruptsTheRole() {
    RoleProcess process = run.start(new Waiting());
    process.end();
    assertThat(process.process().log()).contains("waiting-0 was ended");
  }

  @Test
  void awaitReady_roleFails_failsWithItsOutput() {
    run.start(new Failing());
    assertThatThrownBy(run::awaitReady).hasMessageContaining("as intended");
  }

  @Test
  void train_laterProcess_usesTheArchive() {
    run.train(new Messages(false));
    RoleProcess process = run.start(new Waiting()).awaitReady();
    run.kill(process);
    assertThat(directory.resolve("classes.jsa")).isNotEmptyFile();
  }
}
