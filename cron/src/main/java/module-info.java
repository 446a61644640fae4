/** Recurring messages by cron expressions. */
module io.punctual.cron {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires com.cronutils;

  exports io.punctual.cron;

  provides io.punctual.spi.RecurrenceProvider with
      io.punctual.cron.CronProvider;
}
