package io.punctual.kit.simulation;

/**
 * The parameters of a run, drawn from its seed. The {@link FaultInjector} injects faults in turns.
 * A probability is for each call, or for each turn of the injector.
 *
 * @param clients the number of concurrent processes
 * @param queues the number of queues
 * @param partitions the number of partitions of each queue
 * @param ids the number of ids that users choose from
 * @param prefersBatching whether partitions prefer batches; not drawn, so that this parameter does
 *     not change the runs of existing seeds
 * @param confirming whether changes wait for a slow replica's confirmation; not drawn, for the same
 *     reason
 * @param limited whether queues have limits; not drawn, for the same reason. With limits, at least
 *     some hints arrive, because a message that had to wait for a limit is claimed only after a
 *     hint or at a safety check
 * @param ordered whether calls of a connection arrive in order, as on TCP
 * @param lossy the probability that a request or an answer is lost
 * @param repeating the probability that a request arrives twice
 * @param slow the probability that a request or an answer takes up to four seconds instead of about
 *     half a millisecond
 * @param hints the probability that a wake-up hint arrives
 * @param safetyCheckSeconds the interval of the clients' safety check for lost hints
 * @param cuts the probability that a turn cuts the connection of a process
 * @param freezes the probability that a turn freezes a process
 * @param kills the probability that a turn kills a process
 * @param closings the probability that a turn closes a worker or a client
 * @param clockSteps the probability that a turn steps the engine's clock
 * @param sessionLosses the probability that a turn makes the engine forget a session
 * @param rollbacks the probability that a turn fails over to a replica that missed the last changes
 * @param administration the probability that a turn pauses, purges, redrives or deletes a queue
 * @param seconds the duration of the faults
 */
record RunParameters(
    int clients,
    int queues,
    int partitions,
    int ids,
    boolean prefersBatching,
    boolean confirming,
    boolean limited,
    boolean ordered,
    double lossy,
    double repeating,
    double slow,
    double hints,
    long safetyCheckSeconds,
    double cuts,
    double freezes,
    double kills,
    double closings,
    double clockSteps,
    double sessionLosses,
    double rollbacks,
    double administration,
    int seconds) {
  /** Draws parameters with faults that never make the store lose a confirmed change. */
  static RunParameters draw(
      Chance chance, boolean prefersBatching, boolean confirming, boolean limited) {
    boolean onlyHints = chance.of(0.25);
    return new RunParameters(
        chance.between(1, 4),
        chance.between(1, 2),
        chance.between(1, 3),
        chance.between(8, 40),
        prefersBatching,
        confirming,
        limited,
        chance.of(0.5),
        some(chance, 0.15),
        some(chance, 0.2),
        some(chance, 0.1),
        onlyHints ? 1 : chance.of(0.2) && !limited ? 0 : 0.8,
        onlyHints ? 100_000 : 1,
        some(chance, 0.3),
        some(chance, 0.3),
        some(chance, 0.2),
        some(chance, 0.2),
        onlyHints ? 0 : some(chance, 0.2),
        some(chance, 0.2),
        0,
        some(chance, 0.3),
        chance.between(4, 12));
  }

  /** Draws parameters with fail-overs that lose the last changes, even confirmed ones. */
  static RunParameters drawWithRollbacks(
      Chance chance, boolean prefersBatching, boolean confirming, boolean limited) {
    RunParameters parameters = draw(chance, prefersBatching, confirming, limited);
    return new RunParameters(
        parameters.clients,
        parameters.queues,
        parameters.partitions,
        parameters.ids,
        prefersBatching,
        confirming,
        limited,
        parameters.ordered,
        parameters.lossy,
        parameters.repeating,
        parameters.slow,
        0.8,
        1,
        parameters.cuts,
        parameters.freezes,
        parameters.kills,
        parameters.closings,
        0,
        parameters.sessionLosses,
        0.3,
        parameters.administration,
        parameters.seconds);
  }

  private static double some(Chance chance, double most) {
    return chance.of(0.5) ? 0 : chance.random().nextDouble(most);
  }

  boolean hasOnlyHints() {
    return safetyCheckSeconds > 1000;
  }
}
