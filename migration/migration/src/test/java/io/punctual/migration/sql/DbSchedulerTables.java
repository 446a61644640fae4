package io.punctual.migration.sql;

/** The table of db-scheduler, with the columns that its documentation names. */
public final class DbSchedulerTables {
  public static final String H2 = table("VARCHAR(100)", "BLOB");

  /** The statement that creates the table on PostgreSQL. */
  static final String POSTGRESQL = table("TEXT", "BYTEA");

  /** The statement that creates the table on MariaDB and MySQL. */
  static final String MARIADB =
      table("VARCHAR(100)", "BLOB")
          .replace("TIMESTAMP(6) WITH TIME ZONE NOT NULL", "TIMESTAMP(6) NOT NULL")
          .replace("TIMESTAMP(6) WITH TIME ZONE", "TIMESTAMP(6) NULL");

  private DbSchedulerTables() {}

  private static String table(String text, String bytes) {
    return """
    CREATE TABLE scheduled_tasks (
      task_name TEXTS NOT NULL,
      task_instance TEXTS NOT NULL,
      task_data BYTES,
      execution_time TIMESTAMP(6) WITH TIME ZONE NOT NULL,
      picked BOOLEAN NOT NULL,
      picked_by TEXTS,
      last_success TIMESTAMP(6) WITH TIME ZONE,
      last_failure TIMESTAMP(6) WITH TIME ZONE,
      consecutive_failures INT,
      last_heartbeat TIMESTAMP(6) WITH TIME ZONE,
      version BIGINT NOT NULL,
      priority SMALLINT,
      PRIMARY KEY (task_name, task_instance)
    )
    """
        .replace("TEXTS", text)
        .replace("BYTES", bytes);
  }
}
