package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests folders without a journal, which may be on a disk that is not mounted. */
final class NewJournalTest {
  @TempDir Path parent;

  private Path mountPoint() throws IOException {
    return Files.createDirectories(parent.resolve("mounted"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mounted", "mounted/journal", "elsewhere"})
  void open_noJournalAndNoneMayBeCreated_isRefusedAndChangesNothing(String path)
      throws IOException {
    Path mountPoint = mountPoint();
    Path folder = parent.resolve(path);

    assertThatThrownBy(() -> Punctual.open("journal:" + folder + "?create=false"))
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("create=false")
        .hasMessageContaining("mounted");
    assertThatThrownBy(() -> JournalStore.builder(folder).create(false).open())
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("There is no");

    assertThat(mountPoint).isEmptyDirectory();
    assertThat(parent.resolve("elsewhere")).doesNotExist();
  }

  @Test
  void open_journalIsThere_opensWithoutTheRightToCreateOne() {
    Path folder = parent.resolve("journal");
    try (Punctual punctual = Punctual.open("journal:" + folder + "?create=true")) {
      punctual.queue("q", Codec.string()).schedule("a", Duration.ofDays(1));
    }
    try (Punctual punctual = Punctual.open("journal:" + folder + "?create=false")) {
      assertThat(punctual.queue("q", Codec.string()).counts().scheduled()).isEqualTo(1);
    }
    assertThat(NewJournal.of(folder, true)).isEqualTo(NewJournal.NONE);
  }

  @Test
  void open_createIsNotTrueOrFalse_isRefused() {
    assertThatThrownBy(() -> Punctual.open("journal:" + parent + "?create=maybe"))
        .hasStackTraceContaining("create must be true or false, but was 'maybe'");
  }

  /** The folder of a disk that is not mounted is empty. */
  @ParameterizedTest
  @ValueSource(strings = {"mounted", "mounted/journal", "mounted/a/b/journal"})
  void of_folderIsEmptyOrInAnEmptyFolder_mayBeADiskThatIsNotMounted(String path)
      throws IOException {
    Files.createDirectory(mountPoint().resolve("lost+found"));

    assertThat(NewJournal.of(parent.resolve(path), true))
        .isEqualTo(NewJournal.CREATED_IN_EMPTY_FOLDER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mounted", "mounted/journal"})
  void of_otherFilesAreThere_isAnOrdinaryNewJournal(String path) throws IOException {
    Files.createFile(mountPoint().resolve("application.yaml"));

    assertThat(NewJournal.of(parent.resolve(path), true)).isEqualTo(NewJournal.CREATED);
  }
}
