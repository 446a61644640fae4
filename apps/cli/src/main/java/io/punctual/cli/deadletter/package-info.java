/** Commands that list, redrive, delete, export and import dead letters. */
@NullMarked
package io.punctual.cli.deadletter;

import org.jspecify.annotations.NullMarked;
