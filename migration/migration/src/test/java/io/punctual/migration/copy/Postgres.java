package io.punctual.migration.copy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL server of the tests, with its files in a folder that the JVM deletes at its end.
 * The server does not flush its files, since no test lets the machine fail.
 */
public final class Postgres {
  private static final String PROGRAMS = "/postgres-linux-x86_64.txz";
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
  private static final long SECONDS = 60;

  private static @Nullable Postgres shared;

  private final int port = FreePorts.next();
  private final Path folder;
  private final Process process;

  private Postgres(Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    try (InputStream archive = Postgres.class.getResourceAsStream(PROGRAMS)) {
      Files.copy(archive, folder.resolve("programs.txz"));
    }
    run("tar", "-xJf", "programs.txz");
    // PostgreSQL refuses to run as root.
    List<String> user = new ArrayList<>();
    if (ROOT) {
      user.addAll(List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"));
      run("chown", "nobody", folder.toString());
    }
    List<String> init = new ArrayList<>(user);
    init.addAll(List.of(program("initdb"), "-D", "data", "-U", "postgres", "-A", "trust"));
    init.add("--no-sync");
    run(init.toArray(String[]::new));
    List<String> server = new ArrayList<>(user);
    server.addAll(List.of(program("postgres"), "-D", "data", "-k", "", "-p", "" + port));
    server.addAll(List.of("-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"));
    process = start(server);
    Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        end();
        throw new IOException("PostgreSQL did not start; see server.log");
      }
    }
  }

  /**
   * Returns the server for all test classes of this JVM, from the test dependency. Skips the test
   * on systems other than Linux on x86-64.
   */
  public static synchronized Postgres shared() throws IOException, InterruptedException {
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "The PostgreSQL server of the tests is for Linux on x86-64");
    if (shared == null) {
      // The folder of a test is not open to the user that runs the server.
      shared = new Postgres(Files.createTempDirectory("punctual-postgres"));
    }
    return shared;
  }

  private static void deleteQuietly(Path folder) {
    try (var files = Files.walk(folder)) {
      files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      // The files stay in the system's folder for temporary files.
    }
  }

  private String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }

  private void run(String... command) throws IOException, InterruptedException {
    Process prepared = start(List.of(command));
    if (!prepared.waitFor(SECONDS, TimeUnit.SECONDS) || prepared.exitValue() != 0) {
      prepared.destroyForcibly();
      throw new IOException(
          List.of(command) + ": " + Files.readString(folder.resolve("server.log")));
    }
  }

  private Process start(List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("server.log").toFile())
        .start();
  }

  private boolean answers() throws IOException {
    return Files.readString(folder.resolve("server.log")).contains("ready to accept connections");
  }

  /** The URL of a store in this database. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&createTables=true";
  }

  private void end() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    deleteQuietly(folder);
  }
}
