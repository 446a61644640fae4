/**
 * The costs of Punctual for a Redis server: the memory of a message; its time, compared with bare
 * commands; the costs of waiting; and the processor time of one server and of a Cluster.
 */
@NullMarked
package io.punctual.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
