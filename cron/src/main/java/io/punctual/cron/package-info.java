/**
 * Recurring messages by cron expressions: {@link io.punctual.cron.Cron} creates the recurrence of
 * an expression in a time zone. The module must be on the class path of each process with workers
 * for such messages.
 */
@NullMarked
package io.punctual.cron;

import org.jspecify.annotations.NullMarked;
