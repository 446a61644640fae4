/** Commands that look at queues, change messages and delete them. */
@NullMarked
package io.punctual.cli.queue;

import org.jspecify.annotations.NullMarked;
