/**
 * A server and its clients by HTTP. The server and the client run in one process, so that each
 * figure is of all the work together.
 */
@NullMarked
package io.punctual.benchmarks.http;

import org.jspecify.annotations.NullMarked;
