package io.punctual.migration.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.migration.ImportReport;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;

/** Imports triggers that Quartz itself has written, in the tables of its own schema. */
class QuartzImportTest extends QuartzFixture {
  @Test
  void run_triggerWithoutRepetition_movesAndDeletesTheJob() throws Exception {
    schedule(job("a"), due, once());

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.isClean()).isTrue();
    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().dueAt()).isEqualTo(due);
    assertThat(queue.find("a").orElseThrow().payload())
        .asString()
        .isEqualTo("{\"order\":\"a\",\"try\":\"1\"}");
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_SIMPLE_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void run_dataAsProperties_needsNoDeserialization() throws Exception {
    quartz.shutdown();
    start(true);
    schedule(job("a"), due, once());

    assertThat(from(QuartzPayloads.json()).run().scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().payload())
        .asString()
        .isEqualTo("{\"order\":\"a\",\"try\":\"1\"}");
  }

  @Test
  void run_serializedDataWithoutPermission_staysWithQuartz() throws Exception {
    schedule(job("a"), due, once());

    ImportReport report = from(QuartzPayloads.json()).run();

    assertThat(report.scheduled()).isZero();
    assertThat(report.problems().get(0).reason()).contains("Java serialization");
    assertThat(quartz.getTriggerState(TriggerKey.triggerKey("a", "triggers")))
        .isEqualTo(Trigger.TriggerState.NORMAL);
    assertThat(quartz.deleteJob(job("a").getKey())).isTrue();
  }

  @Test
  void run_twoTriggersOfAJob_leavesTheSecondWithQuartz() throws Exception {
    schedule(job("a"), due, once());
    Trigger second =
        TriggerBuilder.newTrigger()
            .withIdentity("a2", "triggers")
            .forJob(job("a"))
            .startAt(Date.from(due))
            .build();
    Date unused = quartz.scheduleJob(second);

    assertThat(from(QuartzPayloads.jsonOfSerialized()).dryRun().left()).isEqualTo(1);

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();
    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.left()).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS WHERE TRIGGER_STATE = 'WAITING'"))
        .isEqualTo(1);
  }

  @Test
  void run_rowsTakenForADifferentQueue_isRefused() throws Exception {
    schedule(job("a"), due, once());
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("mails", Codec.bytes());

    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("different target", "mails");
    queue = punctual.queue("orders", Codec.bytes());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
  }

  @Test
  void run_serializedDataOfOtherClasses_isNeverDeserialized() throws Exception {
    JobDetail job = job("a");
    job.getJobDataMap().put("bomb", new Bomb());
    schedule(job, due, once());

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.left()).isEqualTo(1);
    assertThat(Bomb.exploded).isFalse();
  }

  /** An object whose deserialization sets a flag, so that the test notices it. */
  static final class Bomb implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    private static volatile boolean exploded;

    private void readObject(java.io.ObjectInputStream in) throws IOException {
      exploded = true;
    }
  }

  @Test
  void run_otherTriggers_areCountedAndStay() throws Exception {
    schedule(job("cron"), due, CronScheduleBuilder.cronSchedule("0 0 12 * * ?"));
    schedule(job("repeating"), due, SimpleScheduleBuilder.repeatHourlyForTotalCount(3));
    schedule(job("paused"), due, once());
    quartz.pauseTrigger(TriggerKey.triggerKey("paused", "triggers"));
    schedule(JobBuilder.newJob(CloseOrder.class).withIdentity("x", "mails").build(), due, once());
    schedule(job("slow"), Instant.now(), once());
    quartz.start();
    await(running);
    schedule(job("kept"), due, once());

    ImportReport dry = from(QuartzPayloads.jsonOfSerialized()).dryRun();
    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(dry.found()).isEqualTo(1);
    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.details())
        .containsEntry("recurring", 2L)
        .containsEntry("running", 1L)
        .containsEntry("paused", 1L)
        .containsEntry("other groups", 1L);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isEqualTo(5);
  }

  @Test
  void run_durableJob_keepsTheJob() throws Exception {
    JobDetail durable =
        JobBuilder.newJob(CloseOrder.class).withIdentity("a", "orders").storeDurably().build();
    schedule(durable, due, once());

    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
    assertThat(quartz.checkExists(durable.getKey())).isTrue();
  }

  @Test
  void run_storeGone_leavesTriggersThatNoSchedulerFires() throws Exception {
    schedule(job("a"), Instant.now(), once());
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    quartz.start();
    schedule(job("b"), Instant.now(), once());
    while (!RAN.contains("b")) {
      Thread.onSpinWait();
    }
    assertThat(RAN).containsExactly("b");

    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
    assertThat(queue.claim(1, Duration.ZERO).get(0).id()).isEqualTo("a");
  }
}
