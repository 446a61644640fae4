/**
 * The common base of the other internal packages: time, limits, threads, waiting, failures and
 * logs.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>the environment of a client: {@code Environment}, {@code GuardedTimer}, {@code TimerLog},
 *       {@code Events}, {@code Interceptors}, {@code IdGenerator}, {@code ProcessInfo};
 *   <li>requests and their answers: {@code StoreCall}, {@code Awaited}, {@code Waiting}, {@code
 *       Callbacks}, {@code BlockingGuard};
 *   <li>threads and loops: {@code CallerThread}, {@code ClientThread}, {@code DaemonThreads},
 *       {@code AsyncLoop}, {@code Backoff};
 *   <li>checks and limits: {@code Checks}, {@code Backlog};
 *   <li>failures of the store: {@code StoreFailures}, {@code OperationFailures}, {@code
 *       StoreHealth};
 *   <li>failures of messages: {@code FailureLog}, {@code FailureSummary}, {@code FailureOrigin},
 *       {@code DeadLetterMatch}; {@code HandlerLog} and {@code LogThrottle} log them;
 *   <li>recurrences: {@code Recurrences}, {@code Timetables}, and their stored forms {@code
 *       RecurrenceHeaders} and {@code RecurrenceText};
 *   <li>other stored forms: {@code RememberHeader}, {@code NewPayload}, {@code DeliveryToken}.
 * </ul>
 *
 * <p>The groups are one package, because each has few classes and most of them need the
 * environment.
 */
@NullMarked
package io.punctual.internal.runtime;

import org.jspecify.annotations.NullMarked;
