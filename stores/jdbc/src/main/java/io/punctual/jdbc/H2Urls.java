package io.punctual.jdbc;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.internal.log.Logs;
import io.punctual.internal.log.SafeUrl;
import io.punctual.jdbc.sql.SqlFailures;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/**
 * The URLs of H2 databases in files. If a thread is interrupted while it reads or writes such a
 * file, the usual file system of H2 closes the file, and with it the database of the whole process.
 * The file system {@code async:} has no such fault. Stateless.
 */
final class H2Urls {
  private static final Logger log = Logs.of(H2Urls.class);
  private static final int IN_USE = 90020;
  private static final String SAFE = "jdbc:h2:async:";

  /**
   * A path without the name of a file system other than the usual one. A single letter is a drive.
   */
  private static final Pattern USUAL_FILE =
      Pattern.compile("jdbc:h2:((?:file:)?(?:nio:)?)(?![A-Za-z][A-Za-z0-9]+:)(.*)");

  private H2Urls() {}

  /** Returns the URL whose file stays open, or empty if an interrupt does not close the file. */
  static Optional<String> safe(String url) {
    Matcher file = USUAL_FILE.matcher(url);
    return file.matches() ? Optional.of(SAFE + file.group(2)) : Optional.empty();
  }

  /** Warns of the file of a URL, if H2 closes this file after an interrupt. */
  static void warnOfInterrupts(String url) {
    safe(url)
        .ifPresent(
            safe ->
                log.warn(
                    "H2 closes the file of {} if a handler is interrupted while it uses the"
                        + " database, and can lose the last changes. Write the URL as {} in this"
                        + " whole process",
                    SafeUrl.of(url),
                    SafeUrl.of(safe)));
  }

  /**
   * Returns the URL with which the store opens a database: a file with {@code async:}, unless this
   * process has opened it without, because H2 does not open a file in two ways at a time.
   *
   * @throws StoreRefusedException if H2 refuses the URL, for which a pool would repeat the attempt
   */
  static String opened(String url) {
    String safe = safe(url).orElse(url);
    try (Connection tried = DriverManager.getConnection(safe)) {
      if (!safe.equals(url)) {
        log.info(
            "The store opens {} as {}, so that no interrupt closes the file",
            SafeUrl.of(url),
            SafeUrl.of(safe));
      }
    } catch (SQLException e) {
      if (e.getErrorCode() == IN_USE) {
        return url;
      }
      PunctualException failure = SqlFailures.notOpened(withoutOptions(e, safe));
      if (failure instanceof StoreRefusedException) {
        throw failure;
      }
    }
    return safe;
  }

  /** Returns the failure without the options of the URL, if H2 has repeated them. */
  private static SQLException withoutOptions(SQLException failure, String url) {
    String options = url.substring(url.split("[?;]", 2)[0].length());
    String message = String.valueOf(failure.getMessage());
    return options.isEmpty() || !message.contains(options)
        ? failure
        : new SQLException(
            message.replace(options, ""), failure.getSQLState(), failure.getErrorCode());
  }
}
