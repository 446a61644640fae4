/** The command that serves the HTTP API. */
@NullMarked
package io.punctual.cli.server;

import org.jspecify.annotations.NullMarked;
