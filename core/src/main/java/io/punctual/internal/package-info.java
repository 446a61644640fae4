/**
 * The runtime between the API and a store: sessions, which give numbered calls their order and
 * their single effect; the claim loop; leases and settlements. Not exported.
 */
@NullMarked
package io.punctual.internal;

import org.jspecify.annotations.NullMarked;
