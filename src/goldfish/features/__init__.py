"""What a server offers. Each module contributes rows to the method table and knows no other feature."""
