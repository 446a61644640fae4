package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.journal.disk.FileNames;
import io.punctual.kit.process.Command;
import io.punctual.kit.process.JavaProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests that no file of a folder stays open once a journal is closed or refused to open. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class OpenDescriptorsTest {
  @TempDir Path parent;
  private Path folder;

  @BeforeEach
  void findFolder() throws IOException {
    folder = Files.createDirectory(parent.toRealPath().resolve("journal"));
  }

  private Punctual open() {
    return Punctual.open("journal:" + folder);
  }

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("q", Codec.string());
  }

  /** The files of the folder that this process has open, also if they were deleted. */
  private List<String> openFiles() throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        String file = target(descriptor);
        if (file.startsWith(folder.toString())) {
          open.add(file);
        }
      }
    }
    return open;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      // It was closed meanwhile, such as the one that has listed the folder.
      return "";
    }
  }

  @Test
  void close_journalWorked_closesAllFiles() throws IOException {
    try (Punctual punctual = open()) {
      queue(punctual).schedule("a", Duration.ZERO);
      assertThat(queue(punctual).claim(1, Duration.ofMinutes(1))).hasSize(1);
      assertThat(openFiles()).isNotEmpty();
    }
    assertThat(openFiles()).isEmpty();
  }

  @Test
  void close_journalHadFailed_closesAllFiles() throws IOException {
    try (Punctual punctual = open()) {
      TimedQueue<String> queue = queue(punctual);
      queue.schedule("a", Duration.ZERO);
      assertThat(queue.claim(1, Duration.ofMinutes(1))).hasSize(1);
      Files.writeString(folder.resolve(FileNames.OWNER), "pid 1\nanother\n");
      assertThatThrownBy(() -> queue.schedule("b", Duration.ZERO))
          .isInstanceOf(PunctualException.class);
    }
    assertThat(openFiles()).isEmpty();
  }

  @Test
  void open_journalIsDamaged_closesAllFiles() throws IOException {
    for (String run : List.of("first", "second")) {
      try (Punctual punctual = open()) {
        queue(punctual).schedule(run, Duration.ofDays(1));
      }
    }
    try (Stream<Path> files = Files.list(folder)) {
      Path last =
          files
              .filter(file -> FileNames.isSegment(file.getFileName().toString()))
              .max(Path::compareTo)
              .orElseThrow();
      Files.writeString(last, "no segment");
    }
    assertThatThrownBy(this::open).isInstanceOf(PunctualException.class);
    assertThatThrownBy(() -> Punctual.open("journal:" + folder + "?access=read"))
        .isInstanceOf(PunctualException.class);
    assertThatThrownBy(() -> JournalTool.stats(folder)).isInstanceOf(PunctualException.class);
    assertThat(openFiles()).isEmpty();
  }

  @Test
  void open_folderHasAnOwner_closesAllFiles() throws IOException {
    try (Punctual punctual = open()) {
      queue(punctual).schedule("a", Duration.ofDays(1));
      List<String> before = openFiles();
      assertThatThrownBy(this::open).isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> JournalTool.verify(folder))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(openFiles()).hasSameSizeAs(before);
    }
    assertThat(openFiles()).isEmpty();
  }

  /**
   * A channel to the lock file must stay open as long as a different class loader owns the folder.
   * It must be one channel only, and closed when that owner is gone.
   */
  @Test
  void open_ownerIsInAnotherClassLoader_keepsOneFileOpenUntilTheOwnerIsGone() throws IOException {
    open().close();
    try (FileChannel channel =
            FileChannel.open(folder.resolve(FileNames.OWNER), StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(this::open).hasMessageContaining("another class loader");
      }
      assertThat(lock.isValid()).isTrue();
      assertThat(openFiles()).hasSize(2);
    }
    open().close();
    assertThat(openFiles()).isEmpty();
  }

  @Test
  void open_segmentsAreMany_keepsFewFilesOpen() throws IOException {
    int messages;
    try (JournalStore store = ManySegments.open(folder)) {
      messages = ManySegments.fill(store, folder, 100);
      assertThat(openFiles()).hasSizeLessThan(80);
    }
    assertThat(openFiles()).isEmpty();
    try (JournalStore store = ManySegments.open(folder)) {
      assertThat(openFiles()).hasSizeLessThan(80);
      ManySegments.readAll(store, messages);
      assertThat(openFiles()).hasSizeLessThan(80);
    }
    assertThat(openFiles()).isEmpty();
  }

  /**
   * The process may open fewer files than the journal has, and later no further file at all. It is
   * no {@link JavaProcess}, which needs file descriptors to watch this process.
   */
  @Test
  @Tag("extended")
  void process_limitOfOpenFilesIsBelowTheSegments_worksAllTheSame() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> words = new ArrayList<>(List.of("sh", "-c", "ulimit -n 200 && exec \"$@\"", "sh"));
    words.addAll(List.of(java, "-Xmx128m", "-cp", JavaProcess.classPath()));
    words.addAll(List.of(ManySegments.class.getName(), folder.toString()));
    assertThat(Command.of(words).run()).contains("Too many open files", "worked");
  }
}
