"""From due deliveries to saved outcomes."""
