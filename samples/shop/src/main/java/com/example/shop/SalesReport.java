package com.example.shop;

import io.punctual.lock.LockHandle;
import io.punctual.lock.RedisLocks;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job that runs each hour by default. If several processes share a Redis server, a lock lets only
 * one of them at a time run the job.
 */
@Component
class SalesReport {
  private static final Logger log = LoggerFactory.getLogger(SalesReport.class);
  private final Orders orders;
  private final ObjectProvider<RedisLocks> locks;
  private final boolean shared;

  SalesReport(Orders orders, ObjectProvider<RedisLocks> locks, Environment environment) {
    this.orders = orders;
    this.locks = locks;
    this.shared = environment.acceptsProfiles(Profiles.of("redis"));
  }

  @Scheduled(cron = "${shop.report-cron:0 0 * * * *}")
  void run() {
    if (!shared) {
      report();
      return;
    }
    Optional<LockHandle> lock = locks.getObject().mutex("sales-report").tryAcquire();
    if (lock.isPresent()) {
      try (LockHandle held = lock.get()) {
        report();
      }
    }
  }

  private void report() {
    log.info(
        "{} orders are paid, {} closed",
        orders.count(Order.Status.PAID),
        orders.count(Order.Status.CLOSED));
  }
}
