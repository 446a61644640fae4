package io.punctual.spring.boot.autoconfigure;

/**
 * The address of a container that {@code @ServiceConnection} or Docker Compose found. The container
 * may run for a different purpose, such as a cache. So it does not replace a store that the
 * application names; it only replaces a Redis URL of the properties.
 */
interface ServiceConnectionDetails extends PunctualConnectionDetails {}
