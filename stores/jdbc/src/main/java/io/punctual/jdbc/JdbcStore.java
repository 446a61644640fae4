package io.punctual.jdbc;

import io.punctual.DeleteQueueOutcome;
import io.punctual.StoreUnavailableException;
import io.punctual.embedded.UsedByName;
import io.punctual.internal.log.Logs;
import io.punctual.internal.log.SafeUrl;
import io.punctual.jdbc.partition.Announcements;
import io.punctual.jdbc.partition.JdbcPartition;
import io.punctual.jdbc.partition.ManyCounts;
import io.punctual.jdbc.partition.ManyLookUps;
import io.punctual.jdbc.partition.Queues;
import io.punctual.jdbc.partition.Rehearsal;
import io.punctual.jdbc.partition.StoreParts;
import io.punctual.jdbc.partition.StoreThreads;
import io.punctual.jdbc.sql.CallMarkers;
import io.punctual.jdbc.sql.ConnectionSettings;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.Lender;
import io.punctual.jdbc.sql.Listener;
import io.punctual.jdbc.sql.Notification;
import io.punctual.jdbc.sql.Notifications;
import io.punctual.jdbc.sql.Pooler;
import io.punctual.jdbc.sql.Schema;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.jdbc.sql.StoreConnections;
import io.punctual.jdbc.sql.TransactionRunner;
import io.punctual.jdbc.sql.Work;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A store in tables of a PostgreSQL, MariaDB, MySQL or H2 database, which any number of processes
 * share. The database's clock decides when messages are due. A change is as durable as the
 * database's commits. On PostgreSQL, claims do not wait for the disk: if a crash loses a claim, its
 * messages can be claimed again. Only at-most-once claims wait.
 *
 * <p>Messages can be scheduled and settled inside the application's own transactions, see {@link
 * JdbcTransaction}.
 *
 * <p>Each queue has a single partition. A purge removes waiting messages first, in the order of
 * their due times. It can also remove a message that is scheduled during the purge, if this message
 * is due later than the messages removed so far.
 *
 * <p>Safe for use by many threads.
 */
public final class JdbcStore implements Store {
  private static final Logger log = Logs.of(JdbcStore.class);

  private final String description;
  private final Runnable closeSource;
  private final StoreConnections connections;
  private final StoreParts parts;
  private final CallMarkers markers;
  private final StoreThreads threads;
  private final UsedByName<JdbcPartition> partitions = new UsedByName<>();
  private final @Nullable Notifications notifications;
  private final AtomicBoolean closed = new AtomicBoolean();

  private JdbcStore(Builder builder, DataSource source) {
    boolean listens;
    Lender lender;
    Dialect dialect;
    closeSource = builder.closeSource;
    try (Connection connection = source.getConnection()) {
      String url = String.valueOf(connection.getMetaData().getURL());
      description = SafeUrl.of(url);
      H2Urls.warnOfInterrupts(url);
      dialect = Dialect.of(connection);
      markers = new CallMarkers(dialect);
      lender = prepare(source, connection, dialect, builder.createTables);
      listens = builder.listen && dialect.notifies() && !hasPooler(connection);
    } catch (SQLException e) {
      throw SqlFailures.notOpened(e);
    }
    threads = new StoreThreads(builder.threads);
    int used = builder.threads + StoreThreads.LOOK_UPS + StoreThreads.CONTROLS + (listens ? 1 : 0);
    connections =
        builder.ownsSource
            ? StoreConnections.own(lender, listens)
            : StoreConnections.shared(lender, used, listens);
    parts =
        new StoreParts(
            new TransactionRunner(connections.connections(), description), dialect, markers);
    Listener listener = connections.listener();
    notifications =
        listener == null
            ? null
            : new Notifications(listener, parts.transactions(), dialect, new Receiver());
  }

  /**
   * Returns whether a pooler is in front of the database. Through a pooler, notifications would
   * arrive at a different client or at none.
   */
  private boolean hasPooler(Connection connection) throws SQLException {
    boolean found = Pooler.isInFrontOf(connection);
    if (found) {
      log.info(
          "A pooler is in front of {}, so other processes learn of new messages by a check each"
              + " second. listen=false has the same effect",
          description);
    }
    return found;
  }

  /** Checks or creates the tables, and deletes old marker rows. */
  private Lender prepare(
      DataSource source, Connection connection, Dialect dialect, boolean createTables)
      throws SQLException {
    ConnectionSettings before =
        ConnectionSettings.change(connection, true, ConnectionSettings.TIMEOUT_MILLIS);
    try {
      Schema.prepare(connection, dialect, createTables);
      markers.deleteForgotten(connection);
      return Lender.of(source, connection, dialect);
    } finally {
      before.restore();
    }
  }

  private final class Receiver implements Notifications.Receiver {
    @Override
    public void begins() {
      partitions.all().forEach(JdbcPartition::forgetOthers);
    }

    @Override
    public void accept(Notification notification) {
      JdbcPartition partition = partitions.find(notification.queue());
      if (partition != null) {
        partition.notified(notification);
      }
    }
  }

  /** Runs the steps that can fail while the store has connections. */
  private void start() {
    if (parts.dialect().needsRehearsal()) {
      Rehearsal.run(parts);
    }
    if (notifications != null) {
      notifications.start();
    }
  }

  /** Returns a builder, which has no data source yet. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String describe() {
    return description;
  }

  /** Returns all capabilities except {@link Capability#DURABILITY}. */
  @Override
  public Set<Capability> capabilities() {
    return Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(Capability.DURABILITY)));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    if (closed.get()) {
      return CompletableFuture.failedStage(isClosed());
    }
    return CompletableFuture.completedStage(List.of(partition(queue)));
  }

  private JdbcPartition partition(String queue) {
    return partitions.get(
        queue,
        name -> new JdbcPartition(name, parts, threads, notifications, JdbcTransaction::joined));
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return threads.control(() -> parts.transactions().run(parts.queues()::names));
  }

  @Override
  public CompletionStage<List<String>> queues(String prefix, String after, int limit) {
    Work<List<String>> work = connection -> Queues.names(connection, prefix, after, limit);
    return threads.control(() -> parts.transactions().run(work));
  }

  @Override
  public CompletionStage<List<QueueCounts>> counts(List<String> queues) {
    return threads.lookUp(() -> ManyCounts.of(queues, parts, partitions::find, this::partition));
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> find(List<String> queues, String id) {
    return threads.lookUp(() -> ManyLookUps.find(parts, queues, id));
  }

  @Override
  public CompletionStage<List<long[]>> forecast(
      List<String> queues, long from, long width, int buckets) {
    return threads.lookUp(() -> ManyLookUps.forecast(parts, queues, from, width, buckets));
  }

  @Override
  public CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
    return threads
        .control(() -> Announcements.write(parts, client, text, keep, notifications != null))
        .thenApply(
            clients -> {
              partitions.all().forEach(each -> each.sharedBy(clients));
              return null;
            });
  }

  @Override
  public CompletionStage<List<Announcement>> announcements() {
    return threads.control(() -> Announcements.list(parts));
  }

  @Override
  public CompletionStage<List<Announcement>> announcements(List<String> clients) {
    return threads.control(() -> Announcements.list(parts, clients));
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return closed.get() ? CompletableFuture.failedStage(isClosed()) : partition(queue).delete();
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> asked) {
    List<JdbcPartition> partitions =
        asked.stream().map(partition -> partition(partition.queue())).toList();
    return JdbcPartition.untilNext(partitions, parts, threads);
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return Duration.ofSeconds(1);
  }

  private static Partition.NotSentException isClosed() {
    return new Partition.NotSentException("The SQL store has been closed", null);
  }

  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      parts.transactions().close();
      threads.close();
      if (notifications != null) {
        notifications.close();
      }
      deleteMarkers();
    } finally {
      connections.close();
      closeSource.run();
    }
  }

  private void deleteMarkers() {
    try {
      parts
          .transactions()
          .run(
              connection -> {
                markers.deleteAll(connection);
                return true;
              });
    } catch (RuntimeException e) {
      log.info("{}: the rows of this client in punctual_call stay for a day", description, e);
    }
  }

  /** Builds a {@link JdbcStore}. Not safe for use by many threads. */
  public static final class Builder {
    private static final int DEFAULT_THREADS = 4;
    private static final int MAX_THREADS = 256;

    private @Nullable DataSource source;
    private boolean createTables;
    private boolean listen = true;
    private int threads = DEFAULT_THREADS;
    private Runnable closeSource = () -> {};
    private boolean ownsSource;

    private Builder() {}

    /**
     * Sets the source of connections. It should be a pool of at least {@link #threads} + 5
     * connections more than the application uses; up to 4 of them stay with the stores of this
     * process that use the source. All connections must lead to the same database and schema. The
     * store does not close the source.
     */
    public Builder dataSource(DataSource source) {
      this.source = Objects.requireNonNull(source);
      return this;
    }

    /**
     * Sets whether the store creates missing tables, and migrates the tables of older versions; off
     * by default.
     */
    public Builder createTables(boolean createTables) {
      this.createTables = createTables;
      return this;
    }

    /**
     * Sets whether the processes that share a PostgreSQL database notify each other of messages
     * that are due soon; on by default. The store listens on an additional connection, which must
     * not go through a pooler that changes connections between transactions. Without notifications,
     * other processes can find such a message up to a second late.
     */
    public Builder listen(boolean listen) {
      this.listen = listen;
      return this;
    }

    /**
     * Sets the maximum number of calls that run at the same time; 4 by default. Each call uses a
     * thread and a connection. Look-ups and purges use 2 additional threads and connections, and
     * pauses and the like 1.
     *
     * @throws IllegalArgumentException if the number is less than 1 or more than 256
     */
    public Builder threads(int threads) {
      if (threads < 1 || threads > MAX_THREADS) {
        throw new IllegalArgumentException(
            "threads must be between 1 and " + MAX_THREADS + ", but was " + threads);
      }
      this.threads = threads;
      return this;
    }

    /** Sets the action that closes the data source, if the store owns it. */
    Builder closeSource(Runnable closeSource) {
      ownsSource = true;
      this.closeSource = closeSource;
      return this;
    }

    /**
     * Opens the store, and checks the version of its tables, or creates and migrates them.
     *
     * @throws IllegalStateException if the builder has no data source
     * @throws StoreUnavailableException if the database can't be reached
     * @throws io.punctual.StoreRefusedException if the tables are missing or have a different
     *     version, or if the database refuses the password or a permission
     * @throws IllegalArgumentException if the store does not support the database
     */
    public JdbcStore open() {
      if (source == null) {
        throw new IllegalStateException("The SQL store needs a data source: call dataSource()");
      }
      JdbcStore store = new JdbcStore(this, source);
      try {
        store.start();
        return store;
      } catch (Throwable e) {
        try (store) {
          throw e;
        }
      }
    }
  }
}
