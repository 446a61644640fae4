/** Commands that import the messages of other delay queues. */
@NullMarked
package io.punctual.cli.migration;

import org.jspecify.annotations.NullMarked;
