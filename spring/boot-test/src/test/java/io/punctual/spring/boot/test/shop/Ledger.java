package io.punctual.spring.boot.test.shop;

import org.springframework.stereotype.Component;

/** A component without listeners, which the slice leaves out. */
@Component
class Ledger {}
