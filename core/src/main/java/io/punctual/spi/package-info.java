/**
 * What the author of a store implements: a {@link io.punctual.spi.StoreProvider} found by URL
 * scheme, a {@link io.punctual.spi.Store} made of {@link io.punctual.spi.Partition}s, and the
 * numbered {@link io.punctual.spi.Call}s that clients make to a partition. Every store passes the
 * contract suite of the test kit.
 */
@NullMarked
package io.punctual.spi;

import org.jspecify.annotations.NullMarked;
