package io.punctual.migration.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Disturbs imports from db-scheduler: by a second importer, and a database that refuses. */
final class DbSchedulerFaultsTest {
  private TestDatabase database;
  private Punctual punctual;
  private TimedQueue<byte[]> queue;

  @BeforeEach
  void open() throws SQLException {
    database = TestDatabase.h2();
    database.execute(DbSchedulerTables.H2);
    database.execute(
        "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
            + " VALUES ('close-order', 'a', TIMESTAMP WITH TIME ZONE '2098-01-15 12:00:00Z', FALSE,"
            + " 1)");
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
  }

  @AfterEach
  void close() {
    punctual.close();
    database.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("The wait took too long");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns a queue that runs the action before the first call of the method with this name. */
  private TimedQueue<byte[]> before(String name, Runnable action) {
    TimedQueue<byte[]> plain = queue;
    AtomicBoolean done = new AtomicBoolean();
    @SuppressWarnings("unchecked")
    TimedQueue<byte[]> wrapped =
        (TimedQueue<byte[]>)
            Proxy.newProxyInstance(
                TimedQueue.class.getClassLoader(),
                new Class<?>[] {TimedQueue.class},
                (proxy, method, args) -> {
                  if (method.getName().equals(name) && done.compareAndSet(false, true)) {
                    action.run();
                  }
                  return method.invoke(plain, args);
                });
    return wrapped;
  }

  @Test
  void run_besideASecondRunThatHasMarkedItsRow_leavesTheMessageToIt() throws Exception {
    CountDownLatch marked = new CountDownLatch(1);
    CountDownLatch firstEnded = new CountDownLatch(1);
    TimedQueue<byte[]> ofSecond =
        before(
            "async",
            () -> {
              marked.countDown();
              await(firstEnded);
            });
    FutureTask<ImportReport> second =
        new FutureTask<>(
            () -> DbSchedulerImport.from(database.source(), "close-order").to(ofSecond).run());
    TimedQueue<byte[]> ofFirst =
        before(
            "scheduleAll",
            () -> {
              new Thread(second, "second").start();
              await(marked);
            });

    ImportReport first = DbSchedulerImport.from(database.source(), "close-order").to(ofFirst).run();
    firstEnded.countDown();

    assertThat(second.get(60, TimeUnit.SECONDS).scheduled()).isEqualTo(1);
    assertThat(first.details()).containsEntry("gone", 1L);
    assertThat(queue.find("a").orElseThrow().dueAt())
        .isEqualTo(Instant.parse("2098-01-15T12:00:00Z"));
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks")).isZero();
  }

  @Test
  void run_besideALiveSecondRunThatHasStagedItsRow_leavesTheRowToIt() throws Exception {
    CountDownLatch staged = new CountDownLatch(1);
    CountDownLatch firstEnded = new CountDownLatch(1);
    TimedQueue<byte[]> ofSecond =
        before(
            "scheduleAll",
            () -> {
              staged.countDown();
              await(firstEnded);
            });
    FutureTask<ImportReport> second =
        new FutureTask<>(
            () -> DbSchedulerImport.from(database.source(), "close-order").to(ofSecond).run());
    database.execute("UPDATE scheduled_tasks SET task_name = 'later'");
    DbSchedulerImport<byte[]> first =
        DbSchedulerImport.from(database.source(), "close-order").to(queue).follow(true);
    AtomicInteger reports = new AtomicInteger();
    first.progress(
        report -> {
          if (reports.incrementAndGet() == 1) {
            startWithTheRow(second);
            await(staged);
          } else {
            first.stop();
          }
        });

    ImportReport report = first.run();
    firstEnded.countDown();

    assertThat(report.found()).isZero();
    assertThat(second.get(60, TimeUnit.SECONDS).scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().dueAt())
        .isEqualTo(Instant.parse("2098-01-15T12:00:00Z"));
  }

  private void startWithTheRow(FutureTask<ImportReport> run) {
    try {
      database.execute("UPDATE scheduled_tasks SET task_name = 'close-order'");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    new Thread(run, "second").start();
  }

  @Test
  void run_databaseWithoutAFreeConnection_triesAgain() {
    AtomicInteger connections = new AtomicInteger();
    DataSource busy =
        (DataSource)
            Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> {
                  if (connections.incrementAndGet() == 3) {
                    throw new SQLException("sorry, too many clients already", "53300");
                  }
                  return database.source().getConnection();
                });

    assertThat(DbSchedulerImport.from(busy, "close-order").to(queue).run().scheduled()).isOne();
  }
}
