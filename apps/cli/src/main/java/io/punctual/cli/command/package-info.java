/**
 * The base classes of the commands, and shared parts: they open a store, find a queue, and ask for
 * confirmation.
 */
@NullMarked
package io.punctual.cli.command;

import org.jspecify.annotations.NullMarked;
