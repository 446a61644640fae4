/** The server of the HTTP API, on Jetty: configuration, listeners, and the adapter. */
@NullMarked
package io.punctual.server;

import org.jspecify.annotations.NullMarked;
