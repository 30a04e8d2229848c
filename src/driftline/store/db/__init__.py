"""The two databases behind one interface: drivers, transactions, schema, migrations."""
