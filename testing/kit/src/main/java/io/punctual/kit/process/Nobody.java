package io.punctual.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The user that runs servers which refuse to run as root, if the tests run as root. */
public final class Nobody {
  private static final String USER = "nobody";
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  private Nobody() {}

  /** Returns a command that runs the words as an unprivileged user. */
  public static List<String> command(List<String> words) {
    return command(words, Map.of());
  }

  /**
   * Returns a command that runs the words as an unprivileged user, with environment variables. The
   * variables do not apply to the program that changes the user: with faketime, root would then own
   * a semaphore that the server needs.
   */
  static List<String> command(List<String> words, Map<String, String> environment) {
    List<String> command = new ArrayList<>();
    if (ROOT) {
      command.addAll(
          List.of("setpriv", "--reuid=" + USER, "--regid=nogroup", "--clear-groups", "env"));
      environment.forEach((name, value) -> command.add(name + "=" + value));
    }
    command.addAll(words);
    return command;
  }

  /** Makes the unprivileged user the owner of a folder. */
  public static void own(Path folder) {
    if (ROOT) {
      try {
        Files.setOwner(
            folder,
            folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
