/** The bases of all commands: they open a store, find a queue, ask for confirmation. */
@NullMarked
package io.punctual.cli.command;

import org.jspecify.annotations.NullMarked;
