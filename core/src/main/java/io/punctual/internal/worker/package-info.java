/** The consumers: workers and manual claims, with permits, leases, handlers and settlements. */
@NullMarked
package io.punctual.internal.worker;

import org.jspecify.annotations.NullMarked;
