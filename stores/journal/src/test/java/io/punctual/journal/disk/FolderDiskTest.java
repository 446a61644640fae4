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
}
