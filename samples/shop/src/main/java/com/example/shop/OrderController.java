package com.example.shop;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {
  private final Orders orders;

  OrderController(Orders orders) {
    this.orders = orders;
  }

  record NewOrder(String customer, int cents) {}

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  Order place(@RequestBody NewOrder order) {
    return orders.place(order.customer(), order.cents());
  }

  @PostMapping("/{id}/payment")
  ResponseEntity<Order> pay(@PathVariable String id) {
    return orders
        .pay(id)
        .map(ResponseEntity::ok)
        .orElse(ResponseEntity.status(HttpStatus.CONFLICT).build());
  }

  @GetMapping("/{id}")
  ResponseEntity<Order> find(@PathVariable String id) {
    return ResponseEntity.of(orders.find(id));
  }
}
