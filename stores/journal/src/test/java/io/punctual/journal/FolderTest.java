package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.journal.disk.Directories;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.disk.RemoteFileSystems;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the folder of a journal: its creation, its file system and its owner. */
@Timeout(300)
final class FolderTest {
  @TempDir Path folder;

  @Test
  void create_foldersWereMissing_forcesTheEntryOfEach() throws IOException {
    List<Path> forced = new ArrayList<>();
    Path real = folder.toRealPath();

    assertThat(Directories.create(folder.resolve("a/b/c"), forced::add))
        .isEqualTo(real.resolve("a/b/c"));

    assertThat(forced).containsExactly(real.resolve("a/b"), real.resolve("a"), real);
  }

  /**
   * The entry of an existing folder must be forced too, because the process that created the folder
   * may have died before it forced the entry.
   */
  @Test
  void create_folderIsThere_forcesItsEntryAllTheSame() throws IOException {
    List<Path> forced = new ArrayList<>();
    Directories.create(folder, forced::add);
    assertThat(forced).containsExactly(folder.toRealPath().getParent());
  }

  @Test
  void create_folderAboveMayNotBeRead_failsOnlyIfTheFolderIsNew() throws IOException {
    Directories.Force denied =
        above -> {
          throw new AccessDeniedException(above.toString());
        };
    assertThat(Directories.create(folder, denied)).isEqualTo(folder.toRealPath());
    assertThatThrownBy(() -> Directories.create(folder.resolve("new"), denied))
        .isInstanceOf(AccessDeniedException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nfs4", "virtiofs", "fuse.glusterfs", "fuse", "beegfs", "gpfs", "vboxsf", "CIFS"})
  void isRemote_aServerOrAHostAnswersForTheDisk_isTrue(String type) {
    assertThat(RemoteFileSystems.isRemote(type)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs", "btrfs", "zfs", "overlay", "tmpfs", "fuseblk", "NTFS"})
  void isRemote_localDisk_isFalse(String type) {
    assertThat(RemoteFileSystems.isRemote(type)).isFalse();
  }

  private static void scheduleUntilItFails(TimedQueue<String> queue) {
    for (int i = 0; true; i++) {
      queue.schedule("m" + i, Duration.ofDays(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"deleted", "recreated", "taken over", "folder moved"})
  void write_lockIsNotOursAnyMore_closesTheJournalForGood(String loss) throws IOException {
    Path journal = folder.resolve("journal");
    try (Punctual punctual = Punctual.open("journal:" + journal)) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule("before", Duration.ofDays(1));
      Path lock = journal.resolve(FileNames.OWNER);
      switch (loss) {
        case "deleted" -> Files.delete(lock);
        case "recreated" -> {
          String text = Files.readString(lock);
          Files.delete(lock);
          Files.writeString(lock, text);
        }
        case "taken over" -> Files.writeString(lock, "pid 1\nanother\n");
        default -> Files.move(journal, folder.resolve("elsewhere"));
      }

      assertThatThrownBy(() -> scheduleUntilItFails(queue))
          .isInstanceOf(PunctualException.class)
          .hasStackTraceContaining("closed for good")
          .hasStackTraceContaining("another process may own the folder");
    }
  }

  @Test
  void verifyAndStats_writeNothingAndNeedNoRightTo() throws IOException {
    try (JournalStore store = JournalStore.builder(folder).open()) {
      Session.of(store, "q").schedule("a", Session.FAR);
    }
    Map<String, FileTime> before = times();

    assertThat(JournalTool.verify(folder).damage()).isEmpty();
    assertThat(JournalTool.stats(folder).waiting()).isEqualTo(1);
    assertThat(times()).isEqualTo(before);

    Files.delete(folder.resolve(FileNames.OWNER));
    assertThat(JournalTool.stats(folder).waiting()).isEqualTo(1);
    assertThat(folder.resolve(FileNames.OWNER)).doesNotExist();
  }

  private Map<String, FileTime> times() throws IOException {
    Map<String, FileTime> times = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        times.put(file.toString(), Files.getLastModifiedTime(file));
      }
    }
    return times;
  }

  @Test
  void verify_journalIsOpen_isRefusedAndTheOwnerStaysTheOwner() throws Exception {
    try (JournalStore store = JournalStore.builder(folder).open()) {
      assertThatThrownBy(() -> JournalTool.verify(folder))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("pid " + ProcessHandle.current().pid());
      Session session = Session.of(store, "q");
      session.schedule("a", Session.FAR);
      TimeUnit.MILLISECONDS.sleep(150);
      session.schedule("b", Session.FAR);
    }
  }

  @Test
  void open_whileItIsVerified_isRefused() throws Exception {
    JournalStore.builder(folder).open().close();
    Folder looked = Folder.look(folder);
    assertThatThrownBy(() -> JournalStore.builder(folder).open())
        .isInstanceOf(StoreUnavailableException.class);
    looked.ownership().close();
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> JournalStore.builder(folder).open().close());
  }
}
