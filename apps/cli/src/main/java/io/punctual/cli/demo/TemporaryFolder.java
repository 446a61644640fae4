package io.punctual.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A new folder in the system's folder for temporary files.
 *
 * @param path the path of the folder
 */
record TemporaryFolder(Path path) {
  static TemporaryFolder make(String prefix) {
    try {
      return new TemporaryFolder(Files.createTempDirectory(prefix));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Can't make a folder in "
              + System.getProperty("java.io.tmpdir")
              + "; set java.io.tmpdir, or name a store by --store",
          e);
    }
  }

  void delete() throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(path)) {
      files = listed.toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(path);
  }
}
