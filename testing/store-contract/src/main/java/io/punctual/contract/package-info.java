/**
 * {@link io.punctual.contract.StoreContract}, the tests that every store must pass, and the types
 * that the author of a store implements to run them.
 */
@NullMarked
package io.punctual.contract;

import org.jspecify.annotations.NullMarked;
