package io.punctual.spring.boot.autoconfigure;

import io.punctual.StoreRefusedException;
import java.sql.SQLException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a start that fails because the store refuses to work, for example a database without the
 * tables.
 */
final class StoreRefusedFailureAnalyzer extends AbstractFailureAnalyzer<StoreRefusedException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, StoreRefusedException cause) {
    String action =
        cause.getCause() instanceof SQLException
            ? "Add the tables to the migrations of the database, or set"
                + " punctual.jdbc.create-tables=true (createTables=true in a jdbc: URL), and check"
                + " the rights of the user."
            : "Correct the settings of the server or the properties punctual.*, and start again.";
    return new FailureAnalysis(
        "The store of Punctual refuses to work: " + cause.getMessage(), action, cause);
  }
}
