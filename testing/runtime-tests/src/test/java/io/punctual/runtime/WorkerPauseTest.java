package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.PauseWorkerOutcome;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerAnnouncement;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the pauses of workers that an operator asks for from another process. */
class WorkerPauseTest {
  private final AnnouncingStore store = new AnnouncingStore();
  private final List<String> handled = new ArrayList<>();

  private Punctual client() {
    return Punctual.builder().store(store.view()).timer(store.clock).build();
  }

  private Worker work(Punctual client, String name) {
    WorkerOptions options = WorkerOptions.builder().name(name).executor(Runnable::run).build();
    return queue(client).work(options, delivery -> handled.add(name));
  }

  private static TimedQueue<String> queue(Punctual client) {
    return client.queue("q", Codec.string());
  }

  private static WorkerInfo info(Punctual client, String name) {
    return client.workers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void seconds(int seconds) {
    store.clock.advance(Duration.ofSeconds(seconds));
  }

  @Test
  void pauseWorker_fromAnotherProcess_isObeyedUntilTheResume() {
    try (Punctual client = client();
        Punctual operator = client()) {
      Worker worker = work(client, "a");
      seconds(1);
      String id = info(operator, "a").id();
      assertThat(operator.pauseWorker(id)).isEqualTo(PauseWorkerOutcome.REQUESTED);
      assertThat(worker.isPaused()).isFalse();
      seconds(11);
      assertThat(worker.isPaused()).isTrue();
      assertThat(info(operator, "a").isPaused()).isTrue();
      assertThat(info(operator, "a").isPausedByOperator()).isTrue();
      queue(operator).schedule("x", Duration.ZERO);
      seconds(3600);
      assertThat(handled).isEmpty();
      assertThat(worker.isPaused()).as("after the note is forgotten").isTrue();
      assertThat(operator.resumeWorker(id)).isEqualTo(PauseWorkerOutcome.REQUESTED);
      seconds(11);
      assertThat(handled).containsExactly("a");
      assertThat(info(operator, "a").isPaused()).isFalse();
    }
  }

  @Test
  void resume_byTheProcess_doesNotEndThePauseOfTheOperator() {
    try (Punctual client = client()) {
      Worker worker = work(client, "a");
      seconds(1);
      String id = info(client, "a").id();
      worker.pause();
      assertThat(client.pauseWorker(id)).isEqualTo(PauseWorkerOutcome.REQUESTED);
      worker.resume();
      assertThat(worker.isPaused()).isTrue();
      worker.pause();
      assertThat(client.resumeWorker(id)).isEqualTo(PauseWorkerOutcome.REQUESTED);
      assertThat(worker.isPaused()).isTrue();
      seconds(1);
      assertThat(info(client, "a").isPausedByOperator()).isFalse();
      worker.resume();
      assertThat(worker.isPaused()).isFalse();
      queue(client).schedule("x", Duration.ZERO);
      seconds(1);
      assertThat(handled).containsExactly("a");
    }
  }

  @Test
  void pauseWorker_twoOperatorsAtOnce_bothAreObeyed() {
    try (Punctual client = client();
        Punctual one = client();
        Punctual two = client()) {
      Worker first = work(client, "a");
      Worker second = work(client, "b");
      Worker third = work(client, "c");
      seconds(1);
      one.pauseWorker(info(one, "a").id());
      two.pauseWorker(info(two, "b").id());
      two.pauseWorker(info(two, "c").id());
      one.resumeWorker(info(one, "c").id());
      seconds(11);
      assertThat(first.isPaused()).isTrue();
      assertThat(second.isPaused()).isTrue();
      assertThat(third.isPaused()).isFalse();
    }
  }

  /** The note of the operator is still in the store when a note for another worker is read. */
  @Test
  void obeyedNote_isNotObeyedAgain() {
    try (Punctual client = client();
        Punctual operator = client()) {
      Worker worker = work(client, "a");
      work(client, "b");
      seconds(1);
      operator.pauseWorker(info(operator, "a").id());
      seconds(11);
      assertThat(worker.isPaused()).isTrue();
      client.resumeWorker(info(client, "a").id());
      operator.pauseWorker(info(operator, "b").id());
      seconds(11);
      assertThat(info(client, "b").isPaused()).isTrue();
      assertThat(worker.isPaused()).isFalse();
      operator.pauseWorker(info(operator, "a").id());
      seconds(11);
      assertThat(worker.isPaused()).isTrue();
    }
  }

  @Test
  void pauseWorker_whileTheProcessHasNoStore_isObeyedAfterwards() {
    try (Punctual client = client();
        Punctual operator = client()) {
      Worker worker = work(client, "a");
      seconds(1);
      operator.pauseWorker(info(operator, "a").id());
      store.isDown = true;
      seconds(200);
      assertThat(worker.isPaused()).isFalse();
      store.isDown = false;
      seconds(11);
      assertThat(worker.isPaused()).isTrue();
    }
  }

  @Test
  void pauseWorker_unknownOrEndedWorker_isNotFound() {
    try (Punctual client = client();
        Punctual operator = client()) {
      Worker worker = work(client, "a");
      seconds(1);
      String id = info(operator, "a").id();
      worker.close();
      seconds(1);
      for (String unknown : List.of(id, "", "-", "x", "x-1", id + "1", "\u00e4 b-")) {
        assertThat(operator.pauseWorker(unknown)).isEqualTo(PauseWorkerOutcome.NOT_FOUND);
      }
    }
  }

  @Test
  void pauseWorker_processOfAnEarlierVersion_isNotSupported() {
    try (Punctual operator = client()) {
      store.announced("earlier", "1\tweb-3\t4711\t0.9\n1700000000000\t8\trunning\torders\tnight");
      assertThat(operator.pauseWorker(info(operator, "night").id()))
          .isEqualTo(PauseWorkerOutcome.NOT_SUPPORTED);
    }
  }

  @Test
  void pauseWorker_storeWithoutAListOfWorkers_pausesThoseOfTheClient() {
    try (Punctual client = Punctual.builder().store(store.memory).timer(store.clock).build()) {
      Worker worker = work(client, "a");
      assertThat(client.pauseWorker("other-1")).isEqualTo(PauseWorkerOutcome.NOT_FOUND);
      assertThat(client.pauseWorker(info(client, "a").id()))
          .isEqualTo(PauseWorkerOutcome.REQUESTED);
      assertThat(worker.isPaused()).isTrue();
    }
  }

  /** A server has thousands of workers of other processes. */
  @Test
  void manyWorkers_readOneTextAtAnInterval() {
    try (Punctual client = client();
        Punctual operator = client()) {
      for (int i = 0; i < 2500; i++) {
        client.announce(WorkerAnnouncement.of("q", "w" + i));
      }
      seconds(10);
      int before = store.listings;
      seconds(100);
      assertThat(store.listings - before).isBetween(9, 11);
      operator.pauseWorker(info(operator, "w2400").id());
      before = store.listings;
      seconds(11);
      assertThat(store.listings - before).isBetween(4, 6);
      assertThat(operator.workers()).filteredOn(WorkerInfo::isPaused).hasSize(1);
    }
  }
}
