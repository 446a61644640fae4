package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.log.CapturedLog;
import io.punctual.memory.MemoryStore;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.TaskOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the log lines of tasks that change many messages. */
class TaskLogTest {
  @Test
  void change_manyRefusals_logsTheFirstTen() {
    try (CapturedLog log = new CapturedLog();
        AudibleLog unused = new AudibleLog("io.punctual.tasks");
        Punctual punctual = Punctual.builder().store(MemoryStore.builder().build()).build()) {
      TimedQueue<String> queue = punctual.queue("refusals", Codec.string());
      for (int i = 0; i < 25; i++) {
        queue.schedule(Message.of("x").id("m" + i).dueIn(Duration.ofDays(340_000)));
      }
      MessageChange tooFar = MessageChange.shift(Duration.ofDays(30_000));
      assertThat(queue.change(MessageFilter.ALL, tooFar, TaskOptions.DEFAULT).await().refused())
          .isEqualTo(25);
      assertThat(log.linesWith("leaves out 'm")).hasSize(10);
    }
  }
}
