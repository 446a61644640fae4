package io.punctual.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.PunctualException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the answers to calls if an answer fails at first with an error. */
@Timeout(300)
final class FailurePathTest {
  private final List<Frame> submitted = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private Disk disk;
  private ManifestFile manifest;
  private RecordLog log;

  @BeforeEach
  void open(@TempDir Path folder) throws IOException {
    disk = Folder.read(folder).disk();
    manifest = new ManifestFile(disk, new Manifest(1, 2, 3, List.of()));
    log = new RecordLog(new Segments(), manifest, submitted::add, 4096, into -> into.marks(1, 1));
  }

  /** A confirmation and a task whose first answers fail. */
  private final class Call implements Frame.Confirmation, JournalThread.Task {
    private final String id;
    private final AtomicInteger failures;
    private final CompletableFuture<String> answer = new CompletableFuture<>();

    Call(String id, int failures) {
      this.id = id;
      this.failures = new AtomicInteger(failures);
    }

    private void answer(String what) {
      if (failures.getAndDecrement() > 0) {
        throw new InternalError("seeded failure");
      }
      answers.add(what + " " + id);
      answer.complete(what);
    }

    @Override
    public void confirmed() {
      answer("confirmed");
    }

    @Override
    public void failed(RuntimeException why) {
      answer("failed");
    }

    @Override
    public void run() {
      answer("ran");
    }

    @Override
    public void refused(RuntimeException why) {
      answer("refused");
    }

    @Override
    public void failed(Throwable cause) {
      answer("failed");
    }
  }

  private void append(Call... calls) {
    log.records().marks(2, 2);
    for (Call call : calls) {
      log.whenSafe(call);
    }
  }

  @Test
  void fail_confirmationsThrow_nextCallFailsEachOfThem() {
    append(new Call("a", 0), new Call("b", 2), new Call("c", 1));
    for (int i = 0; i < 3; i++) {
      failLog();
    }

    log.fail(new PunctualException("seeded failure"));

    assertThat(answers).containsExactly("failed a", "failed b", "failed c");
  }

  private void failLog() {
    try {
      log.fail(new PunctualException("seeded failure"));
    } catch (InternalError seeded) {
      // As the journal's thread does, which calls it again.
    }
  }

  @Test
  void confirm_confirmationThrows_isFailedWithTheConfirmationsAfterIt() {
    append(new Call("a", 0), new Call("b", 1), new Call("c", 0));
    log.flush();
    log.written(submitted.get(0));
    try {
      boolean unused = log.confirm();
    } catch (InternalError seeded) {
      // The journal's thread fails the log then.
    }

    log.fail(new PunctualException("seeded failure"));

    assertThat(answers).containsExactly("confirmed a", "failed b", "failed c");
  }

  @Test
  void run_taskThrowsAndSoDoesItsFailure_taskIsFailedAndTheNextTaskRuns() throws Exception {
    List<Throwable> causes = new ArrayList<>();
    JournalThread thread = new JournalThread("journal", causes::add);
    Call broken = new Call("broken", 3);
    Call next = new Call("next", 0);
    thread.start(log);
    thread.execute(broken);
    thread.execute(next);

    assertThat(broken.answer.get(30, TimeUnit.SECONDS)).isEqualTo("failed");
    assertThat(next.answer.get(30, TimeUnit.SECONDS)).isEqualTo("ran");
    thread.stop();
    assertThat(causes).hasSize(1).first().isInstanceOf(InternalError.class);
  }

  @Test
  void refuse_refusalThrows_taskIsFailed() throws Exception {
    JournalThread thread = new JournalThread("journal", cause -> {});
    Call broken = new Call("broken", 1);
    Call next = new Call("next", 0);
    thread.start(log);
    thread.executeInAnyCase(thread::refuseOthers, cause -> {});
    thread.execute(broken);
    thread.execute(next);

    assertThat(broken.answer.get(30, TimeUnit.SECONDS)).isEqualTo("failed");
    assertThat(next.answer.get(30, TimeUnit.SECONDS)).isEqualTo("refused");
    thread.stop();
  }

  @Test
  void stop_refusalThrows_otherTasksAreRefused() {
    JournalThread neverStarted = new JournalThread("journal", cause -> {});
    Call next = new Call("next", 0);
    neverStarted.execute(new Call("broken", 1));
    neverStarted.execute(next);

    neverStarted.stop();

    assertThat(next.answer).isCompletedWithValue("refused");
  }

  @Test
  void write_listenerThrowsAnError_waitingForceEnds() throws Exception {
    BreakingListener listener = new BreakingListener();
    LogWriter writer = new LogWriter(disk, manifest, 0, new Space(disk, 0), "writer", listener);
    listener.writer = writer;
    append();
    log.flush();
    writer.start();
    writer.submit(submitted.get(0));

    assertThat(listener.failure.get(30, TimeUnit.SECONDS)).isInstanceOf(InternalError.class);
    writer.close();
    assertThat(listener.force).isCompletedWithValue(false);
    assertThat(writer.forceWritten()).isCompletedWithValue(false);
  }

  /** Asks for a force while the writer reports a frame, and then ends the writer's thread. */
  private static final class BreakingListener implements LogWriter.FrameListener {
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private LogWriter writer;
    private CompletableFuture<Boolean> force;

    @Override
    public void written(Frame frame) {
      force = writer.forceWritten();
      throw new InternalError("seeded failure");
    }

    @Override
    public void failed(Throwable cause) {
      failure.complete(cause);
    }
  }
}
