"""Requests of many clients, decoded together on one model."""
