"""Messages: an in-process bus and RabbitMQ behind one interface, and the agent that lives on it."""
