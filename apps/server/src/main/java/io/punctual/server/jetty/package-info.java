/** The adapter of Jetty's core handlers: requests in, answers out, and the watch for clients. */
@NullMarked
package io.punctual.server.jetty;

import org.jspecify.annotations.NullMarked;
