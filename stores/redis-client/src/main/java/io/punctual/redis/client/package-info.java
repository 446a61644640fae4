/**
 * The connections to Redis that the store and the locks share. {@link
 * io.punctual.redis.client.RedisOptions} collects the address of a deployment and its options; a
 * {@link io.punctual.redis.client.Deployment} has the connections, which are opened on demand and
 * again after they are lost. No request is sent twice, and the requests of each caller stay in
 * order. A caller that needs an effect exactly once numbers its calls.
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
 *   <li>confirmations: {@code Confirmers}, {@code Confirmer}, {@code ConfirmationCall}, {@code
 *       DurabilityConfirmation}, {@code DiskProbe}, {@code DiskTrust};
 *   <li>checks of servers: {@code ServerCheck}, {@code ServerInfo}, {@code RightsProbe}, {@code
 *       LateCheck}, {@code PrimaryChecks}.
 * </ul>
 *
 * <p>The groups are one package because they use each other in cycles: the options open a
 * deployment, which reads the settings; a connection has a confirmation, which sends its questions
 * over the connection; a check sends requests over the deployment that it checks. In separate
 * packages, about thirty more classes would have to be public, although no user of this module
 * needs them.
 */
@NullMarked
package io.punctual.redis.client;

import org.jspecify.annotations.NullMarked;
