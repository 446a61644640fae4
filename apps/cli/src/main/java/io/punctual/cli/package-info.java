/**
 * The {@code punctual} command: a demo, a pipe that holds lines back until they are due, and a look
 * into any store. Data goes to standard output, talk to standard error.
 */
@NullMarked
package io.punctual.cli;

import org.jspecify.annotations.NullMarked;
