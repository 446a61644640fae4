package com.example.shop;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The times of the reminder and of the end of an unpaid order, and the URL that receives paid
 * orders.
 */
@ConfigurationProperties("shop")
public record ShopProperties(Duration paymentTime, Duration reminderTime, String webhookUrl) {}
