package com.example.shop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Plays the server of a partner, which refuses the first webhook of each order. */
@RestController
class Partner {
  private static final Logger log = LoggerFactory.getLogger(Partner.class);
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  @PostMapping("/partner")
  ResponseEntity<Void> receive(@RequestBody Order order) {
    boolean first = known.add(order.id());
    log.info("The partner {} the webhook of order {}", first ? "refuses" : "accepts", order.id());
    return ResponseEntity.status(first ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.OK).build();
  }
}
