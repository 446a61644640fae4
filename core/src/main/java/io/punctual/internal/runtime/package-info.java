/**
 * The common base of the other internal packages except {@code message}: time, limits, threads,
 * waiting, failures of the store and logs.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>the environment of a client: {@code Environment}, {@code GuardedTimer}, {@code Events},
 *       {@code Interceptors}, {@code IdGenerator}, {@code ProcessInfo};
 *   <li>requests and their answers: {@code StoreCall}, {@code Awaited}, {@code Waiting}, {@code
 *       Callbacks}, {@code BlockingGuard};
 *   <li>threads and loops: {@code CallerThread}, {@code ClientThread}, {@code AsyncLoop}, {@code
 *       Baton}, {@code Backoff};
 *   <li>limits: {@code Backlog};
 *   <li>failures of the store: {@code StoreFailures}, {@code OperationFailures}, {@code
 *       StoreHealth};
 *   <li>figures of workers: {@code WorkerCounters}, {@code LatenessHistogram};
 *   <li>logs: {@code HandlerLog}, {@code LogThrottle}.
 * </ul>
 *
 * <p>The groups are one package, because each has few classes, and {@code Environment} holds
 * classes of several groups.
 */
@NullMarked
package io.punctual.internal.runtime;

import org.jspecify.annotations.NullMarked;
