/**
 * The {@code punctual} command: a demo, a pipe that holds lines back until they are due, and
 * commands for queues, locks, journals and imports. Data goes to standard output, messages for
 * people to standard error. Each kind of command has a package of its own.
 */
@NullMarked
package io.punctual.cli;

import org.jspecify.annotations.NullMarked;
