package io.punctual.jdbc;

import io.punctual.kit.process.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Starts and kills processes of {@link KilledApplication}. The start of the JVM is the slowest part
 * of a process, so the processes share an archive of their classes. Safe for use by many threads.
 */
final class KilledProcesses {
  private static final int TRAINING_ORDERS = 20;

  private final String url;
  private final Path archive;
  private final String classPath;

  /**
   * Runs a process to its end, so that it writes the archive.
   *
   * @param folder an empty folder, for the archive, its jars and logs
   * @param url the URL of the database, which must have all tables
   */
  KilledProcesses(Path folder, String url) throws IOException {
    this.url = url;
    archive = folder.resolve("classes.jsa");
    classPath = jars(folder);
    try (JavaProcess training =
        process("-XX:ArchiveClassesAtExit=" + archive)
            .arguments(Integer.toString(TRAINING_ORDERS))
            .start()) {
      training.expectSuccess();
    }
  }

  /**
   * Returns a class path of jars only: packs each folder of classes into a jar, because an archive
   * of classes can't contain classes of folders.
   */
  private static String jars(Path folder) throws IOException {
    List<String> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path classes = Path.of(entry);
      if (Files.isDirectory(classes)) {
        Path jar = folder.resolve(jars.size() + ".jar");
        pack(classes, jar);
        jars.add(jar.toString());
      } else if (Files.isRegularFile(classes)) {
        jars.add(entry);
      }
    }
    return String.join(File.pathSeparator, jars);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        out.putNextEntry(new JarEntry(name));
        Files.copy(file, out);
      }
    }
  }

  private JavaProcess.Builder process(String archiveOption) {
    return JavaProcess.of(KilledApplication.class)
        .small()
        .options("-Xmx64m", archiveOption)
        .classPath(classPath)
        .arguments(url);
  }

  /**
   * Starts a process, and kills it.
   *
   * @param lines the number of lines that it prints before the kill; each is before or after a
   *     commit
   * @param delay the time between the last of these lines and the kill
   */
  void kill(int lines, Duration delay) {
    try (JavaProcess process = process("-XX:SharedArchiveFile=" + archive).start()) {
      for (int i = 0; i < lines; i++) {
        if (process.nextLine() == null) {
          process.expectAlive();
        }
      }
      LockSupport.parkNanos(delay.toNanos());
      process.kill();
      printFailures(process.log());
    }
  }

  /**
   * Prints the failures in a log. A failure breaks no promise, since the transaction rolls back,
   * but it may point to a bug.
   */
  private static void printFailures(String log) {
    log.lines()
        .filter(line -> line.startsWith(KilledApplication.FAILURE))
        .forEach(System.out::println);
  }
}
