/**
 * The connections to Redis that the store and the locks share. {@link
 * io.punctual.redis.client.RedisOptions} names a deployment and its options; a {@link
 * io.punctual.redis.client.Deployment} holds the connections, which are opened on demand and again
 * after they are lost. No request is sent twice, and the requests of each caller stay in order. A
 * caller that needs an effect exactly once numbers its calls.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>options: {@code RedisOptions}, {@code RedisSettings}, {@code RedisUrl}, {@code
 *       RedisScheme}, {@code RedisAddress}, {@code TlsOptions};
 *   <li>deployments: {@code OneServer}, {@code PrimaryWatch}, {@code Cluster} with {@code
 *       ClusterNode}, {@code NodeAddress}, {@code SlotMap} and {@code Redirect};
 *   <li>connections: {@code ReconnectingConnection}, {@code Connection}, {@code Connecting}, {@code
 *       ConnectBackoff}, {@code OrderedRoute}, {@code SharedThreads}, {@code MaintenanceNotices};
 *   <li>requests: {@code Request}, {@code Keyword}, {@code Script}, {@code RedisReply}, {@code
 *       Failures}, {@code RedisCallException};
 *   <li>channels: {@code Subscriptions}, {@code ClusterChannels}, {@code Subscriber}, {@code
 *       ChannelSubscription};
 *   <li>confirmations: {@code Confirmers}, {@code Confirmer}, {@code DurabilityConfirmation},
 *       {@code DiskProbe}, {@code DiskTrust};
 *   <li>checks of servers: {@code ServerCheck}, {@code ServerInfo}, {@code RightsProbe}, {@code
 *       LateCheck}, {@code PrimaryChecks}.
 * </ul>
 *
 * <p>The groups are one package because they use each other in cycles: the options open a
 * deployment, which reads the settings; a connection confirms, and a confirmation asks over the
 * connection; a check sends requests of the deployment that it checks. Packages of their own would
 * also make some thirty classes public that no user of this module needs.
 */
@NullMarked
package io.punctual.redis.client;

import org.jspecify.annotations.NullMarked;
