package io.punctual.migration.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.migration.ImportReport;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;

/** Tests triggers while an importer holds them, and what the application may do meanwhile. */
class HeldTriggersTest extends QuartzFixture {
  /** Imports while this runs after the importer has taken the job, and before it is marked. */
  private ImportReport importWhile(String taken, ThrowingCallable call) {
    QuartzPayload<byte[]> json = QuartzPayloads.jsonOfSerialized();
    AtomicInteger reads = new AtomicInteger();
    return from(job -> {
          // The importer reads a job before it takes the trigger, and again afterwards.
          if (job.name().equals(taken) && reads.incrementAndGet() == 2) {
            assertThatCode(call).doesNotThrowAnyException();
          }
          return json.read(job);
        })
        .run();
  }

  @Test
  void run_everythingDeletedWhileItIsTaken_goesOnWithoutIt() throws Exception {
    schedule(job("a"), due, once());

    ImportReport report = importWhile("a", quartz::clear);

    assertThat(report.scheduled()).isZero();
    assertThat(report.details()).containsEntry("gone", 1L);
    assertThat(queue.find("a")).isEmpty();
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
  }

  /** The job of a trigger that is taken stays in sight, because it is durable. */
  @Test
  void run_durableJobDeletedWhileItIsTaken_isGone() throws Exception {
    JobDetail durable =
        JobBuilder.newJob(CloseOrder.class).withIdentity("a", "orders").storeDurably().build();
    schedule(durable, due, once());

    ImportReport report =
        importWhile("a", () -> assertThat(quartz.deleteJob(durable.getKey())).isTrue());

    assertThat(report.scheduled()).isZero();
    assertThat(report.details()).containsEntry("gone", 1L).doesNotContainKey("staged");
    assertThat(queue.find("a")).isEmpty();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void abort_durableJobDeletedMeanwhile_staysDeleted() throws Exception {
    JobDetail durable =
        JobBuilder.newJob(CloseOrder.class).withIdentity("a", "orders").storeDurably().build();
    schedule(durable, due, once());
    stage();
    assertThat(quartz.deleteJob(durable.getKey())).isTrue();

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    assertThat(quartz.checkExists(durable.getKey())).isFalse();
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
  }

  /** Quartz must not accept a change that the importer would not obey. */
  @Test
  void run_changedWhileItIsTaken_theChangeIsRefused() throws Exception {
    JobDetail job = job("a");
    TriggerKey key = TriggerKey.triggerKey("a", "triggers");
    schedule(job, due, once());
    Trigger later =
        TriggerBuilder.newTrigger()
            .withIdentity(key)
            .startAt(Date.from(due.plusSeconds(5)))
            .build();

    ImportReport report =
        importWhile(
            "a",
            () -> {
              assertThat(quartz.rescheduleJob(key, later)).isNull();
              assertThat(quartz.unscheduleJob(key)).isFalse();
              assertThat(quartz.deleteJob(job.getKey())).isFalse();
              assertThat(quartz.checkExists(key)).isFalse();
              quartz.pauseAll();
              quartz.resumeAll();
            });

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().dueAt()).isEqualTo(due);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void abort_takenTriggers_haveTheirKeysAndDataAgain() throws Exception {
    JobDetail job = job("a");
    schedule(job, due, once());
    stage();
    assertThat(quartz.checkExists(job.getKey())).isFalse();

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    Trigger back = quartz.getTrigger(TriggerKey.triggerKey("a", "triggers"));
    assertThat(back.getNextFireTime()).isEqualTo(Date.from(due));
    assertThat(back.getJobDataMap()).containsEntry("try", "1");
    assertThat(quartz.getJobDetail(job.getKey()).getJobDataMap()).containsEntry("order", "a");
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM QRTZ_SIMPLE_TRIGGERS")).isEqualTo(1);
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
  }

  @Test
  void abort_triggerScheduledAnewMeanwhile_bothAreKept() throws Exception {
    schedule(job("a"), due, once());
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    schedule(job("a"), due.plusSeconds(60), once());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    assertThat(quartz.getTriggersOfJob(job("a").getKey()))
        .extracting(Trigger::getNextFireTime)
        .containsExactlyInAnyOrder(Date.from(due), Date.from(due.plusSeconds(60)));
  }

  /** The old trigger cannot be moved to the queue, so it stays with the importer. */
  @Test
  void run_scheduledAnewBesideAStagedTrigger_importsTheOthers() throws Exception {
    queue.schedule(Message.of(new byte[] {1}).id("a").dueAt(due.plusSeconds(5)));
    JobDetail job = job("a");
    schedule(job, due, once());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().left()).isEqualTo(1);
    schedule(job, due.plusSeconds(60), once());
    schedule(job("b"), due, once());

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("b")).isPresent();
    assertThat(quartz.checkExists(TriggerKey.triggerKey("a", "triggers"))).isTrue();
  }

  @Test
  void abort_anewMeanwhileForTheSecondTime_allAreKept() throws Exception {
    schedule(job("a"), due, once());
    stage();
    schedule(job("a"), due.plusSeconds(60), once());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();
    for (Trigger trigger : quartz.getTriggersOfJob(job("a").getKey())) {
      if (!trigger.getKey().getName().equals("a")) {
        quartz.pauseTrigger(trigger.getKey());
      }
    }
    stage();
    Date unused =
        quartz.scheduleJob(
            TriggerBuilder.newTrigger()
                .withIdentity("a", "triggers")
                .forJob(job("a"))
                .startAt(Date.from(due.plusSeconds(90)))
                .build());

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    assertThat(quartz.getTriggersOfJob(job("a").getKey())).hasSize(3);
  }

  @Test
  void abort_groupsPausedMeanwhile_triggerIsPaused() throws Exception {
    schedule(job("a"), due, once());
    stage();
    quartz.pauseAll();

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    TriggerKey key = TriggerKey.triggerKey("a", "triggers");
    assertThat(quartz.getTriggerState(key)).isEqualTo(Trigger.TriggerState.PAUSED);
    quartz.resumeAll();
    assertThat(quartz.getTriggerState(key)).isEqualTo(Trigger.TriggerState.NORMAL);
  }

  private interface BeforeStatement {
    void run(String sql) throws SQLException;
  }

  /** Returns a source, or its connection, that calls this before it prepares a statement. */
  private static <T> T proxy(Class<T> type, T real, BeforeStatement before) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                before.run((String) arguments[0]);
              }
              Object answer = method.invoke(real, arguments);
              return answer instanceof Connection connection
                  ? proxy(Connection.class, connection, before)
                  : answer;
            }));
  }

  @Test
  void run_schedulerInsertsTheLockAtTheSameTime_importsAll() throws Exception {
    schedule(job("a"), due, once());
    String insert = "INSERT INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME) VALUES";
    DataSource source =
        proxy(
            DataSource.class,
            database.source(),
            sql -> {
              if (sql.startsWith(insert)) {
                database.execute(insert + " ('shop', 'TRIGGER_ACCESS')");
              }
            });

    ImportReport report =
        QuartzImport.from(source, "orders").to(queue, QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(1);
  }

  /** Rows that an earlier version has staged have the keys of the application. */
  @Test
  void run_rowsStagedUnderTheirOwnKeys_areImported() throws Exception {
    schedule(job("a"), due, once());
    schedule(job("b"), due, once());
    stage();
    String state = database.text("SELECT TRIGGER_STATE FROM QRTZ_TRIGGERS");
    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();
    database.execute("UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = '" + state + "'");

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(2);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void run_longestNames_areImportedOrLeft() throws Exception {
    JobDetail job = job("j".repeat(column()));
    String name = "t".repeat(column());
    int longest = column() - "PUNCT_".length();
    for (String group : List.of("g".repeat(longest), "h".repeat(longest + 1))) {
      Trigger trigger =
          TriggerBuilder.newTrigger().withIdentity(name, group).startAt(Date.from(due)).build();
      quartz.scheduleJob(job, Set.of(trigger), true);
    }
    stage();

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.problems()).singleElement().asString().contains("more than " + longest);
    assertThat(queue.find(job.getKey().getName())).isPresent();
  }
}
