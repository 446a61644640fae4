/**
 * The deployments of Redis. A {@link io.punctual.redis.client.deployment.Deployment} finds the
 * connection to the server of a key.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>a single server: {@code OneServer}, with {@code PrimaryWatch} for Sentinels;
 *   <li>a Cluster: {@code Cluster}, {@code ClusterChannels}, {@code SlotMap}, {@code NodeAddress},
 *       {@code Redirect};
 *   <li>checks of servers: {@code ServerCheck}, {@code RightsProbe}, {@code LateCheck}, {@code
 *       PrimaryChecks};
 *   <li>calls: {@code OrderedRoute}, {@code RepeatedConfirmation}.
 * </ul>
 */
@NullMarked
package io.punctual.redis.client.deployment;

import org.jspecify.annotations.NullMarked;
