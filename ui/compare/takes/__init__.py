"""The page of takes: up to nine renders of one shot on one clock, to keep some and reject others."""
