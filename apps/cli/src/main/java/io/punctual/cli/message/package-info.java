/** Stored messages in the output of commands: a message with all of its fields, and lists. */
@NullMarked
package io.punctual.cli.message;

import org.jspecify.annotations.NullMarked;
