package io.punctual.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Files with secrets. */
final class PrivateFile {
  private PrivateFile() {}

  /**
   * Refuses a file that all users of the machine may read or change.
   *
   * @throws ConfigException if the file is not there, or not private
   */
  static void check(Path file) {
    Set<PosixFilePermission> permissions;
    try {
      permissions = Files.getPosixFilePermissions(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException(file + " does not exist");
    } catch (UnsupportedOperationException | IOException e) {
      // The permissions of this file system have another form.
      return;
    }
    if (permissions.contains(PosixFilePermission.OTHERS_READ)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new ConfigException(
          file + " may be read or changed by all users of the machine: chmod o-rwx " + file);
    }
  }

  /** Reads a private file. */
  static String read(Path file) {
    check(file);
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new ConfigException("Can't read " + file + ": " + e);
    }
  }
}
