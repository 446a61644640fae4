/**
 * The routes of webhooks, and what they ask of the process that delivers: {@link
 * io.punctual.http.webhook.Webhooks}. The records of targets, keys and deliveries are here, with
 * their JSON.
 */
@NullMarked
package io.punctual.http.webhook;

import org.jspecify.annotations.NullMarked;
