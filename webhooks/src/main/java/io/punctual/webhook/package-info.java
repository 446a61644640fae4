/**
 * Delivers due messages to HTTP addresses, signed by Standard Webhooks 1.0.0. {@link
 * io.punctual.webhook.WebhookService} has the targets of a process; a target has workers that take
 * its messages, a circuit, and a pace. The sender makes a call; the judge decides which addresses
 * may be connected to.
 */
@NullMarked
package io.punctual.webhook;

import org.jspecify.annotations.NullMarked;
