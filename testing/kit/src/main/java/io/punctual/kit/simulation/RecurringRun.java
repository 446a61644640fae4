package io.punctual.kit.simulation;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A run of {@link RecurringSimulation}. Not thread-safe. */
final class RecurringRun {
  static final String QUEUE = "recurring";

  private static final int PROCESSES = 3;
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final long DAY = TimeUnit.DAYS.toNanos(1);

  /**
   * The time between two checks for open occurrences. It is not a divisor of an hour, because many
   * occurrences are due at full hours.
   */
  private static final long LOOK = TimeUnit.SECONDS.toNanos(1_117);

  /**
   * The largest number of checks after the faults have ended: the last processes have some weeks
   * for all open occurrences.
   */
  private static final int MOST_LOOKS = 2_000;

  private final long seed;
  private final SplittableRandom seeds;
  private final Instant start;
  private final List<Rhythm> rhythms;
  private final Scheduler scheduler;
  private final Chance chance;
  private final MemoryStore store;
  private final FaultSchedule weather = new FaultSchedule();
  private final RecurringJudge judge = new RecurringJudge();
  private final List<RecurringProcess> processes = new ArrayList<>();
  private long crashes;

  RecurringRun(long seed, SplittableRandom seeds, Instant start, List<Rhythm> rhythms) {
    this.seed = seed;
    this.seeds = seeds;
    this.start = start;
    this.rhythms = rhythms;
    this.scheduler = new Scheduler(seeds.split());
    this.chance = newChance();
    this.store = MemoryStore.builder().clock(this::now).build();
  }

  Chance newChance() {
    return new Chance(seeds.split());
  }

  Instant now() {
    return start.plusNanos(scheduler.nanoTime());
  }

  Scheduler scheduler() {
    return scheduler;
  }

  FaultSchedule weather() {
    return weather;
  }

  MemoryStore store() {
    return store;
  }

  RecurringJudge judge() {
    return judge;
  }

  RecurringSimulation.Result run(Duration time) {
    try (Punctual administrator = Punctual.builder().store(store).build()) {
      TimedQueue<String> queue = administrator.queue(QUEUE, Codec.string());
      schedule(queue);
      for (int i = 0; i < PROCESSES; i++) {
        replace();
      }
      scheduler.schedule(chance.around(20 * DAY), () -> pause(queue));
      scheduler.run(time.toNanos());
      weather.clear();
      queue.resume();
      replace();
      int looks = 0;
      do {
        scheduler.run(LOOK);
      } while (!judge.isIdle(now()) && looks++ < MOST_LOOKS);
      for (int i = 0; i < rhythms.size(); i++) {
        judge.compare(id(i), queue.find(id(i)), now());
      }
      processes.forEach(RecurringProcess::kill);
    }
    return judge.result(seed, crashes);
  }

  private static String id(int index) {
    return "job-" + index;
  }

  private void schedule(TimedQueue<String> queue) {
    for (int i = 0; i < rhythms.size(); i++) {
      Rhythm rhythm = rhythms.get(i);
      judge.expect(id(i), rhythm);
      Object unused =
          queue.schedule(
              Message.of("").id(id(i)).dueAt(rhythm.first()).recurring(rhythm.recurrence()));
    }
  }

  /** Starts a process, and plans its end and its pauses. */
  private void replace() {
    RecurringProcess process = new RecurringProcess(this, "process-" + crashes);
    processes.removeIf(RecurringProcess::isDead);
    processes.add(process);
    if (!weather.isFair()) {
      scheduler.schedule(chance.around(4 * DAY), () -> crash(process));
      scheduler.schedule(chance.around(4 * DAY), () -> freeze(process));
    }
  }

  private void freeze(RecurringProcess process) {
    if (!weather.isFair() && !process.isDead()) {
      process.freeze(chance.around(HOUR));
      scheduler.schedule(chance.around(4 * DAY), () -> freeze(process));
    }
  }

  /** Kills a process. Its successor starts after about an hour, or after some days. */
  void crash(RecurringProcess process) {
    if (weather.isFair() || process.isDead()) {
      return;
    }
    crashes++;
    process.kill();
    long away = chance.of(0.8) ? chance.around(HOUR) : chance.around(3 * DAY);
    scheduler.schedule(away, this::replaceIfFaulty);
  }

  private void replaceIfFaulty() {
    if (!weather.isFair()) {
      replace();
    }
  }

  private void pause(TimedQueue<String> queue) {
    if (weather.isFair()) {
      return;
    }
    queue.pause();
    scheduler.schedule(
        chance.around(DAY),
        () -> {
          queue.resume();
          scheduler.schedule(chance.around(20 * DAY), () -> pause(queue));
        });
  }
}
