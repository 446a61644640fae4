package io.punctual.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders of servers. */
public final class Folders {
  private Folders() {}

  /** Creates an empty folder for temporary files, whose name starts with a prefix. */
  public static Path create(String prefix) {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes a folder with its content, as far as that is possible. */
  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // The rest stays in the system's folder for temporary files, for example because a dying
      // process still deletes files, too.
      return;
    }
  }
}
