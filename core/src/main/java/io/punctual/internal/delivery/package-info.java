/**
 * Claimed messages, for workers and manual claims: their leases, and the decisions and settlements
 * about them.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>claimed messages: {@code DeliveryRules} with {@code FailureRules} and {@code RetryRule},
 *       {@code ClaimedMessage}, {@code ClaimLease}, {@code Death};
 *   <li>messages that may end their process: {@code Suspects}, {@code Isolation};
 *   <li>deliveries: {@code ClientDelivery} with its {@code Settlements} and {@code Occurrence};
 *   <li>leases: {@code HeldLease}, {@code LossWatch};
 *   <li>settlements: {@code SettlementContext}; {@code RepeatedSettlement} repeats them while the
 *       store does not execute them; {@code ReceiptSettlement} for other processes;
 *   <li>{@code Consumers}: all workers and manual claims of a client.
 * </ul>
 */
@NullMarked
package io.punctual.internal.delivery;

import org.jspecify.annotations.NullMarked;
