/**
 * The connections to Redis that the store and the locks share. {@link
 * io.punctual.redis.client.RedisOptions} collects the address of a deployment and its options, from
 * a {@code RedisUrl} or from setters, and opens a {@code Deployment}. The deployment has the
 * connections, which are opened on demand and again after they are lost. A request that a server
 * may have run is not sent again, except a question about durability. The requests over a
 * connection stay in order. A caller that needs an effect exactly once numbers its calls.
 *
 * <p>Each of these packages uses only the packages after it:
 *
 * <ul>
 *   <li>this package: the options of users;
 *   <li>{@code deployment}: a server, a primary behind Sentinels, or a Cluster, and the checks of
 *       servers;
 *   <li>{@code connection}: the connections to a server;
 *   <li>{@code request}: scripts, commands and failures.
 * </ul>
 */
@NullMarked
package io.punctual.redis.client;

import org.jspecify.annotations.NullMarked;
