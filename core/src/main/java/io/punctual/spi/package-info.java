/**
 * The interface for authors of stores. {@link java.util.ServiceLoader} finds a {@link
 * io.punctual.spi.StoreProvider} by the scheme of a URL; a {@link io.punctual.spi.Store} has {@link
 * io.punctual.spi.Partition}s, and clients send numbered {@link io.punctual.spi.Call}s to a
 * partition. The contract suite in {@code punctual-store-contract} tests every store.
 */
@NullMarked
package io.punctual.spi;

import org.jspecify.annotations.NullMarked;
