/** Journeys through the console in a browser. */
@NullMarked
package io.punctual.console;

import org.jspecify.annotations.NullMarked;
