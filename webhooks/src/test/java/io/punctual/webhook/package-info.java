/** Tests of webhooks, against real HTTP servers on the loopback interface. */
@NullMarked
package io.punctual.webhook;

import org.jspecify.annotations.NullMarked;
