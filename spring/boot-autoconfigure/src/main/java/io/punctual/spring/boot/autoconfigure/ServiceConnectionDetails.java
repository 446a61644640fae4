package io.punctual.spring.boot.autoconfigure;

/**
 * The address of a container that {@code @ServiceConnection} or Docker Compose found. The container
 * may run for a different purpose, such as a cache, so it does not replace a store that the
 * application names.
 */
interface ServiceConnectionDetails extends PunctualConnectionDetails {}
