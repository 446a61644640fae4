/**
 * Commands that show, change and delete queues and messages.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>a queue: {@code QueuesCommand}, {@code StatsCommand} and {@code WatchCommand} with {@code
 *       Watch*} and {@code QueueCounts}; {@code ForecastCommand}; {@code PauseCommand} and {@code
 *       ResumeCommand}; {@code LimitsCommand}; {@code WorkersCommand}; {@code PurgeCommand} and
 *       {@code DeleteCommand};
 *   <li>a message: {@code ListCommand}, {@code ShowCommand}, {@code CancelCommand}, {@code
 *       RescheduleCommand}, {@code RunNowCommand}.
 * </ul>
 *
 * <p>The groups are one package, because most commands are a single class.
 */
@NullMarked
package io.punctual.cli.queue;

import org.jspecify.annotations.NullMarked;
