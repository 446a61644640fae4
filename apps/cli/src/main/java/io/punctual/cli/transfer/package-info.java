/** Commands that schedule and consume messages. */
@NullMarked
package io.punctual.cli.transfer;

import org.jspecify.annotations.NullMarked;
