package io.punctual.cli;

import io.punctual.Punctual;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.LogOutput;
import io.punctual.cli.output.ReaderWatch;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.Terminal;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the {@code punctual} command. */
public final class Main {
  /** The encoding of arguments and of the names of files. */
  private static final String ENCODING = System.getProperty("sun.jnu.encoding", "UTF-8");

  private Main() {}

  /** Runs the command that the arguments name, and ends the JVM with its exit code. */
  public static void main(String[] args) {
    System.setErr(new LogOutput(new FileOutputStream(FileDescriptor.err)));
    Map<String, String> environment = System.getenv();
    Stop stop = new Stop();
    Console console =
        new Console(
            new FileInputStream(FileDescriptor.in),
            new Stdout(new FileOutputStream(FileDescriptor.out), new ReaderWatch()),
            new PrintWriter(
                new OutputStreamWriter(
                    new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8)),
            Terminal.detect(environment),
            environment,
            Punctual::open,
            stop);
    stop.askAtShutdown();
    int exitCode;
    try {
      exitCode = areReadable(args) ? PunctualCommand.run(console, args) : refuse(console);
    } finally {
      stop.ended();
    }
    System.exit(exitCode);
  }

  /**
   * Returns whether the JVM could read the arguments. It reads them by the locale, and replaces
   * what a locale such as C lacks, so that a payload or an id would be stored damaged.
   */
  private static boolean areReadable(String... args) {
    return ENCODING.equals("UTF-8") || Stream.of(args).noneMatch(arg -> arg.contains("\ufffd"));
  }

  private static int refuse(Console console) {
    console.say(
        "punctual: An argument has characters that the encoding of the locale, "
            + ENCODING
            + ", lacks; set LC_ALL to one of 'locale -a' with UTF-8, such as C.UTF-8");
    return ExitCode.USAGE;
  }
}
