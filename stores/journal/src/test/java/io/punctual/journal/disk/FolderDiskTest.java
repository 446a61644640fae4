package io.punctual.journal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FolderDiskTest {
  @TempDir Path parent;

  /** The folder was deleted, so that a force that opened it would fail. */
  @Test
  void force_folderCannotBeOpenedAnyMore_needsNoNewFileDescriptor() throws IOException {
    Path folder = Files.createDirectory(parent.resolve("journal"));
    try (FileChannel directory = Directories.open(folder)) {
      FolderDisk disk = new FolderDisk(folder, () -> {}, directory);
      Files.delete(folder);
      assertThatCode(disk::force).doesNotThrowAnyException();
    }
  }

  @Test
  void create_systemRefuses_failsInAWayThatCanBeRepeated() throws IOException {
    FolderDisk disk = new FolderDisk(parent, () -> {}, null);
    assertThatThrownBy(() -> disk.create("x".repeat(5000)))
        .isInstanceOf(CreateFailedException.class)
        .hasMessageContaining("could not be created")
        .hasMessageContaining("too long");
  }

  /** A folder that was deleted or moved is lost, so the creation must not be repeated. */
  @Test
  void create_folderWasDeleted_failsForGood() {
    FolderDisk disk = new FolderDisk(parent.resolve("missing"), () -> {}, null);
    assertThatThrownBy(() -> disk.create("a")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void take_closed_folderCanBeTakenAgain() throws Exception {
    Folder.take(parent, true).ownership().close();
    Folder again = Folder.take(parent, true);
    assertThat(again.disk().list()).contains(FileNames.OWNER);
    again.ownership().close();
  }

  /** Some network file systems answer the force of a folder with "Invalid argument". */
  @Test
  void take_foldersCannotBeForced_worksIfNetworkFileSystemsAreAllowed() throws Exception {
    Directories.Force refusing =
        folder -> {
          throw new IOException("Invalid argument");
        };
    Path folder = parent.resolve("journal");
    assertThatThrownBy(() -> Folder.take(folder, false, refusing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Invalid argument");

    Folder taken = Folder.take(folder, true, refusing);
    try (AutoCloseable ownership = taken.ownership()) {
      assertThat(ownership).isNotNull();
      taken.disk().create("a").close();
      assertThatCode(taken.disk()::force).doesNotThrowAnyException();
    }
  }

  /** A chroot or a sandbox may have no entry for the folder in its table of mounts. */
  @Test
  void typeOf_fileSystemIsUnknown_countsAsLocal() {
    assertThat(RemoteFileSystems.typeOf(parent.resolve("missing"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'Max file size             16777216             unlimited            bytes     ', 16777216",
    "'Max file size             unlimited            unlimited            bytes     ',"
        + " 9223372036854775807",
    "'Max cpu time              unlimited            unlimited            seconds   ',"
        + " 9223372036854775807"
  })
  void limits_areReadFromTheFileOfTheProcess(String line, long limit) throws IOException {
    Path limits = Files.writeString(parent.resolve("limits"), "Limit   Soft Limit\n" + line + "\n");
    assertThat(ProcessLimits.read("Max file size", limits)).isEqualTo(limit);
    assertThat(ProcessLimits.read("Max open files", limits)).isEqualTo(Long.MAX_VALUE);
    assertThat(ProcessLimits.read("Max file size", parent.resolve("missing")))
        .isEqualTo(Long.MAX_VALUE);
  }
}
