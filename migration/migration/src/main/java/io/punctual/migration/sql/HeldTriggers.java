package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.PunctualException;
import io.punctual.migration.sql.QuartzTables.JobKey;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * Gives the triggers that an importer holds, and their jobs, keys of the importer. Each held
 * trigger has a job of its own. Not thread-safe.
 */
final class HeldTriggers {
  private final Database database;
  private final QuartzTables tables;
  private final String group;
  private final String prefix;
  private final String jobGroups;
  private boolean prepared;

  /**
   * Creates the keys of an import.
   *
   * @param group the group of the jobs
   * @param prefix the prefix of the keys, of at most six characters
   */
  HeldTriggers(Database database, QuartzTables tables, String group, String prefix) {
    this.database = database;
    this.tables = tables;
    this.group = group;
    this.prefix = prefix;
    this.jobGroups = prefix + hash(group) + ".";
  }

  private static String hash(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a pattern for LIKE of the groups of held jobs. */
  String jobGroups() {
    return jobGroups + "%";
  }

  TriggerKey trigger(TriggerKey key) {
    return new TriggerKey(prefix + key.group(), key.name());
  }

  /** Returns the group that a held trigger had before. */
  String original(String heldGroup) {
    return heldGroup.substring(prefix.length());
  }

  private JobKey job(TriggerKey key, String job) {
    return new JobKey(jobGroups + hash(new String(key.token(), UTF_8)), job);
  }

  /** Runs a transaction in which no scheduler of a cluster changes triggers. */
  <R> R locked(Database.Work<R> work) {
    if (!prepared) {
      prepareLock();
      prepared = true;
    }
    return database.transaction(
        connection -> {
          boolean unused = tables.isLocked(connection);
          return work.run(connection);
        });
  }

  private void prepareLock() {
    if (database.transaction(tables::isLocked)) {
      return;
    }
    try {
      int unused = database.transaction(tables::insertLock);
    } catch (PunctualException e) {
      // A scheduler or a second importer may have inserted it first.
      if (!database.transaction(tables::isLocked)) {
        throw e;
      }
    }
  }

  /** Returns whether a trigger that is held already has this key, so that it can't be taken. */
  boolean has(Connection connection, TriggerKey key) throws SQLException {
    return tables.exists(connection, trigger(key));
  }

  /** Gives a trigger and its job the keys of the importer. */
  void take(Connection connection, TriggerKey key, String job) throws SQLException {
    tables.move(connection, key, new JobKey(group, job), trigger(key), job(key, job));
  }

  /**
   * Gives a trigger its keys back. If the application has made a new trigger with this key, the old
   * one gets a name beside it.
   */
  void giveBack(Connection connection, TriggerKey key, String job) throws SQLException {
    TriggerKey to =
        tables.exists(connection, key)
            ? new TriggerKey(key.group(), "given-back-" + UUID.randomUUID())
            : key;
    tables.move(connection, trigger(key), job(key, job), to, new JobKey(group, job));
    tables.deleteJob(connection, job(key, job));
  }

  /**
   * Deletes the held triggers in this state whose durable job the application has deleted
   * meanwhile. Only a call of the application deletes such a job, and its triggers with it.
   */
  int deleteWithJobs(Connection connection, String state) throws SQLException {
    List<QuartzTables.Trigger> deleted =
        tables.withoutDurableJob(connection, jobGroups(), group, state);
    for (QuartzTables.Trigger trigger : deleted) {
      tables.deleteTrigger(connection, trigger.key());
      tables.deleteJob(connection, trigger.job());
    }
    return deleted.size();
  }

  void delete(Connection connection, TriggerKey key, String job) throws SQLException {
    tables.deleteTrigger(connection, trigger(key));
    tables.deleteJob(connection, job(key, job));
  }
}
