package io.punctual.spring.boot.autoconfigure;

/**
 * The address of a container that {@code @ServiceConnection} or Docker Compose found. The container
 * may run for a different purpose, such as a cache. So it does not replace a different store that
 * the application names. It replaces a Redis URL of the properties, and is the store if the
 * application names none.
 */
interface ServiceConnectionDetails extends PunctualConnectionDetails {}
