/**
 * {@link io.punctual.contract.StoreContract}, the tests that every store must pass, and the types
 * that the author of a store implements to run these tests.
 *
 * <p>Each other {@code *Contract} is an interface with the tests of one subject, and {@code
 * StoreContract} implements all of them. The remaining types are fixtures of these tests.
 */
@NullMarked
package io.punctual.contract;

import org.jspecify.annotations.NullMarked;
