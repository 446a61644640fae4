/**
 * The costs of Punctual for a Redis server: the memory and the time of a message, compared with
 * bare commands, the costs of waiting, and the processor time of one server and of a Cluster.
 */
@NullMarked
package io.punctual.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
