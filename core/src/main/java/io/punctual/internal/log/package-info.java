/** The log of all modules: a log that blocks or fails holds up no thread of the client. */
@NullMarked
package io.punctual.internal.log;

import org.jspecify.annotations.NullMarked;
