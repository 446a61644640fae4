package io.punctual.spring.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start without a store, and lists the ways to configure a store. */
final class NoPunctualStoreFailureAnalyzer
    extends AbstractFailureAnalyzer<NoPunctualStoreException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, NoPunctualStoreException cause) {
    return new FailureAnalysis(
        "No store of Punctual is configured: there is neither punctual.url, nor a DataSource"
            + " with punctual-jdbc, nor Spring Data's Redis, nor a bean.",
        """
        Choose one of these:
          - punctual.url=redis://localhost:6379 for Redis or Valkey (punctual-redis);
          - punctual.url=journal:./data for a folder of this machine (punctual-journal);
          - punctual-jdbc for tables in the application's database; if there are several DataSource
            beans, mark that of the store with @Primary or @PunctualDataSource;
          - punctual.url=memory: for tests, which lose all messages with the process;
          - a bean of io.punctual.spi.Store or io.punctual.Punctual;
          - punctual.enabled=false to leave Punctual out.\
        """,
        cause);
  }
}
