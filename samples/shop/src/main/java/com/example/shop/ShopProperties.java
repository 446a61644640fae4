package com.example.shop;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the shop.
 *
 * @param paymentTime the time after which an unpaid order is closed
 * @param reminderTime the time after which the customer is reminded of an unpaid order
 * @param webhookUrl the URL to which paid orders are sent
 */
@ConfigurationProperties("shop")
public record ShopProperties(Duration paymentTime, Duration reminderTime, String webhookUrl) {}
