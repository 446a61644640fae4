package io.punctual.journal.disk;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the files of a folder that has more files than it keeps open. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class OpenChannelsTest {
  private static final int FILES = 200;
  private static final int MOST = 64;

  @TempDir Path parent;

  private Disk disk() throws IOException {
    return new FolderDisk(parent.toRealPath(), () -> {}, null);
  }

  private static List<DiskFile> files(Disk disk) throws IOException {
    List<DiskFile> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      DiskFile file = disk.create("file-" + i);
      file.write(ByteBuffer.wrap(content(i).getBytes(US_ASCII)), 0);
      file.endWrites();
      files.add(file);
    }
    return files;
  }

  private static String content(int file) {
    return "%08d".formatted(file);
  }

  private static String read(DiskFile file) throws IOException {
    return US_ASCII.decode(file.read(0, 8)).toString();
  }

  private long openFiles() throws IOException {
    String folder = parent.toRealPath().toString();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(descriptor -> target(descriptor).startsWith(folder)).count();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "";
    }
  }

  private static void close(List<DiskFile> files) throws IOException {
    for (DiskFile file : files) {
      file.close();
    }
  }

  @Test
  void read_moreFilesThanChannels_opensThemAgain() throws IOException {
    List<DiskFile> files = files(disk());
    for (int i = 0; i < FILES; i++) {
      assertThat(read(files.get(i))).isEqualTo(content(i));
      assertThat(files.get(i).size()).isEqualTo(8);
    }
    assertThat(openFiles()).isEqualTo(MOST);
    close(files);
    assertThat(openFiles()).isZero();
    assertThatThrownBy(() -> read(files.get(0))).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> read(files.get(FILES - 1))).isInstanceOf(ClosedChannelException.class);
    assertThat(openFiles()).isZero();
  }

  @Test
  void open_existingFiles_keepsFewOpen() throws IOException {
    close(files(disk()));
    Disk disk = disk();
    List<DiskFile> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      files.add(disk.open("file-" + i));
    }
    assertThat(openFiles()).isEqualTo(MOST);
    for (int i = 0; i < FILES; i++) {
      assertThat(read(files.get(i))).isEqualTo(content(i));
    }
    close(files);
    assertThat(openFiles()).isZero();
  }

  @Test
  void read_fileWasReplacedOrDeletedMeanwhile_fails() throws IOException {
    List<DiskFile> files = files(disk());
    Path replaced = parent.resolve("file-0");
    Path other = Files.writeString(parent.resolve("other"), "replaced");
    Files.delete(replaced);
    Files.move(other, replaced);
    Files.delete(parent.resolve("file-1"));

    assertThatThrownBy(() -> read(files.get(0))).hasMessageContaining("has replaced");
    assertThatThrownBy(() -> read(files.get(1))).isInstanceOf(NoSuchFileException.class);
    assertThat(read(files.get(2))).isEqualTo(content(2));
    close(files);
    assertThat(openFiles()).isZero();
  }

  /** A moved folder, or one whose rights were taken away, may come back with all its messages. */
  @Test
  void read_folderIsNotOursAnyMore_saysThatItMayPass() throws IOException {
    AtomicBoolean isLost = new AtomicBoolean();
    FolderDisk.OwnerCheck owner =
        () -> {
          if (isLost.get()) {
            throw new IOException("its owner file is gone");
          }
        };
    List<DiskFile> files = files(new FolderDisk(parent.toRealPath(), owner, null));
    Path first = parent.resolve("file-0");
    Path moved = Files.move(first, parent.resolve("moved"));
    isLost.set(true);
    assertThatThrownBy(() -> read(files.get(0)))
        .isInstanceOf(OpenFailedException.class)
        .hasMessageContaining("owner file is gone");
    Files.writeString(first, "replaced");
    assertThatThrownBy(() -> read(files.get(0))).isInstanceOf(OpenFailedException.class);
    Files.delete(first);
    Files.move(moved, first);
    isLost.set(false);
    assertThat(read(files.get(0))).isEqualTo(content(0));
    close(files);
  }

  /** A reader that has too many open files, in whose folder the owner deletes a file. */
  @Test
  void read_ownerHasDeletedAPinnedFile_saysThatItMayPass() throws IOException {
    close(files(disk()));
    Disk disk = FolderDisk.pinning(parent.toRealPath(), 1);
    DiskFile closed = disk.open("file-0");
    DiskFile open = disk.open("file-1");
    Files.delete(parent.resolve("file-0"));
    Files.delete(parent.resolve("file-1"));
    assertThat(read(open)).isEqualTo(content(1));
    assertThatThrownBy(() -> read(closed))
        .isInstanceOf(OpenFailedException.class)
        .hasMessageContaining("has deleted a file");
    close(List.of(open, closed));
  }

  /** The rights of root can't be taken away. */
  @Test
  void read_rightsWereTakenAway_saysThatItMayPass() throws IOException {
    List<DiskFile> files = files(disk());
    Path first = parent.resolve("file-0");
    Files.setPosixFilePermissions(first, Set.of());
    if (!Files.isReadable(first)) {
      assertThatThrownBy(() -> read(files.get(0)))
          .isInstanceOf(OpenFailedException.class)
          .hasMessageContaining("denied");
    }
    Files.setPosixFilePermissions(first, PosixFilePermissions.fromString("rw-------"));
    assertThat(read(files.get(0))).isEqualTo(content(0));
    close(files);
  }

  /** An interrupt closes the channel of the read. The file must be readable all the same. */
  @Test
  void read_interrupted_closesTheChannelOfThisReadOnly() throws IOException {
    List<DiskFile> files = files(disk());
    DiskFile file = files.get(FILES - 1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> read(file)).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(read(file)).isEqualTo(content(FILES - 1));
    close(files);
    assertThat(openFiles()).isZero();
  }

  /** The folder is a file, so that no file of it can be opened, whatever the file. */
  @Test
  void open_noFileCanBeOpened_saysThatItMayPass() throws IOException {
    Path notAFolder = Files.writeString(parent.resolve("not-a-folder"), "");
    OpenChannels channels = new OpenChannels(notAFolder.resolve("missing"), 1);
    assertThatThrownBy(() -> channels.open(parent.resolve("x".repeat(5000))))
        .isInstanceOf(OpenFailedException.class)
        .hasMessageContaining("could not be opened")
        .hasMessageContaining("too long");
  }

  /** The folder can be opened between two attempts, because sockets of the process come and go. */
  @Test
  void open_othersTakeTheFreeDescriptorSeveralTimes_opensInTheEnd() throws IOException {
    AtomicInteger attempts = new AtomicInteger();
    OpenChannels channels = new OpenChannels(parent.toRealPath(), 1);
    String opened =
        channels.makingRoom(
            () -> {
              if (attempts.incrementAndGet() < 10) {
                throw new FileSystemException("file", null, "Too many open files");
              }
              return "opened";
            });
    assertThat(opened).isEqualTo("opened");
  }

  @Test
  void open_onlyThisFileCannotBeOpened_failsForGood() throws IOException {
    Disk disk = disk();
    assertThatThrownBy(() -> disk.open("x".repeat(5000)))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(OpenFailedException.class)
        .hasMessageContaining("too long");
  }

  @Test
  void reads_otherThreadsEndWritesAndCloseFiles_readTheirOwnFile() throws Exception {
    Disk disk = disk();
    for (int round = 0; round < 3; round++) {
      List<DiskFile> files = new ArrayList<>();
      for (int i = 0; i < FILES; i++) {
        DiskFile file = disk.create("file-" + i);
        file.write(ByteBuffer.wrap(content(i).getBytes(US_ASCII)), 0);
        files.add(file);
      }
      List<CompletableFuture<?>> readers = new ArrayList<>();
      for (int reader = 0; reader < 2; reader++) {
        Random random = new Random(reader);
        readers.add(CompletableFuture.runAsync(() -> readSome(files, random)));
      }
      for (DiskFile file : files) {
        file.endWrites();
      }
      CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
      CompletableFuture<?> late = CompletableFuture.runAsync(() -> readUntilClosed(files));
      close(files);
      late.join();
      assertThat(openFiles()).isZero();
    }
  }

  private static void readSome(List<DiskFile> files, Random random) {
    for (int i = 0; i < 1000; i++) {
      int file = random.nextInt(FILES);
      try {
        assertThat(read(files.get(file))).isEqualTo(content(file));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void readUntilClosed(List<DiskFile> files) {
    for (int i = 0; i < FILES; i++) {
      try {
        assertThat(read(files.get(i))).isEqualTo(content(i));
      } catch (ClosedChannelException e) {
        // The file was closed, as asked.
        assertThat(files.get(i)).isNotNull();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
