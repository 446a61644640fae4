/** The input of commands: lines of messages, payloads, spans of time. */
@NullMarked
package io.punctual.cli.input;

import org.jspecify.annotations.NullMarked;
