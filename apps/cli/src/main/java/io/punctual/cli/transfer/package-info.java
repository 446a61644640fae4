/** Commands that schedule, consume, pipe and copy messages. */
@NullMarked
package io.punctual.cli.transfer;

import org.jspecify.annotations.NullMarked;
